import { ApiFailure, failureFrom, unreachable } from '../api/api-failure.ts'
import type { CallData } from '../api/operations.ts'
import { readEvents } from '../api/stream.ts'
import { type ChatApi, newId, pause } from '../pages/agents/chat/chat-api.ts'
import type { ChatTurn } from '../pages/agents/chat/chat-turns.ts'
import { readStored, store } from '../ui/storage.ts'

export type Profile = CallData<'GET /api/v1/agent/profile'>
type HistoryPage = CallData<'POST /api/v1/conversation/list'>
export type HistoryItem = HistoryPage['items'][number]
type TurnState = CallData<'GET /api/v1/conversation/turn'>
type UploadedFile = CallData<'POST /api/v1/conversation/upload'>

export interface ReceivedFile {
  name: string
  mimeType: string
  address: string
}

const secretKey = (agentId: string): string => `banyan.visitor.${agentId}`

/** The calls of a visitor to one public agent, with the secret that the server gave to this browser. */
export class VisitorApi {
  readonly agentId: string
  #secret: Promise<string> | undefined

  constructor(agentId: string) {
    this.agentId = agentId
  }

  profile = async (): Promise<Profile> =>
    (await this.#json('agent/profile', { query: {} }))['data'] as Profile

  history = async (page: number): Promise<HistoryPage> =>
    (await this.#json('conversation/list', { body: { page, page_size: 30 }, isVisitor: true })) as HistoryPage

  /** How a turn ended, and the passages that its replies cite. */
  turn = async (conversationId: string, chatId: string, signal?: AbortSignal): Promise<TurnState> => {
    const query = { conversation_id: conversationId, chat_id: chatId }
    return (await this.#json('conversation/turn', { query, isVisitor: true, signal })) as TurnState
  }

  remove = (conversationId: string): Promise<unknown> =>
    this.#json('conversation/delete', { body: { conversation_id: conversationId }, isVisitor: true })

  create = async (): Promise<string> => {
    const answer = await this.#json('conversation/create', {
      body: { env_type: 'chat_page' },
      isVisitor: true,
    })
    return String(answer['conversation_id'])
  }

  upload = async (conversationId: string, file: File, signal: AbortSignal): Promise<UploadedFile> => {
    const query = { conversation_id: conversationId, name: file.name }
    const headers = { 'content-type': 'application/octet-stream' }
    const request = { query, isVisitor: true, signal, content: file, headers }
    return (await this.#json('conversation/upload', request)) as UploadedFile
  }

  file = async (place: FilePlace, signal: AbortSignal): Promise<ReceivedFile> => {
    const response = await this.#send('conversation/file', { query: { ...place }, isVisitor: true, signal })
    const [, encoded = ''] =
      /filename\*=UTF-8''([^;]+)/i.exec(response.headers.get('content-disposition') ?? '') ?? []
    const content = await response.blob()
    return {
      name: decodeURIComponent(encoded) || place.file_id,
      mimeType: content.type.split(';')[0] ?? '',
      address: URL.createObjectURL(content),
    }
  }

  readonly chat: ChatApi = {
    newId,
    pause,
    create: () => this.create(),
    retrieve: async (conversationId, limit, offset, signal) => {
      const body = { conversation_id: conversationId, limit, offset, details: 1 }
      const answer = await this.#json('conversation/retrieve', { body, isVisitor: true, signal })
      return answer['retrieve_data'] as Awaited<ReturnType<ChatApi['retrieve']>>
    },
    run: async (_, signal, { conversationId, chatId }) => {
      const { status, options, error } = await this.turn(conversationId, chatId, signal)
      return {
        chat_id: chatId,
        status: runStatus[status],
        waiting: status === 'waiting' ? { options: options ?? [] } : null,
        error: error ?? null,
      } as Awaited<ReturnType<ChatApi['run']>>
    },
    suggestions: async (conversationId, chatId) => {
      const body = { conversation_id: conversationId, chat_id: chatId }
      const answer = await this.#json('conversation/suggestions', { body, isVisitor: true })
      return answer['questions'] as string[]
    },
    version: async (conversationId, chatId, version) => {
      const query = { conversation_id: conversationId, chat_id: chatId, version: String(version) }
      const answer = await this.#json('conversation/versions', { query, isVisitor: true })
      return answer['retrieve_data'] as Awaited<ReturnType<ChatApi['version']>>
    },
    // The server finds the run of the conversation itself.
    activeRun: async () => '',
    chat: (conversationId, turn, lastEventId, signal) =>
      this.#stream(conversationId, turn, lastEventId, signal),
    stop: async (_, conversationId) => {
      // The run of the turn may start a moment later.
      for (let tries = 0; tries < 5; tries++) {
        const body = { conversation_id: conversationId }
        if ((await this.#json('conversation/stop', { body, isVisitor: true }))['stopped'] === true) return
        await pause(0)
      }
    },
    rate: (conversationId, messageId, rating, comment) =>
      this.#json('conversation/feedback', {
        body: { conversation_id: conversationId, message_id: messageId, rating, comment },
        isVisitor: true,
      }),
  }

  async *#stream(
    conversationId: string,
    { chatId, userMessage, replaces }: ChatTurn,
    lastEventId: string | undefined,
    signal: AbortSignal,
  ) {
    const response = await this.#send('conversation/chat', {
      body: {
        ...{ conversation_id: conversationId, chat_id: chatId, message_id: userMessage!.id },
        ...{ data_type: userMessage!.type, content: userMessage!.content, file_list: userMessage!.fileIds },
        ...{ stream: 1, ...(replaces !== undefined && { replaces }) },
        ...(userMessage!.inputs && { inputs: userMessage!.inputs }),
      },
      headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
      isVisitor: true,
      signal,
    })
    if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
      throw failureFrom(await response.json(), response)
    yield* readEvents(response)
  }

  /** The secret of this browser for this agent, requested when it is first needed. */
  #visitor(): Promise<string> {
    this.#secret ??= this.#readSecret().catch((error: unknown) => {
      this.#secret = undefined
      throw error
    })
    return this.#secret
  }

  async #readSecret(): Promise<string> {
    const known = readStored(secretKey(this.agentId))
    if (known !== undefined) return known
    const { visitor } = (await this.#json('agent/visitor', { body: {} }))['data'] as { visitor: string }
    store(secretKey(this.agentId), visitor)
    return visitor
  }

  async #json(path: string, request: VisitorRequest): Promise<Record<string, unknown>> {
    const response = await this.#send(path, request)
    const answer = (await response.json()) as Record<string, unknown>
    if (answer['code'] !== 0) throw failureFrom(answer, response)
    return answer
  }

  async #send(path: string, request: VisitorRequest): Promise<Response> {
    const { query, body, content, isVisitor, signal } = request
    const headers: Record<string, string> = { ...request.headers }
    if (isVisitor) headers['x-visitor'] = await this.#visitor()
    if (body) headers['content-type'] = 'application/json'
    const address = new URL(`api/v1/${path}`, document.baseURI)
    for (const [name, value] of Object.entries(query ? { agent_id: this.agentId, ...query } : {}))
      address.searchParams.set(name, value)
    const payload = body ? JSON.stringify({ agent_id: this.agentId, ...body }) : content
    let response: Response
    try {
      response = await fetch(address, {
        ...{
          method: payload === undefined ? 'GET' : 'POST',
          headers,
          credentials: 'omit',
          cache: 'no-store',
        },
        ...(payload !== undefined && { body: payload }),
        ...(signal && { signal }),
      })
    } catch (error) {
      if (signal?.aborted) throw error
      throw unreachable()
    }
    if (response.ok) return response
    throw failureFrom(await response.json().catch(() => undefined), response)
  }
}

interface VisitorRequest {
  query?: Record<string, string>
  body?: Record<string, unknown>
  content?: Blob
  headers?: Record<string, string>
  /** Whether the call is sent with the visitor's secret. */
  isVisitor?: boolean
  signal?: AbortSignal | undefined
}

export interface FilePlace {
  conversation_id: string
  message_id: string
  file_id: string
}

const runStatus = {
  active: 'running',
  done: 'succeeded',
  waiting: 'waiting',
  failed: 'failed',
  stopped: 'stopped',
} as const

export const isMissing = (error: unknown): boolean =>
  error instanceof ApiFailure && error.reason === 'not_found'
