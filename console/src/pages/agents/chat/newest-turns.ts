import type { ChatApi } from './chat-api.ts'
import { type ChatTurn, turnsOf } from './chat-turns.ts'

const pageSize = 30

export interface TurnsPage {
  turns: ChatTurn[]
  /** Whether there may be a page before it. */
  isFull: boolean
}

export async function turnsBefore(
  api: ChatApi,
  conversationId: string,
  offset: number,
  signal: AbortSignal,
): Promise<TurnsPage> {
  const found = await api.retrieve(conversationId, pageSize, offset, signal)
  return { turns: turnsOf(found), isFull: found.length === pageSize }
}

/**
 * The newest turns, the last one with what its messages do not tell: whether it still runs, waits or failed. Where its
 * run cannot be read it counts as ended, unless `needsRun`: what was said is worth more than that.
 */
export async function newestTurns(
  api: ChatApi,
  conversationId: string,
  signal: AbortSignal,
  needsRun: boolean,
): Promise<TurnsPage> {
  const { turns, isFull } = await turnsBefore(api, conversationId, 0, signal)
  const last = turns.at(-1)
  if (last?.runId === undefined) return { turns, isFull }
  const run = await api.run(last.runId, signal).catch(error => {
    if (needsRun) throw error
    return undefined
  })
  return { turns: turns.with(-1, afterRun(last, run)), isFull }
}

function afterRun(turn: ChatTurn, run: Awaited<ReturnType<ChatApi['run']>>): ChatTurn {
  // A run that went on with a later turn says nothing of this one.
  if (run?.chat_id !== turn.chatId) return turn
  if (run.status === 'waiting') return { ...turn, options: run.waiting?.options ?? [] }
  if (run.status === 'failed' && run.error) {
    const { reason, message } = run.error
    return { ...turn, phase: 'failed', failure: { reason, message, isRecorded: true } }
  }
  return run.status === 'running' || run.status === 'queued' ? { ...turn, phase: 'answering' } : turn
}
