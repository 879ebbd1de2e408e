import type { Transaction } from '../../../database/database.ts'
import { indexedText, marks, type SqlValue } from '../../../database/sql.ts'
import { groupsOf } from '../../../kernel/groups-of.ts'
import type { EffectRecord, JournalEntry, RunError, RunLease, RunPatch, StepRecord } from './run-records.ts'
import { addUsage } from './usage-store.ts'

// These are the hottest writes of the server: plain statements, prepared once, with values in the order of columns.

const advance = 'written_steps = written_steps + ?, sequence = COALESCE(?, sequence)'
// A run that starts to wait has no end time; the end of its lease is close enough.
const settle = `${advance}, status = ?, answer = ?, outputs = ?, error = ?, waiting = ?, prompt_tokens = ?,
  completion_tokens = ?, cost = ?, step_count = ?, active_milliseconds = ?, finished_at = ?, lease = NULL,
  settled_at = COALESCE(?, due_at), due_at = NULL`

// The write itself checks the lease and returns the values that the other writes need, which saves a statement.
const held = (changes: string): string =>
  `UPDATE runs SET ${changes} WHERE workspace_id = ? AND id = ? AND lease = ?
   RETURNING written_steps, agent_id, workflow_id`
const advanceSql = held(advance)
const settleSql = held(settle)
// The previous reply does not answer the new question.
const waitSql = held(`${settle}, reply = NULL`)

/** PostgreSQL cannot store the null character. */
const storable = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text)

const jsonOrNull = (value: RunError | RunPatch['waiting']): string | null =>
  value === undefined ? null : JSON.stringify(value)

const patchValues = (run: RunPatch): SqlValue[] => [
  run.status,
  storable(run.answer),
  run.outputs ?? null,
  jsonOrNull(run.error),
  jsonOrNull(run.waiting),
  run.promptTokens,
  run.completionTokens,
  run.cost,
  run.stepCount,
  Math.round(run.activeMilliseconds),
  run.finishedAt ?? null,
  run.finishedAt ?? null,
]

/** False, and nothing is written, when the lease is lost. */
export async function writeJournal(
  transaction: Transaction,
  lease: RunLease,
  { steps, effects, events, run }: JournalEntry,
  shard: number,
): Promise<boolean> {
  const { workspaceId, runId } = lease
  const settling = run?.status === 'waiting' ? waitSql : settleSql
  const row = await transaction.get<{ written_steps: number; agent_id: string; workflow_id: string }>(
    run ? settling : advanceSql,
    steps.length,
    events?.last ?? null,
    ...(run ? patchValues(run) : []),
    workspaceId,
    runId,
    lease.lease,
  )
  if (!row) return false
  if (steps.length > 0) await upsertSteps(transaction, lease, steps, row.written_steps - steps.length)
  if (effects.length > 0) await insertEffects(transaction, lease, effects)
  if (run && run.answer.length > longAnswer)
    await transaction.run(previewSql, workspaceId, runId, answerPreviewKey, previewOf(run.answer))
  if (events) await transaction.run(eventsSql, workspaceId, runId, events.last, events.first, events.lines)
  if (run?.finishedAt !== undefined) {
    const { agent_id: agentId, workflow_id: workflowId } = row
    const { finishedAt } = run
    await addUsage(transaction, shard, { ...run, workspaceId, agentId, workflowId, finishedAt })
  }
  return true
}

/** A longer answer gets a row for its beginning, which lists show, because SQLite can only read whole values. */
const longAnswer = 5000
const previewLength = 1000
export const answerPreviewKey = 'answer'
/** UTF-8 has at most three bytes for a UTF-16 unit: an answer of more bytes has a preview. */
export const maxListedAnswerBytes = 3 * longAnswer
const previewSql = `INSERT INTO run_contents (workspace_id, run_id, key, body) VALUES (?, ?, ?, ?)
  ON CONFLICT (workspace_id, run_id, key) DO UPDATE SET body = excluded.body`
const previewOf = (answer: string): string => storable(answer.slice(0, previewLength).toWellFormed())

// A commit is repeated if its answer was lost, so its events may already be stored.
const eventsSql = `INSERT INTO run_events (workspace_id, run_id, last_number, first_number, lines)
  VALUES (?, ?, ?, ?, ?) ON CONFLICT (workspace_id, run_id, last_number) DO NOTHING`

const rowsPerInsert = 64

const keyOf = (...names: string[]): string => indexedText(JSON.stringify(names))

const changing =
  'kind, title, status, attempts, starts, prompt_tokens, completion_tokens, started_at, finished_at, error, state, inputs, outputs'
const changes = changing
  .split(', ')
  .map(column => `${column} = excluded.${column}`)
  .join(', ')

/** Builds the upsert of a number of rows; the SQL for each number is built only once. */
function upsertOf(table: string, names: string, action: string): (count: number) => string {
  const texts: string[] = []
  const row = `(${marks(names.split(', ').length)})`
  return count => {
    texts[count] ??=
      `INSERT INTO ${table} (${names}) VALUES ${Array.from({ length: count }, () => row).join(', ')}
      ON CONFLICT (workspace_id, run_id, key) DO ${action}`
    return texts[count]
  }
}

const stepsSql = upsertOf(
  'run_steps',
  `workspace_id, run_id, key, path, ordinal, ${changing}`,
  `UPDATE SET ${changes}`,
)
const effectsSql = upsertOf('run_effects', 'workspace_id, run_id, key, path, name, result', 'NOTHING')

const stepValues = (lease: RunLease, key: string, ordinal: number, step: StepRecord): SqlValue[] => [
  lease.workspaceId,
  lease.runId,
  key,
  JSON.stringify(step.path),
  ordinal,
  step.kind,
  storable(step.title),
  step.status,
  step.attempts,
  step.starts,
  step.promptTokens,
  step.completionTokens,
  step.startedAt,
  step.finishedAt ?? null,
  jsonOrNull(step.error),
  step.state ?? null,
  step.inputs ?? null,
  step.outputs ?? null,
]

/** New steps are numbered from `firstOrdinal` on; a known step keeps its number. */
async function upsertSteps(
  transaction: Transaction,
  lease: RunLease,
  steps: readonly StepRecord[],
  firstOrdinal: number,
): Promise<void> {
  // One statement may change a row only once; the last record of a step counts.
  const rows = new Map<string, SqlValue[]>()
  for (const [index, step] of steps.entries()) {
    const key = keyOf(step.path)
    rows.set(key, stepValues(lease, key, firstOrdinal + index, step))
  }
  await insertRows(transaction, [...rows.values()], stepsSql)
}

/** If an effect is already stored, its first result stays. */
async function insertEffects(
  transaction: Transaction,
  { workspaceId, runId }: RunLease,
  effects: readonly EffectRecord[],
): Promise<void> {
  const rows = effects.map(({ path, name, result }) => [
    workspaceId,
    runId,
    keyOf(path, name),
    JSON.stringify(path),
    JSON.stringify(name),
    result,
  ])
  await insertRows(transaction, rows, effectsSql)
}

async function insertRows(
  transaction: Transaction,
  rows: SqlValue[][],
  statement: (count: number) => string,
): Promise<void> {
  for (const batch of groupsOf(rows, rowsPerInsert))
    await transaction.run(statement(batch.length), ...batch.flat())
}
