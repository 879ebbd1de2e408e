import type { Agent } from '../agents/agent.ts'
import { agentGraph } from '../agents/agent-graph.ts'
import { limits } from '../contract/limits.ts'
import { AppError } from '../kernel/app-error.ts'
import { mintId } from '../kernel/ids.ts'
import { type LanguageModels, ModelNotConfigured } from '../models/language-model.ts'
import type { LiveRun, RunRequest, Runs } from '../workflow/run/runs.ts'
import type { MessageType } from '../workflow/step.ts'
import type { Turn, TurnError } from './conversation.ts'
import { endTurn, type TurnParts } from './end-turn.ts'
import { findRun, settledRun } from './find-run.ts'
import type { ReadMessage } from './read-message.ts'

export interface StartParts extends TurnParts {
  runs: Runs
  models: LanguageModels
}

export interface StartedTurn {
  agent: Agent
  turn: Turn
  userId: string
  dataType: MessageType
  message: ReadMessage
}

async function hasModel(models: LanguageModels, workspaceId: string, agent: Agent): Promise<boolean> {
  if ((await models.defaultName(workspaceId)) !== '') return true
  try {
    await models.find(workspaceId, agent.config.model)
    return true
  } catch (error) {
    if (error instanceof ModelNotConfigured) return false
    throw error
  }
}

async function graphOf(
  { models }: StartParts,
  workspaceId: string,
  agent: Agent,
): Promise<RunRequest['what']> {
  const workflowId = agent.config.workflow_id
  if (workflowId) return { workflowId }
  return { graph: agentGraph(agent, { hasModel: await hasModel(models, workspaceId, agent) }) }
}

/** The words go to whoever asks for a query, an action to whoever asks for one. */
const wordsOf = ({ dataType, message }: StartedTurn): { text: string; action: string } =>
  dataType === 'action' ? { text: '', action: message.content } : { text: message.content, action: '' }

export interface Started {
  /** Resolves when nobody works on the turn any more, however that came; the record tells how. */
  settled: Promise<unknown>
}

const startedBy = ({ settled }: LiveRun): Started => ({ settled: settled.catch(() => {}) })

/** Hands the turn to the run that waits for it; undefined when that does not wait any more. */
async function resumeRun(
  parts: StartParts,
  workspaceId: string,
  started: StartedTurn,
): Promise<Started | undefined> {
  const { turn, message } = started
  const patience = AbortSignal.timeout(limits.turnWaitMilliseconds)
  const run = await settledRun(parts.runs, workspaceId, turn.runId, patience)
  if (run?.status !== 'waiting') return undefined
  // What it did before belongs to earlier turns.
  await parts.store.aimTurn(workspaceId, turn, turn.runId, run.sequence)
  try {
    const reply = { ...wordsOf(started), files: message.files }
    return startedBy(await parts.runs.resume(workspaceId, turn.runId, reply, turn.chatId))
  } catch (error) {
    if (error instanceof AppError && ['not_found', 'version_conflict'].includes(error.reason))
      return undefined
    throw error
  }
}

/** Nobody who talks to an agent asked for a workflow: that there is none is a fault of the agent. */
function missingWorkflow(error: unknown, { config }: Agent): unknown {
  if (!(error instanceof AppError) || error.reason !== 'not_found') return error
  const words = `There is no workflow ${config.workflow_id}, which this agent answers with; make it, or change the agent`
  return new AppError('workflow_not_runnable', words, { cause: error })
}

async function startRun(
  parts: StartParts,
  workspaceId: string,
  started: StartedTurn,
  runId: string,
): Promise<Started> {
  const { agent, turn, userId, message } = started
  const { text, action } = wordsOf(started)
  const request: RunRequest = {
    what: await graphOf(parts, workspaceId, agent),
    trigger: 'chat',
    runId,
    agentId: agent.id,
    conversationId: turn.conversationId,
    chatId: turn.chatId,
    userId,
    inputs: { query: text, files: message.files, action, more: {} },
  }
  const live = await parts.runs.start(workspaceId, request).catch((error: unknown) => {
    throw missingWorkflow(error, agent)
  })
  return startedBy(live)
}

const failureOf = (error: unknown): TurnError =>
  error instanceof AppError
    ? { reason: error.reason, message: error.message }
    : { reason: 'internal', message: 'The server failed; the trace id finds the cause in its log' }

/** It says nothing of the turn: a moment later the same one may well begin. */
const isPassing = (error: unknown): error is AppError =>
  error instanceof AppError && (error.reason === 'rate_limited' || error.reason === 'unavailable')

/**
 * Sets a turn to work that was just begun. A failure that passes takes the turn back and is thrown, so that it can be
 * sent again; any other is the answer to the turn: it is stored, and the conversation is free again. What nobody
 * expected is thrown as well, for the log.
 */
export async function startTurn(
  parts: StartParts,
  workspaceId: string,
  started: StartedTurn,
  waitingRunId: string | undefined,
): Promise<Started> {
  const { turn } = started
  let { runId } = turn
  try {
    if (waitingRunId !== undefined) {
      const resumed = await resumeRun(parts, workspaceId, started)
      if (resumed) return resumed
      runId = mintId('run')
      await parts.store.aimTurn(workspaceId, turn, runId, 0)
    }
    return await startRun(parts, workspaceId, started, runId)
  } catch (error) {
    if (isPassing(error)) {
      // It may have begun all the same, where the answer of the database was lost.
      const run = await findRun(parts.runs, workspaceId, runId)
      if (run?.chatId === turn.chatId) return { settled: Promise.resolve() }
      if (await takeBack(parts, workspaceId, turn)) throw error
    }
    await endTurn(
      parts,
      workspaceId,
      { ...turn, runId },
      {
        status: 'failed',
        error: failureOf(error),
        hasNoRun: true,
        // One that could not be answered may still wait; one that was given up does not count any more.
        ...(runId !== turn.runId && { waitingRunId: null }),
      },
    )
    if (!(error instanceof AppError)) throw error
    return { settled: Promise.resolve() }
  }
}

async function takeBack({ store, waiters }: StartParts, workspaceId: string, turn: Turn): Promise<boolean> {
  const isBack = await store.undoTurn(workspaceId, turn.conversationId, turn.chatId)
  if (isBack) waiters.wake(turn.conversationId)
  return isBack
}
