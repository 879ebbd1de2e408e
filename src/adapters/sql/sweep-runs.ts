import type { Database, Transaction } from '../../database/database.ts'

/** So many runs, and about so many events of theirs, go in one transaction: nobody waits long for it. */
const runsPerTransaction = 50
const eventsPerTransaction = 5000

const tables = ['run_steps', 'run_effects', 'run_events', 'run_contents']

interface SettledRow {
  workspace_id: string
  id: string
  sequence: number
}

const settled = 'SELECT workspace_id, id, sequence FROM runs WHERE settled_at < ? ORDER BY settled_at'

/** Removes runs that ended, or began to wait, before that time; so many at most. Tells how many. */
export async function sweepRuns(database: Database, before: number, limit: number): Promise<number> {
  let removed = 0
  while (removed < limit) {
    const most = Math.min(limit - removed, runsPerTransaction)
    // Looked at first: an idle server should not write.
    if (!(await database.get(`${settled} LIMIT 1`, before))) break
    const count = await database.transaction(async transaction => {
      const rows = await transaction.all<SettledRow>(`${settled} LIMIT ${most} ${database.forClaim}`, before)
      const some = fitting(rows)
      if (some.length > 0) await remove(transaction, some)
      return some.length
    })
    // What is left is being taken by somebody else right now.
    if (count === 0) break
    removed += count
  }
  return removed
}

/** A run may have a handful of events or many thousands. One is always taken. */
function fitting(rows: SettledRow[]): SettledRow[] {
  let events = 0
  return rows.filter((row, index) => {
    events += row.sequence
    return index === 0 || events <= eventsPerTransaction
  })
}

async function remove(transaction: Transaction, rows: SettledRow[]): Promise<void> {
  const pairs = `(VALUES ${rows.map(() => '(?, ?)').join(', ')})`
  const parameters = rows.flatMap(row => [row.workspace_id, row.id])
  for (const table of tables)
    await transaction.run(`DELETE FROM ${table} WHERE (workspace_id, run_id) IN ${pairs}`, ...parameters)
  await transaction.run(`DELETE FROM runs WHERE (workspace_id, id) IN ${pairs}`, ...parameters)
}
