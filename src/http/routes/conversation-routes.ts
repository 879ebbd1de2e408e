import type { TokenRecord } from '../../access/access-store.ts'
import { conversationOperations as operations } from '../../contract/conversation-operations.ts'
import { isOn } from '../../contract/fields.ts'
import { type PageRequest, pageAnswer } from '../../contract/paging.ts'
import type { ChatRequest } from '../../conversations/chat-request.ts'
import type { ChatTurn } from '../../conversations/chat-turn.ts'
import { AppError } from '../../kernel/app-error.ts'
import { derivedId } from '../../kernel/ids.ts'
import { callerSignal, eventStream, lastEventId, type ServerSentEvent } from '../event-stream.ts'
import { type Call, fingerprintOf, idempotencyKey, type Route, route } from '../route.ts'
import { agentFor, mayUse, userOf } from './agent-access.ts'
import { type ConversationParts, conversationFor, sourceOf } from './conversation-access.ts'
import {
  answerOnWire,
  conversationOnWire,
  eventOnWire,
  failedOnWire,
  failureOf,
  messagesAnswer,
} from './conversation-on-wire.ts'

type ChatCall = Call<typeof operations.chat>

/** An Idempotency-Key determines the turn, with the token; without one, the conversation id is the caller's secret. */
function keyedTurn({ request, body }: ChatCall): Pick<ChatRequest, 'chatId' | 'keyField'> {
  const key = idempotencyKey(request)
  if (key === undefined || body.chat_id !== undefined) return { chatId: body.chat_id }
  const caller = request.token?.id ?? 'anonymous'
  const chatId = derivedId('chat', [caller, key, body.conversation_id])
  return { chatId, keyField: 'header/Idempotency-Key' }
}

function chatRequest(call: ChatCall): ChatRequest {
  const { data_type: dataType, content = '', file_list: fileIds = [], message_id, timestamp } = call.body
  return {
    ...{ dataType, content, fileIds, timestamp, messageId: message_id },
    userId: userOf(call.request.token, call.body.user_id),
    fingerprint: fingerprintOf([dataType, content, fileIds]),
    ...keyedTurn(call),
  }
}

/** The turn continues after shutdown: a retry without its id would be a second turn. */
const stopError = (error: unknown, { chatId, runId }: ChatTurn, signal: AbortSignal): unknown =>
  signal.aborted && error instanceof AppError && error.reason === 'unavailable'
    ? new AppError(
        'unavailable',
        `The server is shutting down; send the message again with chat_id ${chatId}`,
        {
          data: { chat_id: chatId, run_id: runId },
        },
      )
    : error

async function chat(parts: ConversationParts, call: ChatCall): Promise<unknown> {
  const { agents, chats } = parts
  const { body, request, reply } = call
  const signal = callerSignal(request, reply)
  const after = isOn(body.stream) ? lastEventId(request) : undefined
  const { workspaceId, agent } = await agentFor(agents, request.token, body.agent_id, 'run')
  const { token } = request
  const key = { workspaceId, id: body.conversation_id, agentId: agent.id }
  const conversation = await conversationFor(parts, token, key)
  const place = { ...sourceOf(parts, token, workspaceId), agent, conversation }
  const turn = await chats.chat(place, chatRequest(call), signal)
  if (isOn(body.stream)) {
    const ids = { chatId: turn.chatId, runId: turn.runId, conversationId: conversation.id }
    // An event id of another turn would only hide events of this one.
    const seenUntil = turn.wasSeen ? after : undefined
    const events = async function* (gone: AbortSignal): AsyncGenerator<ServerSentEvent> {
      for await (const event of turn.events(seenUntil, gone)) yield eventOnWire(event, ids)
    }
    return eventStream(request, events, {
      failure: error => failedOnWire(error, ids),
      resumeHint: `to receive the rest, send the same request with chat_id ${turn.chatId}`,
      isAllowed: async () =>
        request.token !== undefined || (await agents.store.findPublic(agent.id)) !== undefined,
    })
  }
  const answer = await turn.answer(signal).catch((error: unknown) => {
    throw stopError(error, turn, signal)
  })
  const failure = failureOf(answer)
  if (failure) throw failure
  return answerOnWire(answer)
}

function chatRoutes(parts: ConversationParts): Route[] {
  const { agents, conversations } = parts
  return [
    route(operations.create, async ({ body, request }) => {
      const { workspaceId, agent } = await agentFor(agents, request.token, body.agent_id, 'run')
      const conversation = await conversations.create(workspaceId, {
        agentId: agent.id,
        userId: userOf(request.token, body.user_id),
        ...(body.env_type !== undefined && { envType: body.env_type }),
      })
      return { conversation_id: conversation.id }
    }),

    route(operations.chat, call => chat(parts, call)),

    route(operations.retrieve, async ({ body, request }) => {
      const { workspaceId, agent } = await agentFor(agents, request.token, body.agent_id, 'read')
      const key = { workspaceId, id: body.conversation_id, agentId: agent.id }
      const conversation = await conversationFor(parts, request.token, key)
      const { limit = 100, offset = 0, details } = body
      return messagesAnswer(
        conversation.id,
        conversations.retrieve(workspaceId, conversation, { limit, offset, withDetails: isOn(details) }),
      )
    }),
  ]
}

function managementRoutes(parts: ConversationParts): Route[] {
  const { conversations } = parts
  /** A conversation that the token may not see is reported as not found. */
  const checkMaySee = (token: TokenRecord, id: string): Promise<unknown> =>
    conversationFor(parts, token, { workspaceId: token.workspaceId, id })

  return [
    route(operations.list, ({ token, body }) => {
      const bound = token.agentIds.length > 0 ? token.agentIds : undefined
      const agentIds =
        body.agent_id === undefined ? bound : mayUse(token, body.agent_id) ? [body.agent_id] : []
      const filter = { agentIds, userId: userOf(token, body.user_id), keyword: body.keyword ?? '' }
      const list = (page: PageRequest) => conversations.store.list(token.workspaceId, filter, page)
      return pageAnswer(body, list, conversationOnWire)
    }),

    route(operations.rename, async ({ token, body }) => {
      await checkMaySee(token, body.conversation_id)
      await conversations.rename(token.workspaceId, body.conversation_id, body.name)
      return { conversation_id: body.conversation_id }
    }),

    route(operations.delete, async ({ token, body }) => {
      await checkMaySee(token, body.conversation_id)
      await conversations.remove(token.workspaceId, body.conversation_id)
      return { conversation_id: body.conversation_id }
    }),

    route(operations.feedback, async ({ token, body }) => {
      const { conversation_id, message_id, rating, comment = '' } = body
      await checkMaySee(token, conversation_id)
      await conversations.rate(token.workspaceId, conversation_id, message_id, { rating, comment })
      return { conversation_id, message_id }
    }),
  ]
}

export const conversationRoutes = (parts: ConversationParts): Route[] => [
  ...chatRoutes(parts),
  ...managementRoutes(parts),
]
