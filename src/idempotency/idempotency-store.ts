import type { AmbientDatabase } from '../database/ambient-database.ts'
import type { Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { integer, optional, type RowOf, table, text } from '../database/table.ts'

/** A row without an answer was left by a version that stored keys before the work was done; it counts as absent. */
export const idempotencyKeys = table('idempotency_keys', {
  workspaceId: text(),
  tokenId: text(),
  key: text(),
  fingerprint: text(),
  answer: optional(text()),
  claimedAt: integer(),
})

export type IdempotencyScope = Pick<RowOf<typeof idempotencyKeys>, 'workspaceId' | 'tokenId' | 'key'>

interface StoredAnswer {
  fingerprint: string
  answer: string
}

/** Thrown if another request with the key was committed first. */
class KeyTaken extends Error {}

export class IdempotencyStore extends Store<AmbientDatabase> {
  async find(scope: IdempotencyScope): Promise<StoredAnswer | undefined> {
    const row = await this.database.get(
      idempotencyKeys.select(idempotencyKeys.columns('fingerprint', 'answer'), scope),
    )
    return row?.answer === undefined ? undefined : { fingerprint: row.fingerprint, answer: row.answer }
  }

  /**
   * Commits what `work` writes together with its answer. Undefined, and nothing is written, if another request with the
   * key did so first; one that is doing so right now is waited for.
   */
  async store(
    scope: IdempotencyScope,
    { fingerprint, at }: { fingerprint: string; at: number },
    work: () => Promise<string>,
  ): Promise<string | undefined> {
    const claim = async (transaction: Transaction): Promise<void> => {
      const claimed = await transaction.run(
        sql`${idempotencyKeys.insert({ ...scope, fingerprint, claimedAt: at })}
         ON CONFLICT (workspace_id, token_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, claimed_at = excluded.claimed_at
         WHERE idempotency_keys.answer IS NULL`,
      )
      if (claimed === 0) throw new KeyTaken()
    }
    try {
      return await this.database.inOneTransaction(work, {
        begin: claim,
        end: async (transaction, answer) => {
          await transaction.run(
            sql`UPDATE idempotency_keys SET answer = ${answer} WHERE ${idempotencyKeys.where(scope)}`,
          )
        },
      })
    } catch (error) {
      if (error instanceof KeyTaken) return undefined
      throw error
    }
  }

  removeBefore(time: number): Promise<unknown> {
    return this.runDeletion(sql`DELETE FROM idempotency_keys WHERE claimed_at < ${time}`)
  }
}
