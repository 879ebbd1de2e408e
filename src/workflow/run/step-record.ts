import type { Outputs, StepFailure, Wait } from '../step.ts'
import type { RunJournal } from './journal.ts'
import type { PlannedNode } from './plan.ts'
import type { UnsentMessage } from './run-context.ts'
import type { StepRecord, StepStatus } from './run-records.ts'

/**
 * Identifies a step of a run: the id of its node, after the steps around it where it runs inside another workflow. A
 * slash in an id is written as `~1` and a tilde as `~0`, as in a JSON pointer, so that paths are unique.
 */
export const stepPath = (prefix: string, nodeId: string): string =>
  prefix + (/[~/]/.test(nodeId) ? nodeId.replaceAll('~', '~0').replaceAll('/', '~1') : nodeId)

/** The id of the node that a path ends with. */
export const nodeOfPath = (path: string): string =>
  path
    .slice(path.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')

/** What the engine stores about a step besides its outputs, to continue after a crash or a wait. */
export interface StepState {
  case?: string | undefined
  assign?: Readonly<Record<string, unknown>> | undefined
  wait?: Wait | undefined
  /** How many questions it has asked. */
  asked?: number | undefined
  /** How a failure was handled. */
  handled?: 'skip' | 'default'
  /** Messages that are not sent yet, because those of earlier nodes come first. */
  unsaid?: readonly UnsentMessage[] | undefined
}

export const readState = (text: string | undefined): StepState =>
  text === undefined ? {} : (JSON.parse(text) as StepState)

function writeState(state: StepState): string | undefined {
  const text = JSON.stringify(state)
  return text === '{}' ? undefined : text
}

/** What a record and an event tell about a step. */
export interface StepFacts {
  readonly node: PlannedNode
  readonly path: string
  readonly startedAt: number
  readonly starts: number
  readonly asked: number
  readonly attempts: number
  readonly inputs: Readonly<Record<string, unknown>>
  readonly promptTokens: number
  readonly completionTokens: number
  readonly resumedFrom: Wait | undefined
}

function recordOf(step: StepFacts, status: StepStatus, state: StepState): StepRecord {
  const inputs = JSON.stringify(step.inputs)
  return {
    path: step.path,
    kind: step.node.kind.kind,
    title: step.node.title,
    status,
    attempts: step.attempts,
    starts: step.starts,
    promptTokens: step.promptTokens,
    completionTokens: step.completionTokens,
    startedAt: step.startedAt,
    finishedAt: undefined,
    error: undefined,
    state: writeState(state),
    inputs: inputs === '{}' ? undefined : inputs,
    outputs: undefined,
  }
}

/**
 * A running step, so that a process that takes over knows it was started; with the wait it resumed from, because a
 * crash now would lose the answer otherwise.
 */
export const runningRecord = (step: StepFacts): StepRecord =>
  recordOf(step, 'running', { asked: step.asked || undefined, wait: step.resumedFrom })

export const endRecord = (
  step: StepFacts,
  status: 'succeeded' | 'failed' | 'stopped',
  end: { outputs?: Outputs | undefined; state?: StepState; failure?: StepFailure | undefined; at: number },
): StepRecord => ({
  ...recordOf(step, status, { asked: step.asked || undefined, ...end.state }),
  outputs: end.outputs && JSON.stringify(end.outputs),
  error: end.failure && { reason: end.failure.reason, message: end.failure.message },
  finishedAt: end.at,
})

export const waitRecord = (step: StepFacts, wait: Wait, unsaid: StepState['unsaid']): StepRecord => ({
  ...recordOf(step, 'waiting', { unsaid, wait, asked: step.asked + 1 }),
  // This start ended properly and does not count as interrupted.
  starts: step.starts - 1,
})

/** A step that was skipped; or one that certainly was not started yet, for the process that takes over. */
export const untouchedRecord = (
  node: PlannedNode,
  path: string,
  at: number,
  status: 'skipped' | 'running',
): StepRecord => ({
  path,
  kind: node.kind.kind,
  title: node.title,
  status,
  attempts: 0,
  starts: 0,
  promptTokens: 0,
  completionTokens: 0,
  startedAt: at,
  finishedAt: status === 'skipped' ? at : undefined,
  error: undefined,
  state: undefined,
  inputs: undefined,
  outputs: undefined,
})

/** Larger outputs are left out of events. */
const eventOutputLength = 16 << 10

/** `isRepeated`: it may have been started before, by the previous lease holder. */
export function emitStarted(journal: RunJournal, { node, path }: StepFacts, isRepeated: boolean): void {
  journal.event('node.started', { node_id: path, kind: node.kind.kind, title: node.title, attempt: 1 })
  // Pieces of its text may have been sent then.
  if (isRepeated && node.kind.streams) journal.event('node.delta', { node_id: path, text: '', reset: true })
}

export function emitFailure(
  journal: RunJournal,
  step: StepFacts,
  { reason, message }: StepFailure,
  willRetry: boolean,
): void {
  const { path, attempts } = step
  journal.event('node.failed', { node_id: path, reason, message, attempt: attempts, will_retry: willRetry })
}

export function emitFinished(
  journal: RunJournal,
  step: StepFacts,
  record: StepRecord,
  outputs: Outputs | undefined,
): void {
  const isShown = record.outputs !== undefined && record.outputs.length <= eventOutputLength
  const { promptTokens, completionTokens } = step
  journal.event('node.finished', {
    node_id: step.path,
    status: record.status,
    ...(isShown && { outputs }),
    elapsed_ms: (record.finishedAt ?? step.startedAt) - step.startedAt,
    ...(promptTokens + completionTokens > 0 && {
      usage: { prompt_tokens: promptTokens, completion_tokens: completionTokens },
    }),
  })
}
