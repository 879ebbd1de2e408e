import type { Database, Transaction } from '../../database/database.ts'
import { marks } from '../../database/sql.ts'
import type { ClaimedRun, RunLease, RunRecord } from '../../workflow/run/run-store.ts'
import { type RunRow, recordOf, runColumns } from './run-rows.ts'

/** Every statement that names many runs names so many at most. */
const runsPerStatement = 100

function* slices<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += runsPerStatement)
    yield items.slice(start, start + runsPerStatement)
}

/** Who works on which run. */
export class RunQueue {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async claim(options: { lease: string; now: number; until: number }): Promise<ClaimedRun | undefined> {
    // Looked at first: an idle server should not write.
    if (!(await this.#database.get('SELECT 1 AS one FROM runs WHERE due_at <= ? LIMIT 1', options.now)))
      return undefined
    return this.#database.transaction(transaction => this.#take(transaction, options))
  }

  async #take(
    transaction: Transaction,
    { lease, now, until }: { lease: string; now: number; until: number },
  ): Promise<ClaimedRun | undefined> {
    const row = await transaction.get<RunRow & { workspace_id: string }>(
      `SELECT workspace_id, ${runColumns} FROM runs WHERE due_at <= ? ORDER BY due_at LIMIT 1 ${this.#database.forClaim}`,
      now,
    )
    if (!row) return undefined
    await transaction.run(
      `UPDATE runs SET status = 'running', claims = claims + 1, lease = ?, due_at = ? WHERE workspace_id = ? AND id = ?`,
      lease,
      until,
      row.workspace_id,
      row.id,
    )
    return {
      workspaceId: row.workspace_id,
      run: { ...recordOf(row), status: 'running', claims: row.claims + 1 },
    }
  }

  claimWaiting(
    workspaceId: string,
    id: string,
    { lease, until, reply, chatId }: { lease: string; until: number; reply: string; chatId: string },
  ): Promise<RunRecord | undefined> {
    return this.#database.transaction(async transaction => {
      const row = await transaction.get<RunRow>(
        // Where the answer is no turn of its own, the run works on for the turn that made it wait.
        `UPDATE runs SET status = 'running', lease = ?, due_at = ?, settled_at = NULL, reply = ?,
           chat_id = COALESCE(NULLIF(?, ''), chat_id)
         WHERE workspace_id = ? AND id = ? AND status = 'waiting' RETURNING ${runColumns}`,
        lease,
        until,
        reply,
        chatId,
        workspaceId,
        id,
      )
      return row && recordOf(row)
    })
  }

  async renew(holds: readonly RunLease[], until: number): Promise<{ stop: string[]; lost: string[] }> {
    if (holds.length === 0) return { stop: [], lost: [] }
    return this.#database.transaction(async transaction => {
      const stop: string[] = []
      const lost: string[] = []
      for (const some of slices(holds)) {
        const rows = await transaction.all<{ workspace_id: string; id: string; stop_requested: number }>(
          `UPDATE runs SET due_at = ? WHERE (workspace_id, id, lease) IN (VALUES ${some.map(() => '(?, ?, ?)').join(', ')})
           RETURNING workspace_id, id, stop_requested`,
          until,
          ...some.flatMap(({ workspaceId, runId, lease }) => [workspaceId, runId, lease]),
        )
        const kept = new Set(rows.map(row => `${row.workspace_id} ${row.id}`))
        for (const row of rows) if (row.stop_requested === 1) stop.push(row.id)
        for (const { workspaceId, runId } of some) if (!kept.has(`${workspaceId} ${runId}`)) lost.push(runId)
      }
      return { stop, lost }
    })
  }

  async release(hold: RunLease, now: number): Promise<void> {
    await this.#database.transaction(transaction =>
      transaction.run(
        `UPDATE runs SET status = 'queued', lease = NULL, due_at = ? WHERE workspace_id = ? AND id = ? AND lease = ?`,
        now,
        hold.workspaceId,
        hold.runId,
        hold.lease,
      ),
    )
  }

  async nextDue(): Promise<number | undefined> {
    const row = await this.#database.get<{ due_at: number | null }>(
      'SELECT MIN(due_at) AS due_at FROM runs WHERE due_at IS NOT NULL',
    )
    return row?.due_at ?? undefined
  }

  async leases(): Promise<string[]> {
    const rows = await this.#database.all<{ lease: string }>(
      'SELECT DISTINCT lease FROM runs WHERE due_at IS NOT NULL AND lease IS NOT NULL',
    )
    return rows.map(row => row.lease)
  }

  async expire(leases: readonly string[], now: number): Promise<void> {
    if (leases.length === 0) return
    await this.#database.transaction(async transaction => {
      for (const some of slices(leases))
        await transaction.run(
          `UPDATE runs SET due_at = ? WHERE due_at IS NOT NULL AND lease IN (${marks(some.length)})`,
          now,
          ...some,
        )
    })
  }
}
