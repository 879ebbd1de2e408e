import { failureFrom } from './api-failure.ts'
import { parseExact } from './exact-json.ts'
import type { CallData, CallInput, OperationKey } from './operations.ts'
import { addressOf, request } from './request.ts'

/**
 * These responses carry graphs, which are edited and sent back, so their numbers must keep every digit. Exact
 * parsing is slower.
 */
const carryGraphs: ReadonlySet<OperationKey> = new Set<OperationKey>([
  'GET /api/v1/workflow',
  'GET /api/v1/workflow/version',
  'POST /api/v1/workflow/export',
])

/** Calls an API operation: `call('POST /api/v1/workflow/list', { body: { page: 1 } })`. */
export async function call<Key extends OperationKey>(
  key: Key,
  input: CallInput<Key>,
): Promise<CallData<Key>> {
  const response = await send(key, input)
  const read: unknown = carryGraphs.has(key) ? parseExact(await response.text()) : await response.json()
  const answer = read as Record<string, unknown>
  if (answer['code'] !== 0) throw failureFrom(answer, response)
  // Conversation responses have their fields beside the code instead of below `data`.
  return ('data' in answer ? answer['data'] : answer) as CallData<Key>
}

/** Calls an operation and returns the raw response. */
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
