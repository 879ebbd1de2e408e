import type { Database } from '../../database/database.ts'
import type { Claim, IdempotencyScope, IdempotencyStore } from '../../idempotency/idempotency-store.ts'

const where = 'WHERE workspace_id = ? AND token_id = ? AND key = ?'

export class SqlIdempotencyStore implements IdempotencyStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  claim(
    { workspaceId, tokenId, key }: IdempotencyScope,
    fingerprint: string,
    at: number,
    staleBefore: number,
  ): Promise<Claim> {
    return this.#database.transaction(async transaction => {
      const claimed = await transaction.run(
        `INSERT INTO idempotency_keys (workspace_id, token_id, key, fingerprint, answer, claimed_at)
         VALUES (?, ?, ?, ?, NULL, ?)
         ON CONFLICT (workspace_id, token_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, claimed_at = excluded.claimed_at
         WHERE idempotency_keys.answer IS NULL AND idempotency_keys.claimed_at < ?`,
        workspaceId,
        tokenId,
        key,
        fingerprint,
        at,
        staleBefore,
      )
      if (claimed > 0) return { state: 'claimed' }
      const row = await transaction.get<{ fingerprint: string; answer: string | null }>(
        `SELECT fingerprint, answer FROM idempotency_keys ${where}`,
        workspaceId,
        tokenId,
        key,
      )
      // Gone between the two statements: it was released, so the caller asks again.
      if (!row) return { state: 'running', fingerprint }
      return row.answer === null
        ? { state: 'running', fingerprint: row.fingerprint }
        : { state: 'done', fingerprint: row.fingerprint, answer: row.answer }
    })
  }

  async complete(
    { workspaceId, tokenId, key }: IdempotencyScope,
    claimedAt: number,
    answer: string,
  ): Promise<void> {
    await this.#database.transaction(transaction =>
      transaction.run(
        `UPDATE idempotency_keys SET answer = ? ${where} AND claimed_at = ?`,
        answer,
        workspaceId,
        tokenId,
        key,
        claimedAt,
      ),
    )
  }

  async release({ workspaceId, tokenId, key }: IdempotencyScope, claimedAt: number): Promise<void> {
    await this.#database.transaction(transaction =>
      transaction.run(
        `DELETE FROM idempotency_keys ${where} AND answer IS NULL AND claimed_at = ?`,
        workspaceId,
        tokenId,
        key,
        claimedAt,
      ),
    )
  }

  async forgetBefore(time: number): Promise<void> {
    await this.#database.transaction(transaction =>
      transaction.run('DELETE FROM idempotency_keys WHERE claimed_at < ?', time),
    )
  }
}
