import type { Transaction } from '../../database/database.ts'
import { marks } from '../../database/sql.ts'
import type {
  NewRun,
  OpenQuestion,
  RunError,
  RunRecord,
  RunStatus,
  RunSummary,
  RunTrigger,
} from '../../workflow/run/run-store.ts'

export interface SummaryRow {
  id: string
  triggered_by: string
  workflow_id: string
  version: number
  agent_id: string
  conversation_id: string
  user_id: string
  status: string
  step_count: number
  prompt_tokens: number
  completion_tokens: number
  active_milliseconds: number
  created_at: number
  finished_at: number | null
  error: string | null
  answer: string
}

export interface RunRow extends SummaryRow {
  chat_id: string
  claims: number
  sequence: number
  waiting: string | null
  reply: string | null
  inputs: string
  outputs: string | null
  graph: string | null
}

const summaryColumns =
  'id, triggered_by, workflow_id, version, agent_id, conversation_id, user_id, status, step_count, prompt_tokens, completion_tokens, active_milliseconds, created_at, finished_at, error, answer'

/** An answer may be as long as a book; a list shows how it begins. */
export const listedColumns = summaryColumns.replace(/answer$/, 'SUBSTR(answer, 1, 1000) AS answer')

export const runColumns = `${summaryColumns}, chat_id, claims, sequence, waiting, reply, inputs, outputs, graph`

/** What people and models write may hold the one character that PostgreSQL has no place for. */
export const storable = (text: string): string =>
  text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text

export const errorText = (error: RunError | undefined): string | null =>
  error === undefined ? null : JSON.stringify(error)

export const errorOf = (text: string | null): RunError | undefined =>
  text === null ? undefined : (JSON.parse(text) as RunError)

export const summaryOf = (row: SummaryRow): RunSummary => ({
  id: row.id,
  trigger: row.triggered_by as RunTrigger,
  workflowId: row.workflow_id,
  version: row.version,
  agentId: row.agent_id,
  conversationId: row.conversation_id,
  userId: row.user_id,
  status: row.status as RunStatus,
  answer: row.answer,
  error: errorOf(row.error),
  promptTokens: row.prompt_tokens,
  completionTokens: row.completion_tokens,
  stepCount: row.step_count,
  activeMilliseconds: row.active_milliseconds,
  createdAt: row.created_at,
  finishedAt: row.finished_at ?? undefined,
})

export const recordOf = (row: RunRow): RunRecord => ({
  ...summaryOf(row),
  chatId: row.chat_id,
  graph: row.graph ?? undefined,
  inputs: row.inputs,
  outputs: row.outputs ?? undefined,
  waiting: row.waiting === null ? undefined : (JSON.parse(row.waiting) as OpenQuestion),
  reply: row.reply ?? undefined,
  sequence: row.sequence,
  claims: row.claims,
})

const insertSql = `INSERT INTO runs (workspace_id, id, triggered_by, workflow_id, version, agent_id, conversation_id, user_id,
    chat_id, lease, due_at, created_at, inputs, graph, status, answer, claims, stop_requested, sequence, written_steps,
    step_count, prompt_tokens, completion_tokens, active_milliseconds)
  VALUES (${marks(14)}, 'running', '', 1, 0, 0, 0, 0, 0, 0, 0)`

export async function insertRun(transaction: Transaction, workspaceId: string, run: NewRun): Promise<void> {
  await transaction.run(
    insertSql,
    workspaceId,
    run.id,
    run.trigger,
    run.workflowId,
    run.version,
    run.agentId,
    run.conversationId,
    run.userId,
    run.chatId,
    run.lease,
    run.leaseUntil,
    run.createdAt,
    run.inputs,
    run.graph ?? null,
  )
}
