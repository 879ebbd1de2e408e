import type { Transaction } from '../../../database/database.ts'
import { raw, sql, tuples } from '../../../database/sql.ts'
import { Store } from '../../../database/store.ts'
import { runContents } from './output-store.ts'
import { runEffects, runEvents, runSteps, runs } from './run-records.ts'

const settledRun = runs.columns('workspaceId', 'id', 'settledAt', 'sequence')
const runsPerRead = raw('100')
const eventsPerDeletion = 500
/** Limits of one transaction of a sweep, so that others do not wait long for it. */
const sweptRuns = 50
const sweptEvents = 5000

/** Deletes old runs; their events may go before the runs themselves, because they take most of the space. */
export class RunSweep extends Store {
  /** No run that ended before this time has events. */
  #sweptUntil = 0

  /** Deletes events of runs that ended before that time. A run that waits continues from its events. */
  async sweepEvents(before: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const isOld = sql`settled_at >= ${this.#sweptUntil} AND settled_at < ${before} AND status <> 'waiting'`
      // Checks first, with an index: starting a thread for background reads would take a tenth of the server's start.
      if (!(await this.database.get(sql`SELECT ${settledRun} FROM runs WHERE ${isOld} LIMIT 1`))) return
      const old = await this.database.background('').all(sql`
        SELECT ${settledRun} FROM runs WHERE ${isOld}
          AND EXISTS (SELECT 1 FROM run_events e WHERE e.workspace_id = runs.workspace_id AND e.run_id = runs.id)
        ORDER BY settled_at LIMIT ${runsPerRead}`)
      for (const { workspaceId, id } of old) {
        const events = runEvents.where({ workspaceId, runId: id })
        const deleteSome = () =>
          this.database.deletion(transaction =>
            this.deleteSome(transaction, runEvents, events, eventsPerDeletion),
          )
        while (!signal.aborted && (await deleteSome()) === eventsPerDeletion);
      }
      const last = old.at(-1)
      if (!signal.aborted) this.#sweptUntil = last?.settledAt ?? before
      if (!last) return
    }
  }

  /** Deletes runs that ended, or started to wait, before that time, with everything that belongs to them. */
  async sweepRuns(before: number, limit: number): Promise<number> {
    const settled = sql`runs WHERE settled_at < ${before} ORDER BY settled_at`
    let removed = 0
    while (removed < limit) {
      const max = Math.min(limit - removed, sweptRuns)
      // Reads first: an idle server should not write.
      if (!(await this.database.get(sql`SELECT ${settledRun} FROM ${settled} LIMIT 1`))) break
      const count = await this.database.deletion(async transaction => {
        const rows = await transaction.all(
          sql`SELECT ${settledRun} FROM ${settled} LIMIT ${max} ${this.database.forClaim}`,
        )
        let events = 0
        // Runs have from a handful to many thousands of events, so their events limit a batch; the first run is always
        // deleted.
        const batch = rows.filter((row, index) => {
          events += row.sequence
          return index === 0 || events <= sweptEvents
        })
        if (batch.length > 0) await removeRuns(transaction, batch)
        return batch.length
      }, true)
      // Another process is deleting the rest right now.
      if (count === 0) break
      removed += count
    }
    return removed
  }
}

async function removeRuns(
  transaction: Transaction,
  rows: readonly { workspaceId: string; id: string }[],
): Promise<void> {
  const keys = tuples(rows.map(row => [row.workspaceId, row.id]))
  for (const table of [runSteps, runEffects, runEvents, runContents])
    await transaction.run(sql`DELETE FROM ${table} WHERE (workspace_id, run_id) IN ${keys}`)
  await transaction.run(sql`DELETE FROM runs WHERE (workspace_id, id) IN ${keys}`)
}
