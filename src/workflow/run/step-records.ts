import type { Outputs, StepFailure, Wait } from '../step.ts'
import type { PlannedNode } from './plan.ts'
import type { StepRecord } from './run-store.ts'
import type { StepRun } from './step-run.ts'
import { type StepState, writeState } from './step-state.ts'

const base = (run: StepRun): Omit<StepRecord, 'status' | 'outputs' | 'state' | 'error' | 'finishedAt'> => ({
  path: run.path,
  kind: run.node.kind.kind,
  title: run.node.title,
  inputs: Object.keys(run.inputs).length === 0 ? undefined : JSON.stringify(run.inputs),
  attempts: run.attempts,
  ...run.spent,
  startedAt: run.startedAt,
  starts: run.starts,
})

/** A step under way, so that a process that takes over knows it was begun. */
export const runningRecord = (run: StepRun): StepRecord => ({
  ...base(run),
  status: 'running',
  outputs: undefined,
  // With what it was answered to: else a crash now would lose the answer.
  state: writeState({
    ...(run.asked > 0 && { asked: run.asked }),
    ...(run.resumedFrom && { wait: run.resumedFrom }),
  }),
  error: undefined,
  finishedAt: undefined,
})

export const endRecord = (
  run: StepRun,
  status: 'succeeded' | 'failed' | 'stopped',
  end: { outputs?: Outputs | undefined; state?: StepState; failure?: StepFailure | undefined; at: number },
): StepRecord => ({
  ...base(run),
  status,
  outputs: end.outputs && JSON.stringify(end.outputs),
  state: writeState({ ...(run.asked > 0 && { asked: run.asked }), ...end.state }),
  error: end.failure && { reason: end.failure.reason, message: end.failure.message },
  finishedAt: end.at,
})

export const waitRecord = (run: StepRun, wait: Wait, state: StepState): StepRecord => ({
  ...base(run),
  status: 'waiting',
  outputs: undefined,
  state: writeState({ ...state, wait, asked: run.asked + 1 }),
  error: undefined,
  finishedAt: undefined,
  // It ended well, as far as it got.
  starts: run.starts - 1,
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

/** A step that surely was not begun, told to whoever takes over. */
export const queuedRecord = (node: PlannedNode, path: string, at: number): StepRecord => ({
  ...untouched(node, path, at),
  status: 'running',
  finishedAt: undefined,
})
