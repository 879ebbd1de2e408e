import { ApiFailure } from '../../../api/api-failure.ts'
import { call } from '../../../api/call.ts'
import type { CallData } from '../../../api/operations.ts'
import type { ServerEvent } from '../../../api/stream.ts'
import { stream } from '../../../api/stream.ts'
import type { ChatTurn, Rating } from './chat-turns.ts'

type RunDetails = CallData<'GET /api/v1/workflow/runs/{run_id}'>
type Messages = CallData<'POST /api/v1/conversation/retrieve'>['retrieve_data']

/** The server calls of a chat. */
export interface ChatApi {
  newId(prefix: string): string
  create(): Promise<string>
  retrieve(conversationId: string, limit: number, offset: number, signal: AbortSignal): Promise<Messages>
  /** The run of a turn; undefined if it is no longer stored. */
  run(
    runId: string,
    signal: AbortSignal,
    turn: { conversationId: string; chatId: string },
  ): Promise<Pick<RunDetails, 'status' | 'chat_id' | 'waiting' | 'error'> | undefined>
  activeRun(conversationId: string): Promise<string | undefined>
  chat(
    conversationId: string,
    turn: ChatTurn,
    lastEventId: string | undefined,
    signal: AbortSignal,
  ): AsyncIterable<ServerEvent>
  stop(runId: string, conversationId: string): Promise<unknown>
  rate(conversationId: string, messageId: string, rating: Rating | null, comment: string): Promise<unknown>
  pause(breaks: number): Promise<void>
  /** Questions that the user may ask after a turn; absent if the agent proposes none. */
  suggestions?: (conversationId: string, chatId: string) => Promise<readonly string[]>
  /** The messages of an earlier version of a turn. */
  version(conversationId: string, chatId: string, version: number): Promise<Messages>
}

/**
 * Console conversations have a user id of their own, which separates them from users' conversations in lists
 * and in the agent's memory.
 */
export const consoleUser = 'console'

/** The current state of a run; undefined if it was removed by its retention. */
export async function readRun(runId: string, signal: AbortSignal): Promise<RunDetails | undefined> {
  try {
    return await call('GET /api/v1/workflow/runs/{run_id}', { params: { run_id: runId }, signal })
  } catch (error) {
    if (error instanceof ApiFailure && error.reason === 'not_found') return undefined
    throw error
  }
}

export const chatApi = (agentId: string, suggests: boolean): ChatApi => ({
  ...(suggests && { suggestions: suggestionsOf(agentId) }),
  newId,
  create: async () => {
    const body = { agent_id: agentId, user_id: consoleUser, env_type: 'console' }
    return (await call('POST /api/v1/conversation/create', { body })).conversation_id
  },
  retrieve: async (conversationId, limit, offset, signal) => {
    const body = { agent_id: agentId, conversation_id: conversationId, limit, offset, details: 1 as const }
    return (await call('POST /api/v1/conversation/retrieve', { body, signal })).retrieve_data
  },
  run: readRun,
  activeRun: async conversationId => {
    const query = { conversation_id: conversationId, page_size: 1 }
    const { items } = await call('GET /api/v1/workflow/runs', { query })
    return items.find(({ status }) => status === 'queued' || status === 'running')?.run_id
  },
  chat: (conversationId, { chatId, userMessage, replaces }, lastEventId, signal) =>
    stream('POST /api/v1/conversation/chat', {
      body: {
        agent_id: agentId,
        conversation_id: conversationId,
        data_type: userMessage!.type,
        content: userMessage!.content,
        file_list: [...userMessage!.fileIds],
        chat_id: chatId,
        message_id: userMessage!.id,
        user_id: consoleUser,
        stream: 1,
        ...(replaces !== undefined && { replaces }),
        ...(userMessage!.inputs && { inputs: userMessage!.inputs }),
      },
      ...(lastEventId !== undefined && { headers: { 'last-event-id': lastEventId } }),
      signal,
    }),
  stop: runId => call('POST /api/v1/workflow/runs/{run_id}/stop', { params: { run_id: runId } }),
  rate: (conversationId, messageId, rating, comment) =>
    call('POST /api/v1/conversation/feedback', {
      body: { conversation_id: conversationId, message_id: messageId, rating, comment },
    }),
  pause,
  version: async (conversationId, chatId, version) => {
    const turn = { agent_id: agentId, conversation_id: conversationId, chat_id: chatId }
    const query = { ...turn, version: String(version) }
    return (await call('GET /api/v1/conversation/versions', { query })).retrieve_data
  },
})

const suggestionsOf = (agentId: string) => async (conversationId: string, chatId: string) => {
  const body = { agent_id: agentId, conversation_id: conversationId, chat_id: chatId }
  return (await call('POST /api/v1/conversation/suggestions', { body })).questions
}

export type InputVariables = CallData<'GET /api/v1/agent/variables'>['variables']

/** The input variables of the workflow of an agent. */
export const readVariables = async (agentId: string, signal: AbortSignal): Promise<InputVariables> =>
  (await call('GET /api/v1/agent/variables', { query: { agent_id: agentId }, signal })).variables

export const newId = (prefix: string): string => `${prefix}_${randomPart()}`

export const pause = (breaks: number): Promise<void> =>
  new Promise(resolve => setTimeout(resolve, Math.min(250 * 2 ** breaks, 8000)))

/** 128 random bits; randomUUID needs a secure origin, and this server may be on plain HTTP. */
const randomPart = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('')
