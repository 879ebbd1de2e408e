import type { Database, Transaction } from '../../database/database.ts'
import type { SqlValue } from '../../database/sql.ts'
import type { KnowledgeSweep } from '../../knowledge/knowledge-sweep.ts'

/** So many rows at most go in one transaction: nobody waits long for it. */
const rows = 500
const blocks = 100
/** A merge that was not finished after this long never will be. */
const abandonedMilliseconds = 600_000

const goneSegment = `SELECT workspace_id, id FROM segments WHERE state = 'gone' AND state <> 'live' LIMIT 1`
const abandonedSegment = `SELECT workspace_id, id FROM segments
  WHERE state = 'staged' AND state <> 'live' AND batch_id IS NULL AND created_at < ? LIMIT 1`
const goneBatch = `SELECT workspace_id, id FROM batches WHERE state = 'gone' LIMIT 1`
const goneGeneration = 'SELECT workspace_id, id FROM generations WHERE gone = 1 LIMIT 1'
const deletedBase = 'SELECT workspace_id, id FROM knowledge_bases WHERE deleted_at IS NOT NULL LIMIT 1'

interface Named {
  workspace_id: string
  id: string
}

/** Removes rows that nobody can see any more, from the leaves to the root, so that a crash leaves nothing behind. */
export class SqlKnowledgeSweep implements KnowledgeSweep {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async sweep(now: number): Promise<boolean> {
    // Looked at first: an idle server should not write.
    if (!(await this.#hasWork(now))) return false
    return this.#database.transaction(
      async transaction =>
        (await this.#sweepSegment(transaction, now)) ||
        (await this.#sweepBatch(transaction)) ||
        (await this.#sweepGeneration(transaction)) ||
        (await this.#sweepBase(transaction)),
    )
  }

  async #hasWork(now: number): Promise<boolean> {
    for (const query of [goneSegment, goneBatch, goneGeneration, deletedBase])
      if (await this.#database.get(query)) return true
    return (await this.#database.get(abandonedSegment, now - abandonedMilliseconds)) !== undefined
  }

  async #delete(
    transaction: Transaction,
    table: string,
    where: string,
    most: number,
    ...parameters: SqlValue[]
  ): Promise<boolean> {
    const { rowName } = this.#database
    return (
      (await transaction.run(
        `DELETE FROM ${table} WHERE ${rowName} IN (SELECT ${rowName} FROM ${table} WHERE ${where} LIMIT ${most})`,
        ...parameters,
      )) > 0
    )
  }

  async #sweepSegment(transaction: Transaction, now: number): Promise<boolean> {
    const { forClaim } = this.#database
    const abandoned = await transaction.get<Named>(
      `${abandonedSegment} ${forClaim}`,
      now - abandonedMilliseconds,
    )
    // First it is given up, in a transaction of its own: whoever still works on it must find that out.
    if (abandoned)
      return (
        (await transaction.run(
          `UPDATE segments SET state = 'gone' WHERE workspace_id = ? AND id = ? AND state = 'staged'`,
          abandoned.workspace_id,
          abandoned.id,
        )) > 0
      )
    const segment = await transaction.get<Named>(`${goneSegment} ${forClaim}`)
    if (!segment) return false
    const key = [segment.workspace_id, segment.id]
    if (
      await this.#delete(transaction, 'segment_blocks', 'workspace_id = ? AND segment_id = ?', blocks, ...key)
    )
      return true
    await transaction.run('DELETE FROM segments WHERE workspace_id = ? AND id = ?', ...key)
    return true
  }

  async #sweepBatch(transaction: Transaction): Promise<boolean> {
    const batch = await transaction.get<Named>(`${goneBatch} ${this.#database.forClaim}`)
    if (!batch) return false
    const key = [batch.workspace_id, batch.id]
    const where = 'workspace_id = ? AND batch_id = ?'
    for (const table of ['chunks', 'vectors'])
      if (await this.#delete(transaction, table, where, rows, ...key)) return true
    await transaction.run(`UPDATE segments SET state = 'gone' WHERE ${where}`, ...key)
    await transaction.run('DELETE FROM batches WHERE workspace_id = ? AND id = ?', ...key)
    return true
  }

  async #sweepGeneration(transaction: Transaction): Promise<boolean> {
    const generation = await transaction.get<Named>(`${goneGeneration} ${this.#database.forClaim}`)
    if (!generation) return false
    const key = [generation.workspace_id, generation.id]
    const where = 'workspace_id = ? AND generation_id = ?'
    if (await this.#delete(transaction, 'readings', where, rows, ...key)) return true
    const { rowName } = this.#database
    for (const table of ['batches', 'segments']) {
      const marked = await transaction.run(
        `UPDATE ${table} SET state = 'gone' WHERE ${rowName} IN
           (SELECT ${rowName} FROM ${table} WHERE ${where} AND state <> 'gone' LIMIT ${rows})`,
        ...key,
      )
      if (marked > 0) return true
    }
    // A reading that was being renewed just now was passed over, and comes next time.
    await transaction.run(
      `DELETE FROM generations WHERE workspace_id = ? AND id = ?
         AND NOT EXISTS (SELECT 1 FROM readings WHERE ${where})`,
      ...key,
      ...key,
    )
    return true
  }

  async #sweepBase(transaction: Transaction): Promise<boolean> {
    const base = await transaction.get<Named>(`${deletedBase} ${this.#database.forClaim}`)
    if (!base) return false
    const key = [base.workspace_id, base.id]
    for (const table of ['document_values', 'documents'])
      if (await this.#delete(transaction, table, 'workspace_id = ? AND knowledge_id = ?', rows, ...key))
        return true
    await transaction.run('DELETE FROM knowledge_bases WHERE workspace_id = ? AND id = ?', ...key)
    return true
  }
}
