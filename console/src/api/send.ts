import type { CallInput, OperationKey } from './operations.ts'
import { addressOf, request } from './request.ts'

/** Calls an operation and gives the answer as it comes. */
export function send<Key extends OperationKey>(
  key: Key,
  input: CallInput<Key>,
  accept = 'application/json',
): Promise<Response> {
  const { params, query, body, headers, signal } = input as unknown as {
    params?: Record<string, unknown>
    query?: Record<string, unknown>
    body?: unknown
    headers?: Record<string, string>
    signal?: AbortSignal
  }
  return request(addressOf(key, { params, query }), {
    method: key.slice(0, key.indexOf(' ')),
    headers: { accept, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
}
