import { createParser } from 'eventsource-parser'
import { isRecord } from '../../kernel/is-record.ts'
import { parseInPieces } from '../../kernel/parse-in-pieces.ts'
import { retryAfterMilliseconds } from '../../kernel/retry-after.ts'
import { inSlices } from '../../kernel/slices.ts'
import { jsonExcess } from '../../tools/json-limits.ts'
import { ToolFailure } from '../../tools/tool-failure.ts'
import type { ToolServer } from '../../tools/tool-server.ts'
import { type Egress, EgressFailure, type EgressResponse, readText } from '../egress/egress.ts'
import { toolFailureOfEgress } from '../egress/egress-http-client.ts'

/** A message of a server, by JSON-RPC 2.0. */
type RpcMessage =
  | { kind: 'result'; id: unknown; result: unknown }
  | { kind: 'error'; id: unknown; message: string }
  | { kind: 'request'; id: string | number; method: string }
  | { kind: 'notification' }

class NotRpc extends Error {}

/** A text holds one message, or several in an array as older servers send them. */
async function parseRpc(text: string): Promise<RpcMessage[]> {
  const value = await parseJson(text)
  return (Array.isArray(value) ? value : [value]).map(readMessage)
}

async function parseJson(text: string): Promise<unknown> {
  const excess = jsonExcess(text)
  if (excess !== undefined) throw new NotRpc(`JSON that is ${excess}`)
  try {
    return await inSlices(parseInPieces(text))
  } catch {
    throw new NotRpc('something that is not JSON')
  }
}

function readMessage(value: unknown): RpcMessage {
  if (!isRecord(value)) throw new NotRpc('JSON that is not JSON-RPC')
  const { id, method, error } = value
  if (typeof method === 'string')
    return typeof id === 'string' || typeof id === 'number'
      ? { kind: 'request', id, method }
      : { kind: 'notification' }
  if (isRecord(error)) {
    const { message, code } = error
    return { kind: 'error', id, message: typeof message === 'string' && message ? message : `error ${code}` }
  }
  if ('result' in value) return { kind: 'result', id, result: value['result'] }
  throw new NotRpc('JSON that is not JSON-RPC')
}

/** The messages in a stream of server-sent events. Its size is bounded by `maxBytes` of the request. */
async function* streamedRpc(body: AsyncIterable<Uint8Array>): AsyncGenerator<RpcMessage> {
  const decoder = new TextDecoder()
  const received: string[] = []
  const parser = createParser({
    onEvent: ({ event, data }) => {
      // Empty data only keeps the connection open.
      if ((event ?? 'message') === 'message' && data.trim() !== '') received.push(data)
    },
  })
  const read = async function* (text: string): AsyncGenerator<RpcMessage> {
    parser.feed(text)
    for (const data of received.splice(0)) yield* await parseRpc(data)
  }
  for await (const bytes of body) yield* read(decoder.decode(bytes, { stream: true }))
  // Some servers omit the last blank line; a connection that broke off is an error before this.
  yield* read('\n\n')
}

export type ServerAddress = Pick<ToolServer, 'url' | 'headers'>

/** A JSON-RPC message without `jsonrpc`; one with a method and an id is a request. */
interface SentMessage {
  id?: string | number
  method?: string
  [member: string]: unknown
}

/** The server does not know the session any more, and did not process the request. */
export class SessionGone extends Error {}

const protocolVersion = '2025-06-18'
const supportedVersions: ReadonlySet<unknown> = new Set([protocolVersion, '2025-03-26', '2024-11-05'])

/** What the protocol allows in a session id, within the limits of a header. */
const sessionIdForm = /^[\x21-\x7e]{1,1024}$/

const maxBytes = 10 << 20
const timeouts = { connectMilliseconds: 10_000, idleMilliseconds: 120_000, totalMilliseconds: 300_000 }
/** Requests of the server that are answered during one of ours; we offer nothing, so an honest one sends few. */
const maxServerRequests = 16
const maxQuoteLength = 1000

/** As the user wrote it, for messages. */
export const hostOf = ({ url }: ServerAddress): string =>
  URL.canParse(url) ? new URL(url).host : 'The tool server'

/** A failure that another attempt would not change. */
export const serverFailure = (server: ServerAddress, what: string): ToolFailure =>
  new ToolFailure(`${hostOf(server)} ${what}`, { retryable: false })

/** A message of the server for one of ours: bounded, and without the secrets that were sent to it. */
export function quote(message: string, headers: Readonly<Record<string, string>>): string {
  let text = message.slice(0, maxQuoteLength * 2)
  for (const value of Object.values(headers))
    for (const secret of new Set([value, value.split(' ').at(-1) ?? '']))
      if (secret.length >= 6) text = text.replaceAll(secret, '***')
  return text.length > maxQuoteLength ? `${text.slice(0, maxQuoteLength)}…` : text.trim()
}

/** An initialized session with a server, over the Streamable HTTP transport. */
export class McpSession {
  readonly #egress: Egress
  readonly #server: ServerAddress
  #headers: Readonly<Record<string, string>> = {}
  #lastId = 0

  private constructor(egress: Egress, server: ServerAddress) {
    this.#egress = egress
    this.#server = server
  }

  static async open(egress: Egress, server: ServerAddress, signal: AbortSignal): Promise<McpSession> {
    const session = new McpSession(egress, server)
    await session.#initialize(signal)
    return session
  }

  async #initialize(signal: AbortSignal): Promise<void> {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'banyan', version: '1' } }
    const { result, headers } = await this.#send({ id: ++this.#lastId, method: 'initialize', params }, signal)
    const version = (result as { protocolVersion?: unknown } | null)?.protocolVersion
    if (typeof version !== 'string' || !supportedVersions.has(version))
      throw serverFailure(this.#server, 'uses an unsupported version of the protocol')
    const sessionId = headers['mcp-session-id']
    if (sessionId !== undefined && !sessionIdForm.test(String(sessionId)))
      throw serverFailure(this.#server, 'sent a session id that the protocol does not allow')
    this.#headers = {
      'mcp-protocol-version': version,
      ...(sessionId === undefined ? {} : { 'mcp-session-id': String(sessionId) }),
    }
    await this.#send({ method: 'notifications/initialized' }, signal)
  }

  /** Without an id the server cannot tell sessions apart, and stores nothing in them. */
  get hasState(): boolean {
    return this.#headers['mcp-session-id'] !== undefined
  }

  /** Fails with a `ToolFailure`, a `SessionGone` or the signal's reason. */
  async request(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    return (await this.#send({ id: ++this.#lastId, method, params }, signal)).result
  }

  /** Tells the server that the session is over. Servers need not support it, so a failure is ignored. */
  async end(signal: AbortSignal): Promise<void> {
    if (!this.hasState) return
    try {
      const headers = { ...this.#server.headers, ...this.#headers }
      const response = await this.#egress.request(this.#server.url, { method: 'DELETE', headers, signal })
      response.body.destroy()
    } catch {
      // The session expires on the server.
    }
  }

  /** One POST, and the result if it is a request. */
  async #send(message: SentMessage, signal: AbortSignal) {
    try {
      const response = await this.#egress.request(this.#server.url, {
        method: 'POST',
        headers: {
          ...this.#server.headers,
          ...this.#headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        // The tool may have run already; every other message is safe to repeat.
        isRepeatable: message.method !== 'tools/call',
        signal,
        maxBytes,
        timeouts,
      })
      if (response.status < 200 || response.status > 299) throw await this.#failureOfStatus(response)
      return { result: await this.#readResult(message, response, signal), headers: response.headers }
    } catch (error) {
      if (error instanceof NotRpc)
        throw serverFailure(this.#server, `is not a tool server: it responded with ${error.message}`)
      throw toolFailureOfEgress(error, signal)
    }
  }

  async #readResult(sent: SentMessage, response: EgressResponse, signal: AbortSignal): Promise<unknown> {
    if (sent.id === undefined || sent.method === undefined) {
      response.body.destroy()
      return undefined
    }
    let served = 0
    for await (const message of messagesIn(response)) {
      if (message.kind === 'request') {
        if (served++ < maxServerRequests) this.#reply(message, signal)
      } else if (message.kind === 'error' && (message.id === sent.id || message.id == null))
        throw serverFailure(
          this.#server,
          `reported an error: ${quote(message.message, this.#server.headers)}`,
        )
      else if (message.kind === 'result' && message.id === sent.id) return message.result
    }
    throw new EgressFailure('unreachable', `${hostOf(this.#server)} ended its response without a result`)
  }

  /** A server may send requests before it responds. We answer pings and support nothing else. */
  #reply({ id, method }: Extract<RpcMessage, { kind: 'request' }>, signal: AbortSignal): void {
    const answer = method === 'ping' ? { result: {} } : { error: { code: -32601, message: 'Not supported' } }
    // If it does not arrive, the server decides whether to respond to our request.
    this.#send({ id, ...answer }, signal).catch(() => {})
  }

  /** What an error status means. */
  async #failureOfStatus(response: EgressResponse): Promise<Error> {
    const { status, headers } = response
    const message = await errorMessageOf(response)
    // The protocol defines 404; some servers send 400 and mean the same.
    if (this.hasState && (status === 404 || (status === 400 && /session/i.test(message))))
      return new SessionGone()
    const quoted = quote(message, this.#server.headers)
    const hint = status === 401 || status === 403 ? ': check the headers of the tool server' : ''
    return new ToolFailure(
      `${hostOf(this.#server)} responded with status ${status}${quoted ? ` (${quoted})` : ''}${hint}`,
      {
        retryable: status === 408 || status === 429 || status >= 500,
        retryAfterMilliseconds: retryAfterMilliseconds(headers, Date.now()),
      },
    )
  }
}

async function* messagesIn(response: EgressResponse): AsyncGenerator<RpcMessage> {
  const type = (response.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
  if (type === 'text/event-stream') yield* streamedRpc(response.body)
  else yield* await parseRpc(await readText(response))
}

/** The body of an error may be JSON-RPC too; a page of HTML is not worth quoting. */
async function errorMessageOf(response: EgressResponse): Promise<string> {
  const text = await readText(response)
  try {
    const messages = await parseRpc(text)
    return messages.flatMap(message => (message.kind === 'error' ? message.message : []))[0] ?? ''
  } catch {
    return /^text\/plain/i.test(response.headers['content-type'] ?? '') ? text : ''
  }
}
