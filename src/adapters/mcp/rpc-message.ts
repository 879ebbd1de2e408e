import { createParser } from 'eventsource-parser'
import { isRecord } from '../../kernel/is-record.ts'
import { parseInPieces } from '../../kernel/parse-in-pieces.ts'
import { inSlices } from '../../kernel/slices.ts'
import { jsonExcess } from '../../tools/json-limits.ts'

/** A message of a server, by JSON-RPC 2.0. */
export type RpcMessage =
  | { kind: 'result'; id: unknown; result: unknown }
  | { kind: 'error'; id: unknown; message: string }
  | { kind: 'request'; id: string | number; method: string }
  | { kind: 'notification' }

export class NotRpc extends Error {}

/** A text holds one message, or several in an array as older servers send them. */
export async function parseRpc(text: string): Promise<RpcMessage[]> {
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
export async function* streamedRpc(body: AsyncIterable<Uint8Array>): AsyncGenerator<RpcMessage> {
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
