import { isAllowed } from '../../access/permissions.ts'
import { conversationOperations as operations } from '../../contract/conversation-operations.ts'
import { isOn } from '../../contract/fields.ts'
import { type PageRequest, pageAnswer } from '../../contract/paging.ts'
import type { ChatRequest } from '../../conversations/chat-request.ts'
import type { ChatTurn } from '../../conversations/chat-turn.ts'
import { exportConversations, exportOne } from '../../conversations/conversation-export.ts'
import type { ConversationFilter } from '../../conversations/conversation-store.ts'
import { AppError, invalidField } from '../../kernel/app-error.ts'
import { derivedId } from '../../kernel/ids.ts'
import { callerSignal, eventStream, lastEventId, type ServerSentEvent } from '../event-stream.ts'
import { type Call, fingerprintOf, idempotencyKey, type Route, route } from '../route.ts'
import { rowsAnswer } from '../rows-answer.ts'
import { momentOf } from '../wire.ts'
import { admitPage, agentOf, type Caller, callerOf, mayUse, userOf } from './agent-access.ts'
import {
  type ConversationParts,
  conversationFor,
  conversationOf,
  type SentFileParts,
  sourceOf,
} from './conversation-access.ts'
import {
  answerOnWire,
  conversationOnWire,
  eventOnWire,
  failedOnWire,
  failureOf,
  messageOnWire,
  messagesAnswer,
  suggestionsOnWire,
  toolOnWire,
  turnOnWire,
} from './conversation-on-wire.ts'

type ChatCall = Call<typeof operations.chat>
type ChatRouteParts = ConversationParts & SentFileParts

/** An Idempotency-Key determines the turn, with the token; without one, the conversation id is the caller's secret. */
function keyedTurn({ request, body }: ChatCall): Pick<ChatRequest, 'chatId' | 'keyField'> {
  const key = idempotencyKey(request)
  if (key === undefined || body.chat_id !== undefined) return { chatId: body.chat_id }
  const caller = request.token?.id ?? 'anonymous'
  const chatId = derivedId('chat', [caller, key, body.conversation_id])
  return { chatId, keyField: 'header/Idempotency-Key' }
}

function chatRequest(call: ChatCall, caller: Caller): ChatRequest {
  const {
    data_type: dataType,
    content = '',
    file_list: fileIds = [],
    message_id,
    timestamp,
    inputs,
  } = call.body
  return {
    ...{ dataType, content, fileIds, timestamp, messageId: message_id },
    userId: userOf(caller, call.body.user_id),
    replaces: call.body.replaces,
    inputs,
    fingerprint: fingerprintOf([dataType, content, fileIds, ...(inputs ? [inputs] : [])]),
    ...(isOn(call.body.voice) && { turnInputs: { voice: true } }),
    ...keyedTurn(call),
  }
}

/** The turn continues after a shutdown, and a retry without its id would be a second turn. */
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

async function chat(parts: ChatRouteParts, call: ChatCall): Promise<unknown> {
  const { agents, chats } = parts
  const { body, request, reply } = call
  const signal = callerSignal(request, reply)
  const after = isOn(body.stream) ? lastEventId(request) : undefined
  const { workspaceId, agent, caller, conversation } = await conversationOf(parts, call, body, 'run')
  const place = { ...sourceOf(parts, caller, workspaceId), agent, conversation }
  const turn = await chats.chat(place, chatRequest(call, caller), signal)
  if (isOn(body.stream)) {
    const ids = { chatId: turn.chatId, runId: turn.runId, conversationId: conversation.id }
    // An event id of another turn would only hide events of this one.
    const seenUntil = turn.wasSeen ? after : undefined
    const events = async function* (gone: AbortSignal): AsyncGenerator<ServerSentEvent> {
      let last = 0
      for await (const event of turn.events(seenUntil, gone, true)) {
        last = event.id
        if (event.event !== 'run') yield eventOnWire(event, ids)
        else if (event.run.event === 'node.tool')
          yield toolOnWire(event.run, ids, request.token !== undefined)
      }
      if (agent.config.suggest_questions !== true || gone.aborted) return
      const questions = await chats.suggestions(agent, { ...ids, workspaceId })
      if (questions.length > 0) yield suggestionsOnWire(last + 1, questions, ids)
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

function chatRoutes(parts: ChatRouteParts): Route[] {
  const { agents, conversations } = parts
  return [
    route(operations.create, async call => {
      const { body } = call
      const { workspaceId, agent, caller } = await agentOf(agents, call, body.agent_id, 'run')
      const conversation = await conversations.create(workspaceId, {
        agentId: agent.id,
        userId: userOf(caller, body.user_id),
        ...(body.env_type !== undefined && { envType: body.env_type }),
      })
      return { conversation_id: conversation.id }
    }),

    route(operations.chat, call => chat(parts, call)),

    route(operations.turn, async call => {
      const { workspaceId, conversation } = await conversationOf(parts, call, call.query, 'read')
      return turnOnWire(await parts.chats.turn(workspaceId, conversation.id, call.query.chat_id))
    }),

    route(operations.versions, async call => {
      const { conversation_id: id, chat_id: chatId, version } = call.query
      const { workspaceId } = await conversationOf(parts, call, call.query, 'read')
      const found = await parts.chats.version({ workspaceId, conversationId: id, chatId }, Number(version))
      return {
        ...{ conversation_id: id, chat_id: found.chatId },
        ...{ version: Number(version), versions: found.versions },
        retrieve_data: found.messages.map(message => messageOnWire(message)),
      }
    }),

    route(operations.suggestions, async call => {
      const { conversation_id: id, chat_id: chatId } = call.body
      const { workspaceId, agent } = await conversationOf(parts, call, call.body, 'run')
      const questions = await parts.chats.suggestions(agent, { workspaceId, conversationId: id, chatId })
      return { conversation_id: id, chat_id: chatId, questions }
    }),

    route(operations.stop, async call => {
      const { workspaceId, conversation } = await conversationOf(parts, call, call.body, 'run')
      return { conversation_id: conversation.id, stopped: await parts.chats.stop(workspaceId, conversation) }
    }),

    route(operations.retrieve, async call => {
      const { body } = call
      const { workspaceId, agent, caller, conversation } = await conversationOf(parts, call, body, 'read')
      const { limit = 100, offset = 0, details } = body
      return messagesAnswer(
        conversation.id,
        conversations.retrieve(workspaceId, conversation, { limit, offset, withDetails: isOn(details) }),
        {
          calls: caller.token !== undefined,
          reasoning: caller.token !== undefined && isAllowed(caller.token, 'read'),
          suggestions: agent.config.suggest_questions === true,
        },
      )
    }),
  ]
}

/** The caller of an operation on existing conversations: a token with the required access, or a visitor of an agent. */
async function managerOf(
  { agents, access }: ConversationParts,
  call: Pick<Call, 'request' | 'reply'>,
  agentId: string | undefined,
  needed: 'token' | 'run',
): Promise<{ workspaceId: string; caller: Caller }> {
  const caller = callerOf(call.request)
  const { token, boundUser } = caller
  if (token) {
    access.authorize(token, needed)
    if (agentId !== undefined) await admitPage(agents, call, token, agentId)
    return { workspaceId: token.workspaceId, caller }
  }
  if (agentId === undefined || boundUser === undefined)
    throw new AppError(
      'token_missing',
      'Send a token as Authorization: Bearer <token>, or agent_id and the secret of a visitor as X-Visitor',
    )
  return agentOf(agents, call, agentId, 'run')
}

/** Which conversations a list or an export has; a caller sees only those of its agents and its user. */
function filterOf(
  caller: Caller,
  body: Omit<Call<typeof operations.list>['body'], 'page' | 'page_size' | 'cursor'>,
): ConversationFilter {
  const { agent_id: agentId, keyword = '', rating } = body
  const bound = caller.token && caller.token.agentIds.length > 0 ? caller.token.agentIds : undefined
  const mayList = !caller.token || (agentId !== undefined && mayUse(caller.token, agentId))
  return {
    agentIds: agentId === undefined ? bound : mayList ? [agentId] : [],
    userId: userOf(caller, body.user_id),
    ...{ keyword, rating, from: momentOf(body.from, '/from'), to: momentOf(body.to, '/to') },
  }
}

function managementRoutes(parts: ConversationParts): Route[] {
  const { conversations } = parts
  /** The workspace of a conversation; one that the caller may not see is reported as not found. */
  const placeOf = async (
    call: Pick<Call, 'request' | 'reply'> & { body: { conversation_id: string; agent_id?: string } },
  ): Promise<string> => {
    const { conversation_id: id, agent_id: agentId } = call.body
    const { workspaceId, caller } = await managerOf(parts, call, agentId, 'run')
    const conversation = await conversationFor(parts, caller, { workspaceId, id, agentId })
    if (caller.token && agentId === undefined)
      await admitPage(parts.agents, call, caller.token, conversation.agentId)
    return workspaceId
  }

  return [
    route(operations.list, async call => {
      const { body } = call
      const { workspaceId, caller } = await managerOf(parts, call, body.agent_id, 'token')
      const filter = filterOf(caller, body)
      const list = (page: PageRequest) => conversations.store.list(workspaceId, filter, page)
      return pageAnswer(body, list, conversationOnWire)
    }),

    route(operations.export, async call => {
      const { workspaceId, body } = call
      const { format, conversation_id: id } = body
      const caller = callerOf(call.request)
      const filter = filterOf(caller, body)
      if (id === undefined) {
        if (format === 'json' || format === 'markdown')
          throw invalidField(
            '/conversation_id',
            `is required with the format ${format}; or send csv or jsonl`,
          )
        const rows = exportConversations(conversations, workspaceId, filter, format)
        return rowsAnswer(rows, format, `conversations-${body.agent_id ?? 'all'}`)
      }
      const conversation = await conversationFor(parts, caller, { workspaceId, id, agentId: body.agent_id })
      const agent = await parts.agents.get(workspaceId, conversation.agentId)
      return rowsAnswer(exportOne(conversations, workspaceId, conversation, { format, agent }), format, id)
    }),

    route(operations.rename, async call => {
      const { conversation_id: id, name } = call.body
      await conversations.rename(await placeOf(call), id, name)
      return { conversation_id: id }
    }),

    route(operations.delete, async call => {
      const { conversation_id: id } = call.body
      await conversations.remove(await placeOf(call), id)
      return { conversation_id: id }
    }),

    route(operations.feedback, async call => {
      const { conversation_id, message_id, rating, comment = '' } = call.body
      await conversations.rate(await placeOf(call), conversation_id, message_id, { rating, comment })
      return { conversation_id, message_id }
    }),
  ]
}

export const conversationRoutes = (parts: ChatRouteParts): Route[] => [
  ...chatRoutes(parts),
  ...managementRoutes(parts),
]
