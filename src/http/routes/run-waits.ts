import { limits } from '../../contract/limits.ts'
import { reusedKey } from '../../idempotency/idempotency-service.ts'
import type { RunEvent } from '../../workflow/run/run-event.ts'
import type { RunInputs, RunRequest } from '../../workflow/run/run-inputs.ts'
import type { LiveRun, Runs } from '../../workflow/run/run-service.ts'
import type { RunRecord } from '../../workflow/run/store/run-records.ts'
import type { ServerSentEvent } from '../event-stream.ts'
import { contentOnWire } from './conversation-on-wire.ts'

type MessageOnWire = ReturnType<typeof contentOnWire>

/** State of a run when the wait for it ends. */
export interface RunState {
  run: RunRecord
  messages: readonly MessageOnWire[]
}

/** How long to wait for a run; the wait also ends when the server stops. */
export interface RunWait {
  seconds: number | undefined
  stopping: AbortSignal
}

/** `undefined` after the timeout or on failure. A plain timer, because aborting a promise-based one is expensive. */
async function withinTime<Result>(work: Promise<Result>, { seconds, stopping }: RunWait) {
  const milliseconds = seconds === undefined ? limits.runWaitMilliseconds : seconds * 1000
  const { promise: timeout, resolve } = Promise.withResolvers<undefined>()
  const stopWaiting = (): void => resolve(undefined)
  const timer = setTimeout(stopWaiting, stopping.aborted ? 0 : milliseconds)
  stopping.addEventListener('abort', stopWaiting)
  try {
    return await Promise.race([work.catch(() => undefined), timeout])
  } finally {
    clearTimeout(timer)
    stopping.removeEventListener('abort', stopWaiting)
  }
}

/**
 * Waits for the run to settle; after the timeout the run continues. Without `settled`, another request started it, maybe
 * on another server. If this server loses the run, the wait continues for the server that took it over.
 */
export async function runState(
  runs: Runs,
  workspaceId: string,
  { runId, settled }: StartedRun,
  wait: RunWait,
): Promise<RunState> {
  let waitEnded: AbortController | undefined
  const elsewhere = (): Promise<RunState> => {
    waitEnded = new AbortController()
    return storedState(runs, workspaceId, runId, waitEnded.signal)
  }
  const here = settled?.then(
    ({ run, messages }) => ({ run, messages: messages.map(contentOnWire) }),
    elsewhere,
  )
  const found = await withinTime(here ?? elsewhere(), wait)
  waitEnded?.abort()
  return found ?? { run: await runs.get(workspaceId, runId), messages: [] }
}

/** The state of a run that another request or server works on; its journal has the messages. */
export async function storedState(
  runs: Runs,
  workspaceId: string,
  runId: string,
  signal: AbortSignal,
): Promise<RunState> {
  const run = await runs.settled(workspaceId, runId, signal)
  const messages: MessageOnWire[] = []
  for await (const event of runs.events(workspaceId, runId, 0, signal)) {
    if (event.event !== 'message') continue
    // In the order of `contentOnWire`, so that a replay has the text of the first response.
    const { data_type, content, file_list, message_id, timestamp } = event.fields
    messages.push({ data_type, content, file_list, message_id, timestamp })
  }
  return { run, messages }
}

/** The fingerprint is stored with the inputs of the run and used only here. */
type KeyedInputs = RunInputs & { fingerprint?: string }

/** `settled` is absent where an earlier request with the same key started it. */
export type StartedRun = Pick<LiveRun, 'runId'> & Partial<Pick<LiveRun, 'settled'>>

/** The id of the run, derived from the key in `header`, and the fingerprint that a retry must match. */
export interface KeyedRun {
  runId: string
  fingerprint: string
  /** Default: Idempotency-Key. */
  header?: string
}

/** `admit` fails if no new run is allowed now; a retry finds its run without this check. */
interface StartOptions {
  keyed: KeyedRun | undefined
  admit(): Promise<void>
}

/** With an Idempotency-Key, a retry finds the run of the first request, also while it is still running. */
export async function startRun(
  runs: Runs,
  workspaceId: string,
  request: RunRequest,
  { keyed, admit }: StartOptions,
): Promise<StartedRun> {
  const start = async (newRun: RunRequest): Promise<StartedRun> => {
    await admit()
    return runs.start(workspaceId, newRun)
  }
  if (!keyed) return start(request)
  const { runId, fingerprint, header } = keyed
  const findExisting = async (): Promise<StartedRun | undefined> => {
    const run = await runs.find(workspaceId, runId)
    if (!run) return undefined
    if ((JSON.parse(run.inputs) as KeyedInputs).fingerprint !== fingerprint) throw reusedKey(header)
    return { runId }
  }
  const existing = await findExisting()
  if (existing) return existing
  const inputs: KeyedInputs = { ...request.inputs, fingerprint }
  try {
    return await start({ ...request, inputs, runId })
  } catch (error) {
    // The same request may have started it on another connection.
    const concurrent = await findExisting()
    if (concurrent) return concurrent
    throw error
  }
}

export async function* sentEvents(events: AsyncIterable<RunEvent>): AsyncGenerator<ServerSentEvent> {
  for await (const { seq, event, line } of events) yield { id: seq, event, data: line }
}
