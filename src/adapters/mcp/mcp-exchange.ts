import { ToolFailure } from '../../tools/tool-failure.ts'
import { type Egress, EgressFailure, type EgressResponse, readText } from '../egress/egress.ts'
import { toolFailureOfEgress } from '../egress/egress-http-client.ts'
import { retryAfterMilliseconds } from '../model/endpoint-failure.ts'
import { NotRpc, parseRpc, type RpcMessage, streamedRpc } from './rpc-message.ts'

export interface ServerAddress {
  url: string
  headers: Readonly<Record<string, string>>
}

export interface RpcCall {
  /** The members of a JSON-RPC message besides `jsonrpc`. */
  message: Readonly<Record<string, unknown>>
  /** The id of the expected response; undefined when none is expected. */
  awaited: number | undefined
  /** Whether it may be sent again when it is unknown if it arrived. */
  isRepeatable: boolean
  session: Readonly<Record<string, string>>
  signal: AbortSignal
}

export interface RpcResponse {
  result: unknown
  sessionId: string | undefined
}

/** The server does not know the session any more, and did not process the request. */
export class SessionGone extends Error {}

const maxBytes = 10 << 20
const timeouts = { connectMilliseconds: 10_000, idleMilliseconds: 120_000, totalMilliseconds: 300_000 }
/** Requests of the server that are answered during one of ours; we offer nothing, so an honest one sends few. */
const maxServerRequests = 16
const maxQuoteLength = 1000

/** As the user wrote it, for messages. */
export const hostOf = ({ url }: ServerAddress): string =>
  URL.canParse(url) ? new URL(url).host : 'The tool server'

/** A message of the server for one of ours: bounded, and without the secrets that were sent to it. */
export function quote(message: string, headers: Readonly<Record<string, string>>): string {
  let text = message.slice(0, maxQuoteLength * 2)
  for (const value of Object.values(headers))
    for (const secret of new Set([value, value.split(' ').at(-1) ?? '']))
      if (secret.length >= 6) text = text.replaceAll(secret, '***')
  return text.length > maxQuoteLength ? `${text.slice(0, maxQuoteLength)}…` : text.trim()
}

/** One POST of the Streamable HTTP transport. Fails with a `ToolFailure`, a `SessionGone` or the signal's reason. */
export async function exchangeRpc(
  egress: Egress,
  server: ServerAddress,
  call: RpcCall,
): Promise<RpcResponse> {
  try {
    const response = await post(egress, server, call)
    if (response.status < 200 || response.status > 299)
      throw await failureOfStatus(server, response, call.session['mcp-session-id'] !== undefined)
    const sessionId = response.headers['mcp-session-id']
    const result = await readResult(egress, server, call, response)
    return { result, sessionId: typeof sessionId === 'string' ? sessionId : undefined }
  } catch (error) {
    if (error instanceof NotRpc)
      throw new ToolFailure(`${hostOf(server)} is not a tool server: it responded with ${error.message}`, {
        retryable: false,
      })
    throw toolFailureOfEgress(error, call.signal)
  }
}

function post(egress: Egress, server: ServerAddress, call: RpcCall): Promise<EgressResponse> {
  return egress.request(server.url, {
    method: 'POST',
    headers: {
      ...server.headers,
      ...call.session,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...call.message }),
    isRepeatable: call.isRepeatable,
    signal: call.signal,
    maxBytes,
    timeouts,
  })
}

async function readResult(
  egress: Egress,
  server: ServerAddress,
  call: RpcCall,
  response: EgressResponse,
): Promise<unknown> {
  if (call.awaited === undefined) {
    response.body.destroy()
    return undefined
  }
  let served = 0
  for await (const message of messagesIn(response)) {
    if (message.kind === 'request') {
      if (served++ < maxServerRequests) reply(egress, server, call, message)
    } else if (message.kind === 'error' && (message.id === call.awaited || message.id == null)) {
      const quoted = quote(message.message, server.headers)
      throw new ToolFailure(`${hostOf(server)} reported an error: ${quoted}`, { retryable: false })
    } else if (message.kind === 'result' && message.id === call.awaited) return message.result
  }
  throw new EgressFailure('unreachable', `${hostOf(server)} ended its response without a result`)
}

async function* messagesIn(response: EgressResponse): AsyncGenerator<RpcMessage> {
  const type = (response.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
  if (type === 'text/event-stream') yield* streamedRpc(response.body)
  else yield* parseRpc(await readText(response))
}

/** A server may send requests before it responds. We answer pings and support nothing else. */
function reply(
  egress: Egress,
  server: ServerAddress,
  call: RpcCall,
  { id, method }: Extract<RpcMessage, { kind: 'request' }>,
): void {
  const answer = method === 'ping' ? { result: {} } : { error: { code: -32601, message: 'Not supported' } }
  const sent = { ...call, message: { id, ...answer }, awaited: undefined }
  // If it does not arrive, the server decides whether to respond to our request.
  exchangeRpc(egress, server, sent).catch(() => {})
}

/** What an error status means. */
async function failureOfStatus(
  server: ServerAddress,
  response: EgressResponse,
  hadSession: boolean,
): Promise<Error> {
  const { status, headers } = response
  const message = await errorMessageOf(response)
  // The protocol defines 404; some servers send 400 and mean the same.
  if (hadSession && (status === 404 || (status === 400 && /session/i.test(message)))) return new SessionGone()
  const quoted = quote(message, server.headers)
  const hint = status === 401 || status === 403 ? ': check the headers of the tool server' : ''
  return new ToolFailure(
    `${hostOf(server)} responded with status ${status}${quoted ? ` (${quoted})` : ''}${hint}`,
    {
      retryable: status === 408 || status === 429 || status >= 500,
      retryAfterMilliseconds: retryAfterMilliseconds(headers, Date.now()),
    },
  )
}

/** The body of an error may be JSON-RPC too; a page of HTML is not worth quoting. */
async function errorMessageOf(response: EgressResponse): Promise<string> {
  const text = await readText(response)
  try {
    return parseRpc(text).flatMap(message => (message.kind === 'error' ? message.message : []))[0] ?? ''
  } catch {
    return /^text\/plain/i.test(response.headers['content-type'] ?? '') ? text : ''
  }
}
