import type { Agent } from '../agents/agent.ts'
import { agentGraph, annotationGraph } from '../agents/agent-graph.ts'
import type { Reason } from '../contract/error-codes.ts'
import { limits } from '../contract/limits.ts'
import { AppError } from '../kernel/app-error.ts'
import { mintId } from '../kernel/ids.ts'
import { unlessAborted } from '../kernel/unless-aborted.ts'
import { isConfigured } from '../models/language-model.ts'
import type { FileLookup, RunRequest } from '../workflow/run/run-inputs.ts'
import type { LiveRun, Runs } from '../workflow/run/run-service.ts'
import { isActive } from '../workflow/run/store/run-records.ts'
import type { MessageType, TokenUsage } from '../workflow/step.ts'
import type { Annotation } from './annotation-store.ts'
import type { ChatInput, ChatParts } from './chat-request.ts'
import type { Turn, TurnError, TurnKey } from './conversation.ts'
import { endOfRun } from './turn-lifecycle.ts'

export const isNotFound = (error: unknown): boolean =>
  error instanceof AppError && error.reason === 'not_found'

/** The run after it settled. Its turn ends a moment earlier, because the journal is written last. */
export async function settledRun(runs: Runs, turn: Pick<Turn, 'workspaceId' | 'runId'>, signal: AbortSignal) {
  const run = await runs.find(turn.workspaceId, turn.runId)
  if (!run || !isActive(run.status)) return run
  await unlessAborted(runs.settled(turn.workspaceId, turn.runId, signal), signal).catch((error: unknown) => {
    signal.throwIfAborted()
    if (!isNotFound(error)) throw error
  })
  return runs.find(turn.workspaceId, turn.runId)
}

/** How long a turn waits for the active turn of its conversation, and for the run that asked. */
export const waitMilliseconds = ({ turnWaitMilliseconds }: ChatParts): number =>
  turnWaitMilliseconds ?? limits.turnWaitMilliseconds

export const stillRunning = ({ chatId }: TurnKey, runningChatId: string): AppError =>
  new AppError(
    'version_conflict',
    'Another turn of this conversation is still running; wait until it ends and try again',
    { data: { chat_id: chatId, running_chat_id: runningChatId } },
  )

interface TurnInput {
  agent: Agent
  turn: Turn
  userId: string
  dataType: MessageType
  input: ChatInput
  /** Further inputs of the run. */
  inputs: Readonly<Record<string, unknown>>
  /** Finds the files of input variables. */
  files: FileLookup
  /** The answer that an editor gave to this question. */
  annotation?: Annotation | undefined
  /** The run that waited for an answer to a turn that this one replaces. */
  abandonedRunId?: string | undefined
}

interface StartedTurn {
  runId: string
  /** Resolves when no process works on the turn any more; the record tells the result. */
  settled: Promise<unknown>
  /** What the run had spent when it was resumed. */
  spentBefore?: TokenUsage
}

/**
 * Starts or resumes the run of a turn that was just created. A temporary failure, and a refusal of its inputs, undo the
 * turn and are thrown, so that the client can send it again. Any other failure is the answer to the turn: it is stored and
 * frees the conversation; an internal error is thrown as well, for the log.
 */
export async function startTurn(
  parts: ChatParts,
  started: TurnInput,
  waitingRunId: string | undefined,
): Promise<StartedTurn> {
  const { turn } = started
  let { runId } = turn
  try {
    if (waitingRunId !== undefined) {
      const resumed = await resumeRun(parts, started)
      if (resumed) return resumed
      runId = mintId('run')
      await parts.turns.setRun(turn, runId, 0)
    }
    return await startRun(parts, started, runId)
  } catch (error) {
    if (isTemporary(error) || isRefused(error)) {
      // The run may have started nevertheless, if the database's response was lost.
      const run = await parts.runs.find(turn.workspaceId, runId)
      if (run?.chatId === turn.chatId) return { runId, settled: Promise.resolve() }
      if (await parts.lifecycle.undo(turn, started.abandonedRunId)) throw error
    }
    await parts.lifecycle.end(
      { ...turn, runId },
      {
        status: 'failed',
        error: turnErrorOf(error),
        hasNoRun: true,
        // A waiting run that could not be resumed may still wait; one that was replaced is dropped.
        ...(runId !== turn.runId && { waitingRunId: null }),
      },
    )
    if (!(error instanceof AppError)) throw error
    return { runId, settled: Promise.resolve() }
  }
}

/** Passes the turn to the run that waits for it; undefined when that does not wait any more. */
async function resumeRun(parts: ChatParts, started: TurnInput): Promise<StartedTurn | undefined> {
  const { turn, input } = started
  const timeout = AbortSignal.timeout(waitMilliseconds(parts))
  const run = await settledRun(parts.runs, turn, timeout).catch(async (error: unknown) => {
    if (!timeout.aborted) throw error
    throw stillRunning(turn, (await parts.runs.get(turn.workspaceId, turn.runId)).chatId)
  })
  if (run?.status !== 'waiting') return undefined
  // Its earlier events belong to earlier turns.
  await parts.turns.setRun(turn, turn.runId, run.sequence)
  try {
    const reply = { ...textAndAction(started), files: input.files }
    const resumed = await parts.runs.resume(turn.workspaceId, turn.runId, reply, turn.chatId)
    return { ...startedBy(resumed), spentBefore: run }
  } catch (error) {
    if (isNotFound(error) || (error instanceof AppError && error.reason === 'version_conflict'))
      return undefined
    throw error
  }
}

async function startRun(parts: ChatParts, started: TurnInput, runId: string): Promise<StartedTurn> {
  const { agent, turn, userId, input, inputs: given, files, annotation } = started
  const { text, action } = textAndAction(started)
  const { workspaceId, conversationId, chatId } = turn
  const more = annotation
    ? {
        ...('voice' in given && { voice: given['voice'] }),
        annotation: annotation.answer,
        annotation_id: annotation.id,
      }
    : given
  if (annotation) await parts.turns.set(turn, { annotationId: annotation.id })
  const request: RunRequest = {
    target: annotation
      ? { graph: annotationGraph() }
      : await graphOf(parts, workspaceId, agent, 'instructions' in given),
    trigger: 'chat',
    ...{ runId, agentId: agent.id, conversationId, chatId, userId },
    inputs: { query: text, files: input.files, action, more },
    files,
  }
  try {
    const run = await parts.runs.start(workspaceId, request)
    if (annotation) await parts.annotations.countHit(workspaceId, annotation.id)
    return startedBy(run)
  } catch (error) {
    // The client asked for an agent: a missing workflow is an error of the agent's settings.
    if (!isNotFound(error)) throw error
    const name = agent.config.workflow_id
    const message = `The workflow ${name} of this agent does not exist; create it, or change the agent`
    throw new AppError('workflow_not_runnable', message, { cause: error })
  }
}

const startedBy = ({ runId, settled }: LiveRun): StartedTurn => ({ runId, settled: settled.catch(() => {}) })

/** `sys.query` holds a text message, `sys.action` an action. */
const textAndAction = ({ dataType, input }: TurnInput): { text: string; action: string } =>
  dataType === 'action' ? { text: '', action: input.content } : { text: input.content, action: '' }

async function graphOf({ models }: ChatParts, workspaceId: string, agent: Agent, hasInstructions: boolean) {
  const { workflow_id: workflowId, model } = agent.config
  if (workflowId) return { workflowId }
  const hasDefault = (await models.defaultName(workspaceId)) !== ''
  const hasModel = hasDefault || (await isConfigured(models, workspaceId, model))
  return { graph: agentGraph(agent, { hasModel, hasInstructions }) }
}

const turnErrorOf = (error: unknown): TurnError =>
  error instanceof AppError
    ? { reason: error.reason, message: error.message }
    : { reason: 'internal', message: 'Internal error; find the cause in the server log by the trace id' }

const temporaryReasons: ReadonlySet<Reason> = new Set<Reason>([
  'rate_limited',
  'unavailable',
  'version_conflict',
])

/** A moment later the same turn may succeed. */
const isTemporary = (error: unknown): error is AppError =>
  error instanceof AppError && temporaryReasons.has(error.reason)

/** The inputs do not fit the variables of the workflow. */
const isRefused = (error: unknown): boolean => error instanceof AppError && error.reason === 'invalid_request'

const interrupted: TurnError = {
  reason: 'unavailable',
  message: 'The server was interrupted before the run started; send the message again with the same chat_id',
}

/**
 * Ends a turn whose process crashed between storing the message and starting the run. A running run is left alone,
 * because it ends its turn itself, even after a crash. The message stays; if it is sent again with its `chat_id`, the
 * turn is reopened.
 */
export async function recoverTurn(parts: ChatParts, turn: Turn): Promise<void> {
  if (parts.lifecycle.isStarting(turn)) return
  const run = await parts.runs.find(turn.workspaceId, turn.runId)
  if (run?.status === 'queued' || run?.status === 'running') return
  if (run?.chatId === turn.chatId)
    return parts.lifecycle.end(turn, endOfRun(run.id, { ...run, status: run.status }))
  // There is no run, or it still waits because it never got this answer; then it can still be resumed.
  await parts.lifecycle.end(turn, { status: 'failed', error: interrupted })
}

/** Looks for the run only when a crash is likely: starting a run normally takes less time. */
export async function recoverOldTurn(parts: ChatParts, turn: Turn): Promise<void> {
  if (turn.createdAt + limits.turnStartMilliseconds <= parts.clock.now()) await recoverTurn(parts, turn)
}
