import { hash } from 'node:crypto'
import type { TokenRecord } from '../../access/access-store.ts'
import type { AgentService } from '../../agents/agent-service.ts'
import { conversationOperations as operations } from '../../contract/conversation-operations.ts'
import { pageAnswer, pageRequest } from '../../contract/paging.ts'
import type { ChatRequest } from '../../conversations/chat-request.ts'
import type { ChatService } from '../../conversations/chat-service.ts'
import { type ChatTurn, noConversation } from '../../conversations/chat-turn.ts'
import type { ConversationService } from '../../conversations/conversation-service.ts'
import { AppError } from '../../kernel/app-error.ts'
import { type Call, type Route, route } from '../call.ts'
import { callerSignal } from '../caller-signal.ts'
import { eventStream, lastEventId, type ServerSentEvent } from '../event-stream.ts'
import { idempotencyKey } from '../register-route.ts'
import { agentFor, mayUse } from './agent-access.ts'
import {
  answerOnWire,
  brokenOnWire,
  conversationOnWire,
  eventOnWire,
  failureOf,
} from './conversation-on-wire.ts'
import { messagesAnswer } from './messages-answer.ts'

export interface ConversationParts {
  agents: AgentService
  conversations: ConversationService
  chats: ChatService
}

type ChatCall = Call<typeof operations.chat>

/**
 * With an Idempotency-Key the request decides the id of its turn, unless it brings one itself. The caller is part of
 * it; without a token the conversation is, whose id is the caller's secret.
 */
function keyedTurn({ request, members, body }: ChatCall): {
  chatId: string | undefined
  fingerprint: string
} {
  const key = idempotencyKey(request)
  if (key === undefined || body.chat_id !== undefined) return { chatId: body.chat_id, fingerprint: '' }
  const caller = request.token?.id ?? 'anonymous'
  const sent = [...members].filter(([name]) => name !== 'stream').map(([name, { text }]) => [name, text])
  const digest = hash('sha256', JSON.stringify([caller, key, body.conversation_id]), 'buffer')
  return {
    chatId: `chat_${digest.subarray(0, 16).toString('base64url')}`,
    fingerprint: hash('sha256', JSON.stringify(sent)),
  }
}

const chatRequest = (call: ChatCall): ChatRequest => ({
  dataType: call.body.data_type,
  content: call.body.content ?? '',
  fileIds: call.body.file_list ?? [],
  userId: call.body.user_id,
  messageId: call.body.message_id,
  timestamp: call.body.timestamp,
  ...keyedTurn(call),
})

async function* events(
  turn: ChatTurn,
  conversationId: string,
  after: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<ServerSentEvent> {
  const { chatId, runId } = turn
  for await (const event of turn.events(after, signal))
    yield eventOnWire(event, { chatId, runId, conversationId })
}

/** The turn goes on when the server stops: sent again without its id it would be said twice. */
const stopError = (error: unknown, { chatId, runId }: ChatTurn, signal: AbortSignal): unknown =>
  signal.aborted && error instanceof AppError && error.reason === 'unavailable'
    ? new AppError('unavailable', `The server stops; send the message again with chat_id ${chatId}`, {
        data: { chat_id: chatId, run_id: runId },
      })
    : error

async function chat({ agents, conversations, chats }: ConversationParts, call: ChatCall): Promise<unknown> {
  const { body, request, reply } = call
  const signal = callerSignal(request, reply)
  const after = body.stream === 1 ? lastEventId(request) : undefined
  const { workspaceId, agent } = await agentFor(agents, request.token, body.agent_id, 'run')
  const conversation = await conversations.get(workspaceId, body.conversation_id, agent.id)
  const place = { workspaceId, agent, conversation, isAnonymous: request.token === undefined }
  const turn = await chats.chat(place, chatRequest(call), signal)
  if (body.stream === 1) {
    const { chatId, runId } = turn
    // A number that belongs to another turn would only hide what this one says.
    const seenUntil = turn.wasSeen ? after : undefined
    return eventStream(request, gone => events(turn, conversation.id, seenUntil, gone), {
      failure: error => brokenOnWire(error, { chatId, runId, conversationId: conversation.id }),
      comeBack: `to hear the rest, send the same with chat_id ${chatId}`,
      isAllowed: async () => request.token !== undefined || (await agents.findPublic(agent.id)) !== undefined,
    })
  }
  const answer = await turn.answer(signal).catch((error: unknown) => {
    throw stopError(error, turn, signal)
  })
  const failure = failureOf(answer)
  if (failure) throw failure
  return answerOnWire(answer)
}

function talkRoutes(parts: ConversationParts): Route[] {
  const { agents, conversations } = parts
  return [
    route(operations.create, async ({ body, request }) => {
      const { workspaceId, agent } = await agentFor(agents, request.token, body.agent_id, 'run')
      const conversation = await conversations.create(workspaceId, {
        agentId: agent.id,
        ...(body.user_id !== undefined && { userId: body.user_id }),
        ...(body.env_type !== undefined && { envType: body.env_type }),
      })
      return { conversation_id: conversation.id }
    }),

    route(operations.chat, call => chat(parts, call)),

    route(operations.retrieve, async ({ body, request }) => {
      const { workspaceId, agent } = await agentFor(agents, request.token, body.agent_id, 'read')
      const conversation = await conversations.get(workspaceId, body.conversation_id, agent.id)
      const { limit = 100, offset = 0, details = 0 } = body
      return messagesAnswer(
        conversation.id,
        conversations.retrieve(workspaceId, conversation, { limit, offset, withDetails: details === 1 }),
      )
    }),
  ]
}

function keepRoutes({ conversations }: ConversationParts): Route[] {
  /** A conversation with an agent that the token may not use is as absent as any other. */
  const checkMayUse = async (token: TokenRecord, id: string): Promise<void> => {
    const { agentId } = await conversations.get(token.workspaceId, id)
    if (!mayUse(token, agentId)) throw noConversation(id)
  }

  return [
    route(operations.list, async ({ token, body }) => {
      const page = pageRequest(body)
      const bound = token.agentIds.length > 0 ? token.agentIds : undefined
      const agentIds =
        body.agent_id === undefined ? bound : mayUse(token, body.agent_id) ? [body.agent_id] : []
      const filter = { agentIds, userId: body.user_id, keyword: body.keyword ?? '' }
      const { total, items } = await conversations.list(token.workspaceId, filter, page)
      return pageAnswer(page, { total, items: items.map(conversationOnWire) })
    }),

    route(operations.rename, async ({ token, body }) => {
      await checkMayUse(token, body.conversation_id)
      await conversations.rename(token.workspaceId, body.conversation_id, body.name)
      return { conversation_id: body.conversation_id }
    }),

    route(operations.delete, async ({ token, body }) => {
      await checkMayUse(token, body.conversation_id)
      await conversations.remove(token.workspaceId, body.conversation_id)
      return { conversation_id: body.conversation_id }
    }),

    route(operations.feedback, async ({ token, body }) => {
      const { conversation_id, message_id, rating, comment = '' } = body
      await checkMayUse(token, conversation_id)
      await conversations.rate(token.workspaceId, conversation_id, message_id, { rating, comment })
      return { conversation_id, message_id }
    }),
  ]
}

export const conversationRoutes = (parts: ConversationParts): Route[] => [
  ...talkRoutes(parts),
  ...keepRoutes(parts),
]
