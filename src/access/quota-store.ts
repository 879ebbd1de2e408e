import type { Reader, Transaction } from '../database/database.ts'
import { raw, sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { as, integer, table, text } from '../database/table.ts'

/** Written by triggers; see the migration. */
export const workspaceUsage = table('workspace_usage', {
  workspaceId: text(),
  shard: integer(),
  storageBytes: integer(),
  documents: integer(),
})

const total = (column: string) => raw(`CAST(COALESCE(SUM(${column}), 0) AS BIGINT)`)

export class QuotaStore extends Store {
  /** The stored amounts of a workspace, including the writes of an open transaction. */
  async stored(workspaceId: string, reader: Reader = this.database) {
    const row = await reader.get(sql`
      SELECT ${total('storage_bytes')} ${as('storageBytes', integer())}, ${total('documents')} ${as('documents', integer())}
      FROM ${workspaceUsage} WHERE ${workspaceUsage.where({ workspaceId })}`)
    return row!
  }

  /** Locks the workspace: until the transaction ends, other writes that check quotas wait. */
  async lock(transaction: Transaction, workspaceId: string): Promise<void> {
    await transaction.get(sql`SELECT id FROM workspaces WHERE id = ${workspaceId} ${this.database.forUpdate}`)
  }
}
