import { buffer } from 'node:stream/consumers'
import { ToolFailure } from '../../tools/tool-failure.ts'
import { type Egress, EgressFailure, type EgressResponse, StaleConnection } from '../egress/egress.ts'
import { toolFailureOfEgress } from '../egress/egress-http-client.ts'
import { messagesOf } from './event-stream.ts'
import { refusalOfAnswer } from './refusal-of-answer.ts'
import { NotRpc, parseRpc, type RpcMessage } from './rpc-message.ts'
import { hostOf, type ServerAddress } from './server-address.ts'
import { serverWords } from './server-words.ts'

export interface RpcCall {
  /** The members of a JSON-RPC message besides `jsonrpc`. */
  message: Readonly<Record<string, unknown>>
  /** The id of the answer that is waited for; undefined when there is none. */
  awaited: number | undefined
  /** Whether it may be sent twice when nobody knows if it arrived. */
  isRepeatable: boolean
  session: Readonly<Record<string, string>>
  signal: AbortSignal
}

export interface RpcAnswer {
  result: unknown
  sessionId: string | undefined
}

const maxBytes = 10 << 20
const timeouts = { connectMilliseconds: 10_000, idleMilliseconds: 120_000, totalMilliseconds: 300_000 }
/** Requests of the server that are answered during one of ours; we offer nothing, so an honest one sends few. */
const maxServerRequests = 16

/** One POST of the Streamable HTTP transport. Fails with a `ToolFailure`, a `SessionGone` or the signal's reason. */
export async function exchangeRpc(egress: Egress, server: ServerAddress, call: RpcCall): Promise<RpcAnswer> {
  try {
    const answer = await post(egress, server, call)
    if (answer.status < 200 || answer.status > 299)
      throw await refusalOfAnswer(server, answer, call.session['mcp-session-id'] !== undefined)
    const sessionId = answer.headers['mcp-session-id']
    const result = await readResult(egress, server, call, answer)
    return { result, sessionId: typeof sessionId === 'string' ? sessionId : undefined }
  } catch (error) {
    if (error instanceof NotRpc)
      throw new ToolFailure(`${hostOf(server)} is not a tool server: it answered with ${error.message}`, {
        retryable: false,
      })
    throw toolFailureOfEgress(error, call.signal)
  }
}

async function post(egress: Egress, server: ServerAddress, call: RpcCall): Promise<EgressResponse> {
  const body = JSON.stringify({ jsonrpc: '2.0', ...call.message })
  const headers = {
    ...server.headers,
    ...call.session,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const send = () =>
    egress.request(server.url, { method: 'POST', headers, body, signal: call.signal, maxBytes, timeouts })
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof StaleConnection) || !call.isRepeatable) throw error
    return send()
  }
}

async function readResult(
  egress: Egress,
  server: ServerAddress,
  call: RpcCall,
  answer: EgressResponse,
): Promise<unknown> {
  if (call.awaited === undefined) {
    answer.body.destroy()
    return undefined
  }
  let served = 0
  for await (const message of messagesIn(answer)) {
    if (message.kind === 'request') {
      if (served++ < maxServerRequests) reply(egress, server, call, message)
    } else if (message.kind === 'error' && (message.id === call.awaited || message.id == null)) {
      const words = serverWords(message.message, server.headers)
      throw new ToolFailure(`${hostOf(server)} says: ${words}`, { retryable: false })
    } else if (message.kind === 'result' && message.id === call.awaited) return message.result
  }
  throw new EgressFailure('unreachable', `${hostOf(server)} ended its answer without a result`)
}

async function* messagesIn(answer: EgressResponse): AsyncGenerator<RpcMessage> {
  const type = (answer.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
  if (type !== 'text/event-stream') return yield* parseRpc((await buffer(answer.body)).toString('utf8'))
  // Empty data only keeps the line open.
  for await (const data of messagesOf(answer.body)) if (data.trim() !== '') yield* parseRpc(data)
}

/** A server may ask something before it answers. We have nothing to offer but that we are there. */
function reply(
  egress: Egress,
  server: ServerAddress,
  call: RpcCall,
  { id, method }: Extract<RpcMessage, { kind: 'request' }>,
): void {
  const answer = method === 'ping' ? { result: {} } : { error: { code: -32601, message: 'Not supported' } }
  const sent = { ...call, message: { id, ...answer }, awaited: undefined }
  // Whether it arrives is the server's concern: it then answers, or does not.
  exchangeRpc(egress, server, sent).catch(() => {})
}
