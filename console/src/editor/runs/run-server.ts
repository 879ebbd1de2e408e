import { call } from '../../api/call.ts'
import type { CallInput } from '../../api/operations.ts'
import { stream } from '../../api/stream.ts'
import type { RunEvent } from './apply-run-event.ts'
import type { RunDetails, RunStatus } from './run-view.ts'

export type TrialRequest = CallInput<'POST /api/v1/workflow/debug'>['body']
/** Runs a workflow, or one of its nodes. */
export type StartRequest = CallInput<'POST /api/v1/workflow/run'>['body'] | TrialRequest

/** The server calls that watching a run needs. */
export interface RunServer {
  start(request: StartRequest, signal: AbortSignal): AsyncIterable<RunEvent>
  events(runId: string, after: number, signal: AbortSignal): AsyncIterable<RunEvent>
  resume(
    runId: string,
    answer: string,
    files: readonly string[],
    signal: AbortSignal,
  ): AsyncIterable<RunEvent>
  stop(runId: string): Promise<{ status: RunStatus }>
  details(runId: string, signal: AbortSignal): Promise<RunDetails>
  pause(milliseconds: number, signal: AbortSignal): Promise<void>
}

const freshKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')

/** The real server. */
export function runServer(): RunServer {
  // With the same idempotency key, a repeated request finds the run it has started before.
  const keys = new WeakMap<StartRequest, string>()
  const keyOf = (request: StartRequest): string => {
    const key = keys.get(request) ?? freshKey()
    keys.set(request, key)
    return key
  }
  return {
    start: (request, signal) => {
      const given = { headers: { 'idempotency-key': keyOf(request) }, signal }
      return 'node_id' in request
        ? stream('POST /api/v1/workflow/debug', { body: { ...request, stream: 1 }, ...given })
        : stream('POST /api/v1/workflow/run', { body: { ...request, stream: 1 }, ...given })
    },
    events: (runId, after, signal) =>
      stream('GET /api/v1/workflow/runs/{run_id}/events', {
        params: { run_id: runId },
        query: {},
        headers: { 'last-event-id': String(after) },
        signal,
      }),
    resume: (runId, answer, files, signal) =>
      stream('POST /api/v1/workflow/runs/{run_id}/resume', {
        params: { run_id: runId },
        body: { answer, stream: 1, ...(files.length > 0 && { files: [...files] }) },
        signal,
      }),
    stop: runId => call('POST /api/v1/workflow/runs/{run_id}/stop', { params: { run_id: runId } }),
    details: (runId, signal) =>
      call('GET /api/v1/workflow/runs/{run_id}', { params: { run_id: runId }, signal }),
    pause: (milliseconds, signal) =>
      new Promise(resolve => {
        const timer = setTimeout(resolve, milliseconds)
        signal.addEventListener('abort', () => {
          clearTimeout(timer)
          resolve()
        })
      }),
  }
}
