import { isTooDeep } from '../../tools/json-depth.ts'

type JsonObject = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a server sends, as JSON-RPC 2.0 has it. */
export type RpcMessage =
  | { kind: 'result'; id: unknown; result: unknown }
  | { kind: 'error'; id: unknown; message: string }
  | { kind: 'request'; id: string | number; method: string }
  | { kind: 'notification' }

export class NotRpc extends Error {}

/** A text may hold one message, or several in an array as older servers send them. */
export function parseRpc(text: string): RpcMessage[] {
  const value = parseJson(text)
  return (Array.isArray(value) ? value : [value]).map(readMessage)
}

function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw new NotRpc('an answer that is nested too deeply')
  try {
    return JSON.parse(text)
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
