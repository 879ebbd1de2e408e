import { failureFrom } from './failure-from.ts'
import type { CallInput, OperationKey } from './operations.ts'
import { readEvents, type ServerEvent } from './read-events.ts'
import { addressOf, request } from './request.ts'

/** Calls an operation that answers event by event (with `stream: 1` in the body where it has one). */
export async function* stream<Key extends OperationKey>(
  key: Key,
  input: CallInput<Key>,
): AsyncGenerator<ServerEvent> {
  const { params, query, body, headers, signal } = input as unknown as {
    params?: Record<string, unknown>
    query?: Record<string, unknown>
    body?: unknown
    headers?: Record<string, string>
    signal?: AbortSignal
  }
  const response = await request(addressOf(key, { params, query }), {
    method: key.slice(0, key.indexOf(' ')),
    headers: {
      accept: 'text/event-stream',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    throw failureFrom(await response.json(), response)
  yield* readEvents(response)
}
