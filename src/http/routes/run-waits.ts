import { limits } from '../../contract/limits.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { RunEvent } from '../../workflow/run/run-event.ts'
import type { RunRecord } from '../../workflow/run/run-store.ts'
import type { LiveRun, RunInputs, RunRequest, Runs } from '../../workflow/run/runs.ts'
import type { ServerSentEvent } from '../event-stream.ts'
import { type MessageOnWire, messageOnWire } from './run-on-wire.ts'

/** How a run stands when the wait for it is over. */
export interface Standing {
  run: RunRecord
  messages: readonly MessageOnWire[]
}

/** How long to wait for a run: so many seconds, and no longer than the server is there. */
export interface Patience {
  seconds: number | undefined
  stopping: AbortSignal
}

/** `undefined` when the wait is over, or when nobody can tell. A plain timer: aborting one costs more than the wait. */
async function withinTime<Result>(
  work: Promise<Result>,
  { seconds, stopping }: Patience,
): Promise<Result | undefined> {
  const milliseconds = seconds === undefined ? limits.runWaitMilliseconds : seconds * 1000
  let timer: NodeJS.Timeout | undefined
  let giveUp = (): void => {}
  const late = new Promise<undefined>(resolve => {
    giveUp = () => resolve(undefined)
    timer = setTimeout(giveUp, stopping.aborted ? 0 : milliseconds)
    stopping.addEventListener('abort', giveUp)
  })
  try {
    return await Promise.race([work.catch(() => undefined), late])
  } finally {
    clearTimeout(timer)
    stopping.removeEventListener('abort', giveUp)
  }
}

/** Waits so long at most; the run goes on all the same. */
export async function standing(
  runs: Runs,
  workspaceId: string,
  live: LiveRun,
  patience: Patience,
): Promise<Standing> {
  const result = await withinTime(live.settled, patience)
  if (result) return { run: result.run, messages: result.messages.map(messageOnWire) }
  return { run: await runs.get(workspaceId, live.runId), messages: [] }
}

/** The same for a run that somebody else started, maybe on another server. Its journal tells what it said. */
async function standingOfKnown(
  runs: Runs,
  workspaceId: string,
  runId: string,
  patience: Patience,
): Promise<Standing> {
  const over = new AbortController()
  const settled = await withinTime(settledByJournal(runs, workspaceId, runId, over.signal), patience)
  over.abort()
  return settled ?? { run: await runs.get(workspaceId, runId), messages: [] }
}

async function settledByJournal(
  runs: Runs,
  workspaceId: string,
  runId: string,
  signal: AbortSignal,
): Promise<Standing> {
  const run = await runs.settled(workspaceId, runId, signal)
  const messages: MessageOnWire[] = []
  for await (const event of runs.events(workspaceId, runId, 0, signal)) {
    if (event.event !== 'message') continue
    const { node_id: _, ...message } = event.fields
    messages.push(message)
  }
  return { run, messages }
}

async function known(runs: Runs, workspaceId: string, runId: string): Promise<RunRecord | undefined> {
  try {
    return await runs.get(workspaceId, runId)
  } catch (error) {
    if (error instanceof AppError && error.reason === 'not_found') return undefined
    throw error
  }
}

/** Kept beside what the run was handed, where nobody looks but here. */
type KeyedInputs = RunInputs & { fingerprint?: string }

function refuseOther({ inputs }: RunRecord, fingerprint: string): void {
  if ((JSON.parse(inputs) as KeyedInputs).fingerprint === fingerprint) return
  throw new AppError(
    'version_conflict',
    'This Idempotency-Key was used with another request; take a fresh one',
    {
      errors: [{ path: 'header/Idempotency-Key', message: 'was used with another request' }],
    },
  )
}

export interface BegunRun {
  runId: string
  /** Whether it had begun before. */
  wasKnown: boolean
  standing(patience: Patience): Promise<Standing>
}

/** What an Idempotency-Key decides: the id of the run, and what must be the same when it is sent again. */
export interface KeyedRun {
  runId: string
  fingerprint: string
}

/**
 * Starts a run. Where its id was decided by the request, sending the request again finds the run that it started
 * before: also after the connection broke off, and while it still runs.
 */
export async function beginRun(
  runs: Runs,
  workspaceId: string,
  request: RunRequest,
  keyed: KeyedRun | undefined,
): Promise<BegunRun> {
  const begin = async (wish: RunRequest): Promise<BegunRun> => {
    const live = await runs.start(workspaceId, wish)
    const stands = (patience: Patience) => standing(runs, workspaceId, live, patience)
    return { runId: live.runId, wasKnown: false, standing: stands }
  }
  if (!keyed) return begin(request)
  const { runId, fingerprint } = keyed
  const join = async (): Promise<BegunRun | undefined> => {
    const run = await known(runs, workspaceId, runId)
    if (!run) return undefined
    refuseOther(run, fingerprint)
    const stands = (patience: Patience) => standingOfKnown(runs, workspaceId, runId, patience)
    return { runId, wasKnown: true, standing: stands }
  }
  const before = await join()
  if (before) return before
  const inputs: KeyedInputs = { ...request.inputs, fingerprint }
  try {
    return await begin({ ...request, inputs, runId })
  } catch (error) {
    // The same request may have been faster on another connection.
    const faster = await join()
    if (faster) return faster
    throw error
  }
}

export async function* sentEvents(events: AsyncIterable<RunEvent>): AsyncGenerator<ServerSentEvent> {
  for await (const { seq, event, line } of events) yield { id: seq, event, data: line }
}
