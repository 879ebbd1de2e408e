import type { Outputs, StepFailure } from '../step.ts'
import type { RunContext } from './run-context.ts'
import type { StepRecord } from './run-store.ts'
import type { StepRun } from './step-run.ts'

/** Outputs beyond this are not told in events. */
const toldOutputLength = 16 << 10

/** `isAgain`: it may have been begun before, by whoever had the run then. */
export function tellStarted({ journal }: RunContext, run: StepRun, isAgain: boolean): void {
  const { kind } = run.node
  journal.event('node.started', { node_id: run.path, kind: kind.kind, title: run.node.title, attempt: 1 })
  // Pieces of what it writes may have been told then.
  if (isAgain && kind.streams) journal.event('node.delta', { node_id: run.path, text: '', reset: true })
}

export function tellFailure(
  { journal }: RunContext,
  run: StepRun,
  failure: StepFailure,
  willRetry: boolean,
): void {
  journal.event('node.failed', {
    node_id: run.path,
    reason: failure.reason,
    message: failure.message,
    attempt: run.attempts,
    will_retry: willRetry,
  })
}

export function tellFinished(
  { journal }: RunContext,
  run: StepRun,
  record: StepRecord,
  outputs: Outputs | undefined,
): void {
  const isTold = record.outputs !== undefined && record.outputs.length <= toldOutputLength
  const { promptTokens, completionTokens } = run
  journal.event('node.finished', {
    node_id: run.path,
    status: record.status,
    ...(isTold && { outputs }),
    elapsed_ms: (record.finishedAt ?? run.startedAt) - run.startedAt,
    ...(promptTokens + completionTokens > 0 && {
      usage: { prompt_tokens: promptTokens, completion_tokens: completionTokens },
    }),
  })
}
