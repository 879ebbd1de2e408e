import { AppError } from '../kernel/app-error.ts'
import type { RunRecord } from '../workflow/run/run-store.ts'
import type { Runs } from '../workflow/run/runs.ts'

export const isGone = (error: unknown): boolean => error instanceof AppError && error.reason === 'not_found'

export const isAtWork = ({ status }: RunRecord): boolean => status === 'queued' || status === 'running'

/** Undefined where it never began, or was forgotten. */
export async function findRun(
  runs: Runs,
  workspaceId: string,
  runId: string,
): Promise<RunRecord | undefined> {
  try {
    return await runs.get(workspaceId, runId)
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

/** Rejects with the signal's reason as soon as it is aborted, whatever the promise does. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/**
 * The run as it stands when it ends or waits. A turn ends a moment before its run does, because the journal is written
 * last: whoever needs the run itself has to wait for that.
 */
export async function settledRun(
  runs: Runs,
  workspaceId: string,
  runId: string,
  signal: AbortSignal,
): Promise<RunRecord | undefined> {
  const run = await findRun(runs, workspaceId, runId)
  if (!run || !isAtWork(run)) return run
  await unlessAborted(runs.settled(workspaceId, runId, signal), signal).catch((error: unknown) => {
    signal.throwIfAborted()
    if (!isGone(error)) throw error
  })
  return findRun(runs, workspaceId, runId)
}
