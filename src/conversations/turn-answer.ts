import type { Runs } from '../workflow/run/runs.ts'
import type { Message, Turn, TurnError } from './conversation.ts'
import type { ConversationStore } from './conversation-store.ts'
import { replyId } from './failure-reply.ts'
import { settledRun } from './find-run.ts'

/** The whole answer to a turn. Asked for again, it is the same. */
export interface TurnAnswer {
  conversationId: string
  chatId: string
  runId: string
  /** Of the user's message. */
  messageId: string
  replies: readonly Message[]
  error: TurnError | undefined
  /** Set when the last reply is a question that the next turn answers. */
  waiting: { options: readonly string[] } | undefined
}

interface AnswerParts {
  store: ConversationStore
  runs: Runs
}

const repliesOf = (messages: readonly Message[]): Message[] => messages.filter(({ role }) => role === 1)

/**
 * What a question offers is known only to its run, which goes on and is forgotten one day: so it is written down with
 * the turn the first time somebody asks.
 */
async function offeredOptions(
  { store, runs }: AnswerParts,
  workspaceId: string,
  turn: Turn,
  replies: Message[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (turn.options) return turn.options
  const run = await settledRun(runs, workspaceId, turn.runId, signal)
  const asked = run?.chatId === turn.chatId ? run.waiting : undefined
  if (!run || !asked) return []
  if (replies.length === 0 && asked.question !== '') {
    const id = replyId(turn.runId, turn.chatId, 'question')
    const reply = {
      id,
      dataType: 'text' as const,
      content: asked.question,
      fileIds: [],
      at: run.createdAt,
    }
    await store.addReply(workspaceId, turn.conversationId, turn.chatId, reply)
    replies.push({ ...reply, chatId: turn.chatId, role: 1 })
  }
  await store.setOptions(workspaceId, turn, asked.options)
  return asked.options
}

/** `turn` has ended. */
export async function turnAnswer(
  parts: AnswerParts,
  workspaceId: string,
  turn: Turn,
  signal: AbortSignal,
): Promise<TurnAnswer> {
  const messages = await parts.store.turnMessages(workspaceId, turn)
  const replies = repliesOf(messages)
  const options =
    turn.status === 'waiting' ? await offeredOptions(parts, workspaceId, turn, replies, signal) : undefined
  return {
    conversationId: turn.conversationId,
    chatId: turn.chatId,
    runId: turn.runId,
    messageId: messages.find(({ role }) => role === 0)?.id ?? '',
    replies,
    error: turn.error,
    waiting: options && { options },
  }
}
