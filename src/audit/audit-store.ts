import type { Transaction } from '../database/database.ts'
import { list, raw, type SqlValue, sql } from '../database/sql.ts'
import { insertRows, Store } from '../database/store.ts'
import { as, type ColumnType, integer, json, type RowOf, table, text } from '../database/table.ts'

const columnTypes = {
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
}

export const auditEntries = table('audit_entries', columnTypes)
/** Entries that are not indexed yet: moving them in batches costs much less than an index entry with each change. */
export const auditQueue = table('audit_queue', columnTypes)

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
/** Few enough that other writers do not wait long. */
const moveBatch = 256
/** A number in SQLite, a text in PostgreSQL. */
const rowAddress: ColumnType<SqlValue> = { stored: 'text' }

export class AuditStore extends Store {
  async add(transaction: Transaction, entries: readonly AuditEntry[]): Promise<void> {
    if (entries.length > 0) await transaction.run(auditQueue.insertAll(entries))
  }

  /** Newest first: entries below `position`. */
  list(
    workspaceId: string,
    { from = 0, to = Number.MAX_SAFE_INTEGER, actorId, objectId }: AuditFilter,
    position: AuditPosition = { at: to, id: '' },
    limit: number,
  ): Promise<AuditEntry[]> {
    // With both conditions, the index of the object is used, because one token may have made nearly all entries.
    const isBoth = actorId !== undefined && objectId !== undefined
    const equal = auditEntries.where({
      workspaceId,
      ...(objectId !== undefined && { objectId }),
      ...(actorId !== undefined && !isBoth && { actorId }),
    })
    const wanted = sql`${equal}${isBoth ? sql` AND actor_id || '' = ${actorId}` : sql``} AND at >= ${from}
      AND (at, id) < (${position.at}, ${position.id}) ORDER BY at DESC, id DESC LIMIT ${raw(String(limit))}`
    // An entry is always in exactly one of the two tables, even while it is moved.
    return this.database.all(sql`
      SELECT ${columns} FROM (
        SELECT * FROM (SELECT * FROM audit_entries WHERE ${wanted}) AS indexed
        UNION ALL SELECT * FROM (SELECT * FROM audit_queue WHERE ${wanted}) AS queued
      ) AS found ORDER BY at DESC, id DESC LIMIT ${raw(String(limit))}`)
  }

  /** Moves some queued entries to where they have an index; false if none are left. */
  async indexQueued(): Promise<boolean> {
    // An idle server does not write.
    if (!(await this.database.get(sql`SELECT 1 ${as('one', integer())} FROM audit_queue LIMIT 1`)))
      return false
    const { rowName, forClaim } = this.database
    return this.database.transaction(async transaction => {
      const queued = await transaction.all(sql`
        SELECT ${rowName} ${as('row', rowAddress)}, ${columns} FROM audit_queue LIMIT ${raw(String(moveBatch))} ${forClaim}`)
      if (queued.length === 0) return false
      const entries = queued.map(({ row: _, ...entry }) => entry)
      await insertRows(transaction, auditEntries, entries)
      const rows = queued.map(({ row }) => row)
      await transaction.run(sql`DELETE FROM audit_queue WHERE ${rowName} IN ${list(rows)}`)
      return queued.length === moveBatch
    })
  }

  /** Deletes some older entries; false if none are left. */
  async removeBefore(time: number): Promise<boolean> {
    // The query goes by workspace, so that the index of the list is the only one on time.
    const old = sql`workspace_id IN (SELECT id FROM workspaces) AND at < ${time}`
    const removed = await this.database.deletion(transaction =>
      this.deleteSome(transaction, auditEntries, old, deleteBatch),
    )
    return removed === deleteBatch
  }
}
