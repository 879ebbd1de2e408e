import { raw, sql } from '../../../database/sql.ts'
import { Store } from '../../../database/store.ts'
import { runEvents, runs } from './run-records.ts'

const settledRun = runs.columns('workspaceId', 'id', 'settledAt')
const runsPerRead = raw('100')
const eventsPerDeletion = 500

/** Deletes the events of old runs before the runs themselves: they take most of the space. */
export class EventSweep extends Store {
  /** No run that ended before this time has events. */
  #sweptUntil = 0

  /** Deletes events of runs that ended, or started to wait, before that time. */
  async sweep(before: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const isOld = sql`settled_at >= ${this.#sweptUntil} AND settled_at < ${before}`
      // By an index and at once; a thread that reads in the background would take a tenth of the server's start.
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
}
