import { AsyncLocalStorage } from 'node:async_hooks'
import { ReadableStream } from 'node:stream/web'
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js'
import { followSignal } from '../../kernel/follow-signal.ts'
import { isRecord } from '../../kernel/is-record.ts'
import { jsonExcess } from '../../tools/json-limits.ts'
import {
  drain,
  type Egress,
  EgressFailure,
  type EgressRequest,
  type EgressResponse,
  parseJson,
  plainHeaders,
  readText,
} from '../egress/egress.ts'
import { checkedEvents } from './checked-events.ts'
import {
  failureOfStatus,
  hostOf,
  InvalidRpcMessage,
  type ServerAddress,
  serverFailure,
} from './tool-server-failure.ts'

/** One request of ours to the server. */
export interface RpcCall {
  /** Why its response broke off; the SDK knows only that it did. */
  failure?: unknown
  /** Ends its exchange, if that is still in progress. */
  abandon?: (() => void) | undefined
}

/** The call that the SDK is sending; its transports have no place to pass one on. */
export const currentCall = new AsyncLocalStorage<RpcCall>()

/** The results of this method contain data, such as ids, whose digits must not change. */
const callMethod = 'tools/call'

interface SentMessage {
  id?: string | number
  method?: string
}

/** Session ids that the protocol allows, within the limits of a header. */
const sessionIdForm = /^[\x21-\x7e]{1,1024}$/

const maxBytes = 10 << 20
/** Size limit of a stream that stays open as long as its session. */
const maxStreamBytes = 64 << 20
const minute = 60_000
const callTimeouts = {
  connectMilliseconds: 10_000,
  idleMilliseconds: 2 * minute,
  totalMilliseconds: 30 * minute,
}
const streamTimeouts = { ...callTimeouts, idleMilliseconds: 10 * minute }
const endTimeouts = { connectMilliseconds: 2000, idleMilliseconds: 2000, totalMilliseconds: 2000 }
/** Requests of the server that are answered after one of ours; we offer nothing, so an honest one sends few. */
const maxServerRequests = 16
/** Streams that one session may open, so that a server cannot make us connect again forever. */
const maxStreams = 32

interface McpFetchOptions {
  /** Whether to listen to the server between our requests. */
  wantsStream(): boolean
  /** The stream that carries all responses of the older transport ended. */
  onStreamEnd?(): void
}

/** `fetch` for the transports of the SDK, through the outbound client and within our limits. */
export function createMcpFetch(egress: Egress, server: ServerAddress, options: McpFetchOptions): FetchLike {
  let serverRequests = 0
  let streams = 0

  async function plain(url: URL, init: RequestInit, headers: Record<string, string>): Promise<Response> {
    const body = init.body == null ? {} : { body: String(init.body) }
    const request = { method: init.method ?? 'GET', headers, ...body, signal: init.signal ?? undefined }
    const response = await egress.request(url, { ...request, maxBytes: 1 << 20 })
    return new Response(await readText(response), responseInit(response))
  }

  async function post(url: URL, request: EgressRequest & { body: string }): Promise<Response> {
    const sent = JSON.parse(request.body) as SentMessage
    const isRequest = sent.method !== undefined && sent.id !== undefined
    if (isRequest) serverRequests = 0
    // Further replies are not sent; the server decides whether to go on without them.
    else if (sent.method === undefined && ++serverRequests > maxServerRequests)
      return new Response(null, { status: 202 })
    const call = isRequest ? currentCall.getStore() : undefined
    const { controller, release } = followSignal(request.signal)
    if (call) call.abandon = () => controller.abort()
    const end = (): void => {
      release()
      if (call) call.abandon = undefined
    }
    const exchange = egress.request(url, {
      ...request,
      signal: controller.signal,
      // The tool may have run already; every other message is safe to repeat.
      isRepeatable: sent.method !== callMethod,
      maxBytes,
      timeouts: callTimeouts,
    })
    exchange.then(({ body }) => body.once('close', end), end)
    const response = await exchange
    const { status } = response
    if (status >= 200 && status <= 299) {
      const sessionId = response.headers['mcp-session-id']
      if (sessionId !== undefined && !sessionIdForm.test(String(sessionId)))
        throw serverFailure(server, 'sent a session id that the protocol does not allow')
      return isRequest && status !== 202 ? answer(sent, response, call) : emptied(response)
    }
    // The SDK follows redirects within the origin, and asks for a token.
    if ((status >= 300 && status <= 399) || (server.oauth && (status === 401 || status === 403)))
      return emptied(response)
    throw await failureOfStatus(server, response, request.headers?.['mcp-session-id'] !== undefined)
  }

  async function answer(sent: SentMessage, response: EgressResponse, call: RpcCall | undefined) {
    const type = (response.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
    if (type !== 'text/event-stream')
      return jsonResponse(await parseRpc(await readText(response), sent), response)
    const lastEvent = (failure: unknown, isResumable: boolean): string | undefined => {
      // The SDK asks for the rest of a stream that has event ids.
      if (isResumable && !(failure instanceof InvalidRpcMessage)) return undefined
      const ended = `${hostOf(server)} ended its response without a result`
      if (call) call.failure ??= failure ?? new EgressFailure('unreachable', ended)
      return JSON.stringify({ jsonrpc: '2.0', id: sent.id, error: { code: -32000, message: ended } })
    }
    return eventResponse(checkedEvents(response.body, lastEvent), response)
  }

  async function listen(url: URL, request: EgressRequest): Promise<Response> {
    const isResumption = request.headers?.['last-event-id'] !== undefined
    // As if the server offered no stream, which the SDK accepts.
    if (!(isResumption || options.wantsStream()) || ++streams > maxStreams)
      return new Response(null, { status: 405 })
    const limits = { maxBytes: maxStreamBytes, timeouts: streamTimeouts }
    const response = await egress.request(url, { ...request, ...limits })
    if (response.status !== 200) return emptied(response)
    const lastEvent = (): undefined => {
      options.onStreamEnd?.()
    }
    return eventResponse(checkedEvents(response.body, lastEvent), response)
  }

  return async (address, init = {}) => {
    const url = new URL(address)
    const headers = Object.fromEntries(new Headers(init.headers))
    const isRpc = headers['content-type'] === 'application/json' && typeof init.body === 'string'
    const isStream = headers['accept'] === 'text/event-stream'
    // Requests for a token: neither the headers for the server nor its limits are meant for them.
    if (!isRpc && !isStream && init.method !== 'DELETE') return plain(url, init, headers)
    const own = Object.entries(server.headers).map(([name, value]) => [name.toLowerCase(), value])
    const request: EgressRequest = {
      method: init.method ?? 'GET',
      headers: { ...Object.fromEntries(own), ...headers },
      signal: init.signal ?? undefined,
      redirect: 'manual',
    }
    if (isRpc) return post(url, { ...request, body: String(init.body) })
    if (isStream) return listen(url, request)
    return emptied(await egress.request(url, { ...request, timeouts: endTimeouts }))
  }
}

const responseInit = ({ status, headers }: Pick<EgressResponse, 'status' | 'headers'>): ResponseInit => ({
  status,
  headers: plainHeaders(headers),
})

async function emptied(response: EgressResponse): Promise<Response> {
  await drain(response.body)
  return new Response(null, responseInit(response))
}

const eventResponse = (events: AsyncIterable<Uint8Array>, response: EgressResponse): Response =>
  new Response(ReadableStream.from(events) as globalThis.ReadableStream, responseInit(response))

/** A response whose JSON was parsed already, without blocking the event loop. */
function jsonResponse(value: unknown, response: EgressResponse): Response {
  const headers = { ...response.headers, 'content-type': 'application/json' }
  const parsed = new Response(null, responseInit({ ...response, headers }))
  return Object.assign(parsed, { json: async () => value })
}

/** The messages of a body. Adds the id and the message of an error, which the SDK requires. */
async function parseRpc(text: string, { id, method }: SentMessage): Promise<unknown> {
  const excess = jsonExcess(text)
  if (excess !== undefined) throw new InvalidRpcMessage(`JSON that is ${excess}`)
  const value = await parseJson(text, { keepsDigits: method === callMethod })
  if (value === undefined) throw new InvalidRpcMessage('something that is not JSON')
  return Array.isArray(value) ? value.map(each => completed(each, id)) : completed(value, id)
}

function completed(message: unknown, id: SentMessage['id']): unknown {
  if (!isRecord(message)) throw new InvalidRpcMessage('JSON that is not JSON-RPC')
  const { error } = message
  if (!isRecord(error)) return message
  const { code, message: text } = error
  return {
    ...message,
    id: message['id'] ?? id,
    error: { ...error, code: Number(code) || -32603, message: String(text || `error ${code}`) },
  }
}
