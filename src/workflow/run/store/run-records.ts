import type { Leased } from '../../../cluster/lease-table.ts'
import type { Reason } from '../../../contract/error-codes.ts'
import { limits } from '../../../contract/limits.ts'
import { Columns } from '../../../database/sql.ts'
import { flag, integer, json, optional, type RowOf, real, table, text } from '../../../database/table.ts'

export type RunStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'stopped'
export type StepStatus = 'running' | 'waiting' | 'succeeded' | 'skipped' | 'failed' | 'stopped'

/** What started a run: a program, a turn of a conversation, the test of one node, or a trigger. */
export type RunTrigger = 'run' | 'chat' | 'debug' | 'schedule' | 'webhook'

export interface RunError {
  reason: Reason
  message: string
  /** The path of the step that failed, if one did. */
  step?: string
}

/** The question of a step that the run waits for. */
export interface OpenQuestion {
  readonly path: string
  readonly question: string
  readonly options: readonly string[]
  /** Which question of this step it is, from 1. */
  readonly ordinal: number
  /** Why it is open again: the previous answer was lost in a failure that may pass. */
  readonly failure?: RunError | undefined
}

/** Text columns that do not apply to a run are empty. */
export const runs = table('runs', {
  workspaceId: text(),
  id: text(),
  triggeredBy: text<RunTrigger>(),
  /** The workflow that it runs; empty if the graph was sent with the request. */
  workflowId: text(),
  /** 0 if the graph was sent with the request. */
  version: integer(),
  /** The newest version when it started, if that one could not run. */
  skippedVersion: optional(integer()),
  agentId: text(),
  conversationId: text(),
  userId: text(),
  /** The turn that it works for. */
  chatId: text(),
  /** The schedule or webhook that started it. */
  triggerId: text(),
  status: text<RunStatus>(),
  lease: optional(text()),
  /** When it may be claimed: the end of its lease, or at once while it is queued. */
  dueAt: optional(integer()),
  /** When it ended or started to wait. */
  settledAt: optional(integer()),
  stopRequested: flag(),
  /** How many processes have started to work on it: 1 without a crash. */
  claims: integer(),
  /** The number of the last stored event. */
  sequence: integer(),
  writtenSteps: integer(),
  stepCount: integer(),
  promptTokens: integer(),
  completionTokens: integer(),
  /** By the prices of the models it has called, in their currency. */
  cost: real(),
  /** Without the time it waited for a person. */
  activeMilliseconds: integer(),
  createdAt: integer(),
  finishedAt: optional(integer()),
  error: optional(json<RunError>()),
  /** All messages of the run when it ended or started to wait. */
  answer: text(),
  /** The question that it waits for, or the last one that it has waited for. */
  waiting: optional(json<OpenQuestion>()),
  /** JSON of the answer to that. */
  reply: optional(text()),
  inputs: text(),
  /** JSON, or undefined while it runs. */
  outputs: optional(text()),
  /** The graph as JSON, if it was sent with the request. */
  graph: optional(text()),
  /** The beginning of the question. */
  question: text(),
  rerunOf: text(),
  /** The text that keywords are searched in; undefined until a background job has indexed the run. */
  search: optional(text()),
})
type RunRow = RowOf<typeof runs>

export const runTrigger = new Columns<{ trigger: RunTrigger }>('triggered_by AS "trigger"', [])

/** Not part of a record: who works on the run and when. */
export const leaseKeys = ['lease', 'dueAt', 'settledAt', 'stopRequested', 'writtenSteps', 'search'] as const
/** Not part of a summary, because they may be long. */
export const detailKeys = ['waiting', 'reply', 'inputs', 'outputs', 'graph'] as const

export type RunRecord = Omit<RunRow, 'workspaceId' | 'triggeredBy' | (typeof leaseKeys)[number]> & {
  trigger: RunTrigger
}
export type RunSummary = Omit<RunRecord, (typeof detailKeys)[number]>

/** Whether a process works on the run, or will. */
export const isActive = (status: RunStatus): boolean => status === 'running' || status === 'queued'

/** A lease that is not stored yet. */
export interface NewLease {
  lease: string
  until: number
}

type RunCounts = Pick<
  RunRow,
  'promptTokens' | 'completionTokens' | 'cost' | 'stepCount' | 'activeMilliseconds'
>

/** How a run ended, or that it waits. */
export interface RunPatch
  extends RunCounts,
    Pick<RunRow, 'answer' | 'outputs' | 'error' | 'waiting' | 'finishedAt'> {
  status: Exclude<RunStatus, 'queued' | 'running'>
}

/** `path` may hold characters that a text column cannot, so it is stored as JSON; `key` is short enough for an index. */
export const runSteps = table('run_steps', {
  workspaceId: text(),
  runId: text(),
  key: text(),
  /** The id of the node; inside another workflow, `<step>/<call>/<node>`. */
  path: json<string>(),
  /** The order in which steps were first written. */
  ordinal: integer(),
  kind: text(),
  title: text(),
  status: text<StepStatus>(),
  attempts: integer(),
  /** How often it was started without ending, including the current start. */
  starts: integer(),
  promptTokens: integer(),
  completionTokens: integer(),
  startedAt: integer(),
  finishedAt: optional(integer()),
  error: optional(json<RunError>()),
  /** JSON that only the engine reads: the chosen case, assigned memory, the question. */
  state: optional(text()),
  inputs: optional(text()),
  outputs: optional(text()),
})

export type StepRecord = Omit<RowOf<typeof runSteps>, 'workspaceId' | 'runId' | 'key' | 'ordinal'>

export const runEffects = table('run_effects', {
  workspaceId: text(),
  runId: text(),
  key: text(),
  path: json<string>(),
  name: json<string>(),
  /** JSON. */
  result: text(),
})

/** The result of something a step did `once`. */
export type EffectRecord = Pick<RowOf<typeof runEffects>, 'path' | 'name' | 'result'>

/** One row holds many events: a model writes a few characters at a time. */
export const runEvents = table('run_events', {
  workspaceId: text(),
  runId: text(),
  lastNumber: integer(),
  firstNumber: integer(),
  lines: text(),
})

/** Events in order, one JSON object per line, each with `seq`, `event` and `at`. */
export interface EventBatch {
  first: number
  last: number
  lines: string
}

/** Everything that becomes durable together. */
export interface JournalEntry {
  steps: readonly StepRecord[]
  effects: readonly EffectRecord[]
  events: EventBatch | undefined
  /** The end of the run, or its wait; writing it also releases the lease. */
  run: RunPatch | undefined
}

export interface RunKey {
  workspaceId: string
  runId: string
}

/** Proves that its holder may write to a run. */
export type RunLease = Leased<RunKey>

export interface RunFilter
  extends Partial<
    Pick<RunRow, 'workflowId' | 'agentId' | 'conversationId' | 'userId' | 'triggerId' | 'status'>
  > {
  /** Started at this time or later. */
  from?: number | undefined
  /** Started before this time. */
  to?: number | undefined
  /** Part of the question or the answer. */
  keyword?: string | undefined
}

/** A list shows how a question begins. PostgreSQL cannot store the null character, and neither database half a character. */
export const storedQuestion = (question: string): string =>
  question.slice(0, limits.indexedTextLength).replaceAll('\0', '\ufffd').toWellFormed()

/** A run that may be claimed: it is queued, and then has no lease, or its lease has expired. */
export type DueRun = Pick<RunRow, 'workspaceId' | 'id' | 'status' | 'lease'> & { dueAt: number }
