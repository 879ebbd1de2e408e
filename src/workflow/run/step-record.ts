import type { Outputs, StepFailure, Wait } from '../step.ts'
import type { Journal } from './journal.ts'
import type { PlannedNode } from './plan.ts'
import type { UnsentMessage } from './run-context.ts'
import type { StepRecord } from './run-records.ts'

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
  case?: string
  assign?: Readonly<Record<string, unknown>>
  wait?: Wait
  /** How many questions it has asked. */
  asked?: number
  /** How a failure was handled. */
  handled?: 'skip' | 'default'
  /** Messages that are not sent yet, because those of earlier nodes come first. */
  unsaid?: readonly UnsentMessage[]
}

export const readState = (text: string | undefined): StepState =>
  text === undefined ? {} : (JSON.parse(text) as StepState)

function writeState(state: StepState): string | undefined {
  return Object.keys(state).length === 0 ? undefined : JSON.stringify(state)
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
  readonly spent: { readonly promptTokens: number; readonly completionTokens: number }
  readonly resumedFrom: Wait | undefined
}

const base = (
  step: StepFacts,
): Omit<StepRecord, 'status' | 'outputs' | 'state' | 'error' | 'finishedAt'> => ({
  path: step.path,
  kind: step.node.kind.kind,
  title: step.node.title,
  inputs: Object.keys(step.inputs).length === 0 ? undefined : JSON.stringify(step.inputs),
  attempts: step.attempts,
  ...step.spent,
  startedAt: step.startedAt,
  starts: step.starts,
})

/** A running step, so that a process that takes over knows it was started. */
export const runningRecord = (step: StepFacts): StepRecord => ({
  ...base(step),
  status: 'running',
  outputs: undefined,
  // With the wait it resumed from: a crash now would lose the answer otherwise.
  state: writeState({
    ...(step.asked > 0 && { asked: step.asked }),
    ...(step.resumedFrom && { wait: step.resumedFrom }),
  }),
  error: undefined,
  finishedAt: undefined,
})

export const endRecord = (
  step: StepFacts,
  status: 'succeeded' | 'failed' | 'stopped',
  end: { outputs?: Outputs | undefined; state?: StepState; failure?: StepFailure | undefined; at: number },
): StepRecord => ({
  ...base(step),
  status,
  outputs: end.outputs && JSON.stringify(end.outputs),
  state: writeState({ ...(step.asked > 0 && { asked: step.asked }), ...end.state }),
  error: end.failure && { reason: end.failure.reason, message: end.failure.message },
  finishedAt: end.at,
})

export const waitRecord = (step: StepFacts, wait: Wait, state: StepState): StepRecord => ({
  ...base(step),
  status: 'waiting',
  outputs: undefined,
  state: writeState({ ...state, wait, asked: step.asked + 1 }),
  error: undefined,
  finishedAt: undefined,
  // This start ended properly and does not count as interrupted.
  starts: step.starts - 1,
})

const untouched = (
  node: PlannedNode,
  path: string,
  at: number,
): Omit<StepRecord, 'status' | 'finishedAt'> => ({
  path,
  kind: node.kind.kind,
  title: node.title,
  inputs: undefined,
  outputs: undefined,
  state: undefined,
  error: undefined,
  attempts: 0,
  promptTokens: 0,
  completionTokens: 0,
  startedAt: at,
  starts: 0,
})

export const skipRecord = (node: PlannedNode, path: string, at: number): StepRecord => ({
  ...untouched(node, path, at),
  status: 'skipped',
  finishedAt: at,
})

/** A step that certainly was not started yet, for the process that takes over. */
export const queuedRecord = (node: PlannedNode, path: string, at: number): StepRecord => ({
  ...untouched(node, path, at),
  status: 'running',
  finishedAt: undefined,
})

/** Larger outputs are left out of events. */
const eventOutputLength = 16 << 10

/** `isRepeated`: it may have been started before, by the previous lease holder. */
export function emitStarted(journal: Journal, { node, path }: StepFacts, isRepeated: boolean): void {
  journal.event('node.started', { node_id: path, kind: node.kind.kind, title: node.title, attempt: 1 })
  // Pieces of its text may have been sent then.
  if (isRepeated && node.kind.streams) journal.event('node.delta', { node_id: path, text: '', reset: true })
}

export function emitFailure(
  journal: Journal,
  step: StepFacts,
  { reason, message }: StepFailure,
  willRetry: boolean,
): void {
  const { path, attempts } = step
  journal.event('node.failed', { node_id: path, reason, message, attempt: attempts, will_retry: willRetry })
}

export function emitFinished(
  journal: Journal,
  step: StepFacts,
  record: StepRecord,
  outputs: Outputs | undefined,
): void {
  const isShown = record.outputs !== undefined && record.outputs.length <= eventOutputLength
  const { promptTokens, completionTokens } = step.spent
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
