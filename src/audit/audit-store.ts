import type { Transaction } from '../database/database.ts'
import { raw, sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { integer, json, type RowOf, table, text } from '../database/table.ts'

export const auditEntries = table('audit_entries', {
  workspaceId: text(),
  id: text(),
  at: integer(),
  actorId: text(),
  actorName: text(),
  actorRole: text(),
  operation: text(),
  objectKind: text(),
  objectId: text(),
  details: json<Record<string, unknown>>(),
  traceId: text(),
  address: text(),
})

export type AuditEntry = RowOf<typeof auditEntries>

/** The place of an entry in the list; a page begins after it. */
export type AuditPosition = Pick<AuditEntry, 'at' | 'id'>

export interface AuditFilter {
  actorId?: string
  objectId?: string
  /** Inclusive. */
  from?: number
  /** Exclusive. */
  to?: number
}

const columns = auditEntries.columns()
const deleteBatch = 1000

export class AuditStore extends Store {
  async add(transaction: Transaction, entries: readonly AuditEntry[]): Promise<void> {
    if (entries.length > 0) await transaction.run(auditEntries.insertAll(entries))
  }

  /** Newest first: entries below `position`. */
  list(
    workspaceId: string,
    { from = 0, to = Number.MAX_SAFE_INTEGER, actorId, objectId }: AuditFilter,
    position: AuditPosition = { at: to, id: '' },
    limit: number,
  ): Promise<AuditEntry[]> {
    // Of both, the index of the object is used: a token may have made nearly all entries.
    const isBoth = actorId !== undefined && objectId !== undefined
    const equal = auditEntries.where({
      workspaceId,
      ...(objectId !== undefined && { objectId }),
      ...(actorId !== undefined && !isBoth && { actorId }),
    })
    return this.database.all(sql`
      SELECT ${columns} FROM audit_entries
      WHERE ${equal}${isBoth ? sql` AND actor_id || '' = ${actorId}` : sql``} AND at >= ${from} AND (at, id) < (${position.at}, ${position.id})
      ORDER BY at DESC, id DESC LIMIT ${raw(String(limit))}`)
  }

  /** Deletes some older entries; false if none are left. */
  async removeBefore(time: number): Promise<boolean> {
    // By workspace, so that the order of the list is the only index on time.
    const old = sql`workspace_id IN (SELECT id FROM workspaces) AND at < ${time}`
    const removed = await this.database.deletion(transaction =>
      this.deleteSome(transaction, auditEntries, old, deleteBatch),
    )
    return removed === deleteBatch
  }
}
