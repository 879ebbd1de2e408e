import type { TokenRecord } from '../../access/access-store.ts'
import type { AgentService } from '../../agents/agent-service.ts'
import { conversationOperations as operations } from '../../contract/conversation-operations.ts'
import { pageAnswer, pageRequest } from '../../contract/paging.ts'
import type { ChatRequest } from '../../conversations/chat-request.ts'
import type { ChatService } from '../../conversations/chat-service.ts'
import { type ChatTurn, noConversation } from '../../conversations/chat-turn.ts'
import type { ConversationService } from '../../conversations/conversation-service.ts'
import { type Call, type Route, route } from '../call.ts'
import { callerSignal } from '../caller-signal.ts'
import { eventStream, lastEventId, type ServerSentEvent } from '../event-stream.ts'
import { agentFor, mayUse } from './agent-access.ts'
import {
  answerOnWire,
  conversationOnWire,
  eventOnWire,
  failureOf,
  messageOnWire,
} from './conversation-on-wire.ts'

export interface ConversationParts {
  agents: AgentService
  conversations: ConversationService
  chats: ChatService
}

type ChatCall = Call<typeof operations.chat>

const chatRequest = (body: ChatCall['body']): ChatRequest => ({
  dataType: body.data_type,
  content: body.content ?? '',
  fileIds: body.file_list ?? [],
  userId: body.user_id,
  chatId: body.chat_id,
  messageId: body.message_id,
  timestamp: body.timestamp,
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

function talkRoutes({ agents, conversations, chats }: ConversationParts): Route[] {
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

    route(operations.chat, async ({ body, request, reply }) => {
      const { workspaceId, agent } = await agentFor(agents, request.token, body.agent_id, 'run')
      const conversation = await conversations.get(workspaceId, body.conversation_id, agent.id)
      const signal = callerSignal(request, reply)
      const turn = await chats.chat({ workspaceId, agent, conversation }, chatRequest(body), signal)
      if (body.stream === 1)
        return eventStream(request, gone => events(turn, conversation.id, lastEventId(request), gone))
      const answer = await turn.answer(signal)
      const failure = failureOf(answer)
      if (failure) throw failure
      return answerOnWire(answer)
    }),

    route(operations.retrieve, async ({ body, request }) => {
      const { workspaceId, agent } = await agentFor(agents, request.token, body.agent_id, 'read')
      const conversation = await conversations.get(workspaceId, body.conversation_id, agent.id)
      const { limit = 100, offset = 0 } = body
      const messages = await conversations.retrieve(workspaceId, conversation, { limit, offset })
      return { conversation_id: conversation.id, retrieve_data: messages.map(messageOnWire) }
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
