import { hash } from 'node:crypto'
import type { Reader, Transaction } from '../../database/database.ts'
import type { SqlValue } from '../../database/sql.ts'
import { marks } from '../../database/sql.ts'
import type { EffectRecord, RunLease, StepRecord, StepStatus } from '../../workflow/run/run-store.ts'
import { errorOf, errorText, storable } from './run-rows.ts'

interface StepRow {
  path: string
  kind: string
  title: string
  status: string
  attempts: number
  starts: number
  prompt_tokens: number
  completion_tokens: number
  started_at: number
  finished_at: number | null
  error: string | null
  state: string | null
  inputs: string | null
  outputs: string | null
}

const rowsPerInsert = 64

/** An index holds only so much of a text; what is longer is told apart by its hash. */
const keyLength = 200

function keyOf(...names: string[]): string {
  const text = JSON.stringify(names)
  if (text.length <= keyLength) return text
  return `${text.slice(0, keyLength - 50).toWellFormed()}…${hash('sha256', text, 'base64url')}`
}

const changing =
  'kind, title, status, attempts, starts, prompt_tokens, completion_tokens, started_at, finished_at, error, state, inputs, outputs'
const columns = `workspace_id, run_id, key, path, ordinal, ${changing}`
const changes = changing
  .split(', ')
  .map(column => `${column} = excluded.${column}`)
  .join(', ')

/** An upsert of so many rows. Made once for each count: this is the hottest write of all. */
function upsertOf(table: string, names: string, action: string): (count: number) => string {
  const made: string[] = []
  const row = `(${marks(names.split(', ').length)})`
  return count => {
    made[count] ??=
      `INSERT INTO ${table} (${names}) VALUES ${Array.from({ length: count }, () => row).join(', ')}
      ON CONFLICT (workspace_id, run_id, key) DO ${action}`
    return made[count]
  }
}

const stepsSql = upsertOf('run_steps', columns, `UPDATE SET ${changes}`)
const effectsSql = upsertOf('run_effects', 'workspace_id, run_id, key, path, name, result', 'NOTHING')

const stepValues = (hold: RunLease, key: string, ordinal: number, step: StepRecord): SqlValue[] => [
  hold.workspaceId,
  hold.runId,
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
  errorText(step.error),
  step.state ?? null,
  step.inputs ?? null,
  step.outputs ?? null,
]

/** The numbers from `firstOrdinal` on tell in which order new steps came; one that is known keeps its number. */
export async function upsertSteps(
  transaction: Transaction,
  hold: RunLease,
  steps: readonly StepRecord[],
  firstOrdinal: number,
): Promise<void> {
  // One statement may touch a row only once, and what was handed over last is what holds.
  const rows = new Map<string, SqlValue[]>()
  for (const [index, step] of steps.entries()) {
    const key = keyOf(step.path)
    rows.set(key, stepValues(hold, key, firstOrdinal + index, step))
  }
  await insertRows(transaction, [...rows.values()], stepsSql)
}

/** What was done once is not done again: a second result is not taken. */
export async function insertEffects(
  transaction: Transaction,
  hold: RunLease,
  effects: readonly EffectRecord[],
): Promise<void> {
  const rows = effects.map(({ path, name, result }) => [
    hold.workspaceId,
    hold.runId,
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
  for (let start = 0; start < rows.length; start += rowsPerInsert) {
    const some = rows.slice(start, start + rowsPerInsert)
    await transaction.run(statement(some.length), ...some.flat())
  }
}

export async function readSteps(reader: Reader, workspaceId: string, runId: string): Promise<StepRecord[]> {
  const rows = await reader.all<StepRow>(
    `SELECT path, ${changing} FROM run_steps WHERE workspace_id = ? AND run_id = ? ORDER BY started_at, ordinal`,
    workspaceId,
    runId,
  )
  return rows.map(row => ({
    path: JSON.parse(row.path) as string,
    kind: row.kind,
    title: row.title,
    status: row.status as StepStatus,
    inputs: row.inputs ?? undefined,
    outputs: row.outputs ?? undefined,
    state: row.state ?? undefined,
    error: errorOf(row.error),
    attempts: row.attempts,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    startedAt: row.started_at,
    finishedAt: row.finished_at ?? undefined,
    starts: row.starts,
  }))
}

export async function readEffects(
  reader: Reader,
  workspaceId: string,
  runId: string,
): Promise<EffectRecord[]> {
  const rows = await reader.all<EffectRecord>(
    'SELECT path, name, result FROM run_effects WHERE workspace_id = ? AND run_id = ?',
    workspaceId,
    runId,
  )
  return rows.map(({ path, name, result }) => ({
    path: JSON.parse(path) as string,
    name: JSON.parse(name) as string,
    result,
  }))
}
