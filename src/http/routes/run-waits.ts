import { limits } from '../../contract/limits.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { RunEvent } from '../../workflow/run/run-event.ts'
import type { RunRecord } from '../../workflow/run/run-store.ts'
import type { LiveRun, RunRequest, Runs } from '../../workflow/run/runs.ts'
import type { ServerSentEvent } from '../event-stream.ts'
import { type MessageOnWire, messageOnWire } from './run-on-wire.ts'

/** How a run stands when the wait for it is over. */
export interface Standing {
  run: RunRecord
  messages: readonly MessageOnWire[]
}

/** `undefined` when the time is up, or when nobody can tell. A plain timer: aborting one costs more than the wait. */
async function withinTime<Result>(
  work: Promise<Result>,
  seconds: number | undefined,
): Promise<Result | undefined> {
  const milliseconds = seconds === undefined ? limits.runWaitMilliseconds : seconds * 1000
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(resolve, milliseconds, undefined)
  })
  try {
    return await Promise.race([work.catch(() => undefined), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Waits so long at most; the run goes on all the same. */
export async function standing(
  runs: Runs,
  workspaceId: string,
  live: LiveRun,
  seconds: number | undefined,
): Promise<Standing> {
  const result = await withinTime(live.settled, seconds)
  if (result) return { run: result.run, messages: result.messages.map(messageOnWire) }
  return { run: await runs.get(workspaceId, live.runId), messages: [] }
}

/** The same for a run that somebody else started, maybe on another server. Its journal tells what it said. */
async function standingOfKnown(
  runs: Runs,
  workspaceId: string,
  runId: string,
  seconds: number | undefined,
): Promise<Standing> {
  const over = new AbortController()
  const settled = await withinTime(settledByJournal(runs, workspaceId, runId, over.signal), seconds)
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
  for await (const { event, line } of runs.events(workspaceId, runId, 0, signal)) {
    if (event !== 'message') continue
    const { message_id, data_type, content, file_list, timestamp } = JSON.parse(line) as MessageOnWire
    messages.push({ message_id, data_type, content, file_list, timestamp })
  }
  return { run, messages }
}

async function known(runs: Runs, workspaceId: string, runId: string): Promise<boolean> {
  try {
    await runs.get(workspaceId, runId)
    return true
  } catch (error) {
    if (error instanceof AppError && error.reason === 'not_found') return false
    throw error
  }
}

export interface BegunRun {
  runId: string
  standing(seconds: number | undefined): Promise<Standing>
}

/**
 * Starts a run. Where its id was decided by the request, sending the request again finds the run that it started
 * before: also after the connection broke off, and while it still runs.
 */
export async function beginRun(runs: Runs, workspaceId: string, request: RunRequest): Promise<BegunRun> {
  const { runId } = request
  const join = (id: string): BegunRun => ({
    runId: id,
    standing: seconds => standingOfKnown(runs, workspaceId, id, seconds),
  })
  if (runId !== undefined && (await known(runs, workspaceId, runId))) return join(runId)
  try {
    const live = await runs.start(workspaceId, request)
    return { runId: live.runId, standing: seconds => standing(runs, workspaceId, live, seconds) }
  } catch (error) {
    // The same request may have been faster on another connection.
    if (runId !== undefined && (await known(runs, workspaceId, runId))) return join(runId)
    throw error
  }
}

export async function* sentEvents(events: AsyncIterable<RunEvent>): AsyncGenerator<ServerSentEvent> {
  for await (const { seq, event, line } of events) yield { id: seq, event, data: line }
}
