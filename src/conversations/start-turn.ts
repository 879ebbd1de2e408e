import type { Agent } from '../agents/agent.ts'
import { agentGraph } from '../agents/agent-graph.ts'
import { limits } from '../contract/limits.ts'
import { AppError } from '../kernel/app-error.ts'
import { mintId } from '../kernel/ids.ts'
import { type LanguageModels, ModelNotConfigured } from '../models/language-model.ts'
import type { RunRequest, Runs } from '../workflow/run/runs.ts'
import type { MessageType } from '../workflow/step.ts'
import type { Turn, TurnError } from './conversation.ts'
import { endTurn, type TurnParts } from './end-turn.ts'
import { settledRun } from './find-run.ts'
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

/** Hands the turn to the run that waits for it; false when that does not wait any more. */
async function resumeRun(parts: StartParts, workspaceId: string, started: StartedTurn): Promise<boolean> {
  const { turn, message } = started
  const patience = AbortSignal.timeout(limits.turnWaitMilliseconds)
  const run = await settledRun(parts.runs, workspaceId, turn.runId, patience)
  if (run?.status !== 'waiting') return false
  // What it did before belongs to earlier turns.
  await parts.store.aimTurn(workspaceId, turn, turn.runId, run.sequence)
  try {
    const reply = { ...wordsOf(started), files: message.files }
    const live = await parts.runs.resume(workspaceId, turn.runId, reply, turn.chatId)
    // Whoever waits for the turn finds out by itself.
    live.settled.catch(() => {})
    return true
  } catch (error) {
    if (error instanceof AppError && ['not_found', 'version_conflict'].includes(error.reason)) return false
    throw error
  }
}

async function startRun(
  parts: StartParts,
  workspaceId: string,
  started: StartedTurn,
  runId: string,
): Promise<void> {
  const { agent, turn, userId, message } = started
  const { text, action } = wordsOf(started)
  const live = await parts.runs.start(workspaceId, {
    what: await graphOf(parts, workspaceId, agent),
    trigger: 'chat',
    runId,
    agentId: agent.id,
    conversationId: turn.conversationId,
    chatId: turn.chatId,
    userId,
    inputs: { query: text, files: message.files, action, more: {} },
  })
  live.settled.catch(() => {})
}

const failureOf = (error: unknown): TurnError =>
  error instanceof AppError
    ? { reason: error.reason, message: error.message }
    : { reason: 'internal', message: 'The server failed; the trace id finds the cause in its log' }

/**
 * Sets a turn to work that was just begun. When that fails, the failure is the answer to the turn: it is stored, and
 * the conversation is free again. A failure that nobody expected is thrown as well, for the log.
 */
export async function startTurn(
  parts: StartParts,
  workspaceId: string,
  started: StartedTurn,
  waitingRunId: string | undefined,
): Promise<void> {
  const { turn } = started
  let { runId } = turn
  try {
    if (waitingRunId !== undefined) {
      if (await resumeRun(parts, workspaceId, started)) return
      runId = mintId('run')
      await parts.store.aimTurn(workspaceId, turn, runId, 0)
    }
    await startRun(parts, workspaceId, started, runId)
  } catch (error) {
    await endTurn(
      parts,
      workspaceId,
      { ...turn, runId },
      {
        status: 'failed',
        error: failureOf(error),
        // One that could not be answered may still wait; one that was given up does not count any more.
        ...(runId !== turn.runId && { waitingRunId: null }),
      },
    )
    if (!(error instanceof AppError)) throw error
  }
}
