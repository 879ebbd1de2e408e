import type { Transaction } from '../../database/database.ts'
import type { SqlValue } from '../../database/sql.ts'
import type { JournalEntry, RunLease, RunPatch, RunStatus } from '../../workflow/run/run-store.ts'
import { errorText, storable } from './run-rows.ts'
import { insertEffects, upsertSteps } from './run-step-rows.ts'
import { addUsage } from './usage-rows.ts'

interface HeldRow {
  written_steps: number
  agent_id: string
  workflow_id: string
}

const advance = 'written_steps = written_steps + ?, sequence = COALESCE(?, sequence)'
const patch = `${advance}, status = ?, answer = ?, outputs = ?, error = ?, waiting = ?, prompt_tokens = ?,
  completion_tokens = ?, step_count = ?, active_milliseconds = ?, finished_at = ?`
// Nobody tells when a run began to wait; the end of the lease that it gives back is close enough.
const settle = `${patch}, lease = NULL, settled_at = COALESCE(?, due_at), due_at = NULL`

// The lease is checked by the write itself, and what the other writes need comes back with it: one statement less.
const held = (changes: string): string =>
  `UPDATE runs SET ${changes} WHERE workspace_id = ? AND id = ? AND lease = ?
   RETURNING written_steps, agent_id, workflow_id`
const advanceSql = held(advance)
const patchSql = held(patch)
const settleSql = held(settle)
// What was answered before is no answer to what it asks now.
const waitSql = held(`${settle}, reply = NULL`)

function updateSql(status: RunStatus | undefined): string {
  if (status === undefined) return advanceSql
  if (status === 'running') return patchSql
  return status === 'waiting' ? waitSql : settleSql
}

const patchValues = (run: RunPatch): SqlValue[] => [
  run.status,
  storable(run.answer),
  run.outputs ?? null,
  errorText(run.error),
  run.waiting ? JSON.stringify(run.waiting) : null,
  run.promptTokens,
  run.completionTokens,
  run.stepCount,
  Math.round(run.activeMilliseconds),
  run.finishedAt ?? null,
]

function updateHeld(
  transaction: Transaction,
  hold: RunLease,
  { steps, events, run }: JournalEntry,
): Promise<HeldRow | undefined> {
  const values: SqlValue[] = [steps.length, events?.last ?? null]
  if (run) values.push(...patchValues(run))
  if (run && run.status !== 'running') values.push(run.finishedAt ?? null)
  return transaction.get<HeldRow>(updateSql(run?.status), ...values, hold.workspaceId, hold.runId, hold.lease)
}

async function countUsage(
  transaction: Transaction,
  hold: RunLease,
  run: RunPatch,
  row: HeldRow,
  shard: number,
): Promise<void> {
  if (run.status === 'running' || run.status === 'waiting') return
  if (run.finishedAt === undefined) throw new Error('A run that has ended must tell when')
  await addUsage(transaction, shard, {
    workspaceId: hold.workspaceId,
    agentId: row.agent_id,
    workflowId: row.workflow_id,
    status: run.status,
    finishedAt: run.finishedAt,
    promptTokens: run.promptTokens,
    completionTokens: run.completionTokens,
    activeMilliseconds: Math.round(run.activeMilliseconds),
  })
}

/** False, and nothing is written, when the lease is lost. */
export async function writeJournal(
  transaction: Transaction,
  hold: RunLease,
  entry: JournalEntry,
  shard: number,
): Promise<boolean> {
  if (entry.run?.status === 'queued') throw new Error('A run is put back into the queue by release alone')
  const row = await updateHeld(transaction, hold, entry)
  if (!row) return false
  const { steps, effects, events, run } = entry
  if (steps.length > 0) await upsertSteps(transaction, hold, steps, row.written_steps - steps.length)
  if (effects.length > 0) await insertEffects(transaction, hold, effects)
  if (events)
    await transaction.run(
      'INSERT INTO run_events (workspace_id, run_id, last_number, first_number, lines) VALUES (?, ?, ?, ?, ?)',
      hold.workspaceId,
      hold.runId,
      events.last,
      events.first,
      events.lines,
    )
  if (run) await countUsage(transaction, hold, run, row, shard)
  return true
}
