import type { Database } from '../database/database.ts'
import { type Query, sql } from '../database/sql.ts'
import { integer, optional, table, text } from '../database/table.ts'

export const idempotencyKeys = table('idempotency_keys', {
  workspaceId: text(),
  tokenId: text(),
  key: text(),
  fingerprint: text(),
  answer: optional(text()),
  claimedAt: integer(),
})

export interface IdempotencyScope {
  workspaceId: string
  tokenId: string
  key: string
}

export type Claim =
  /** The caller holds the key and must `complete` or `release` it. */
  | { state: 'claimed' }
  /** Another request with the key is in progress. */
  | { state: 'running'; fingerprint: string }
  | { state: 'done'; fingerprint: string; answer: string }

export class IdempotencyStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** A claim from before `staleBefore` that was never completed belongs to a crashed process and can be taken over. */
  claim(scope: IdempotencyScope, fingerprint: string, at: number, staleBefore: number): Promise<Claim> {
    return this.#database.transaction(async transaction => {
      const claimed = await transaction.run(
        sql`${idempotencyKeys.insert({ ...scope, fingerprint, claimedAt: at })}
         ON CONFLICT (workspace_id, token_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, claimed_at = excluded.claimed_at
         WHERE idempotency_keys.answer IS NULL AND idempotency_keys.claimed_at < ${staleBefore}`,
      )
      if (claimed > 0) return { state: 'claimed' }
      const row = await transaction.get(
        sql`SELECT ${idempotencyKeys.columns('fingerprint', 'answer')} FROM idempotency_keys WHERE ${idempotencyKeys.where(scope)}`,
      )
      // It was released between the two statements; the caller tries again.
      if (!row) return { state: 'running', fingerprint }
      return row.answer === undefined
        ? { state: 'running', fingerprint: row.fingerprint }
        : { state: 'done', fingerprint: row.fingerprint, answer: row.answer }
    })
  }

  /** `claimedAt` distinguishes the caller's claim from one that took it over. */
  complete(scope: IdempotencyScope, claimedAt: number, answer: string): Promise<unknown> {
    const key = idempotencyKeys.where({ ...scope, claimedAt })
    return this.#run(sql`UPDATE idempotency_keys SET answer = ${answer} WHERE ${key}`)
  }

  release(scope: IdempotencyScope, claimedAt: number): Promise<unknown> {
    const key = idempotencyKeys.where({ ...scope, claimedAt })
    return this.#run(sql`DELETE FROM idempotency_keys WHERE ${key} AND answer IS NULL`)
  }

  removeBefore(time: number): Promise<unknown> {
    return this.#run(sql`DELETE FROM idempotency_keys WHERE claimed_at < ${time}`)
  }

  #run(statement: Query): Promise<number> {
    return this.#database.transaction(transaction => transaction.run(statement))
  }
}
