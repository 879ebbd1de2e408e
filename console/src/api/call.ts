import { parseExact } from './exact-json.ts'
import { failureFrom } from './failure-from.ts'
import type { CallData, CallInput, OperationKey } from './operations.ts'
import { addressOf, request } from './request.ts'

export interface Answered<Data> {
  data: Data
  /** The version of what was read, for a compare-and-swap. */
  etag: string | null
}

/** What these give is edited and sent back, so that no number of it may lose digits. It takes longer to read. */
const carryGraphs: ReadonlySet<OperationKey> = new Set<OperationKey>([
  'GET /api/v1/workflow',
  'GET /api/v1/workflow/version',
  'POST /api/v1/workflow/export',
])

/** Calls an operation and gives its data with the ETag beside it. */
export async function callWithTag<Key extends OperationKey>(
  key: Key,
  input: CallInput<Key>,
): Promise<Answered<CallData<Key>>> {
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
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  const answer = (carryGraphs.has(key) ? parseExact(await response.text()) : await response.json()) as Record<
    string,
    unknown
  >
  if (answer['code'] !== 0) throw failureFrom(answer, response)
  // Conversations answer with their fields beside the code instead of below `data`.
  const data = ('data' in answer ? answer['data'] : answer) as CallData<Key>
  return { data, etag: response.headers.get('etag') }
}

/** Calls an operation of the interface: `call('POST /api/v1/workflow/list', { body: { page: 1 } })`. */
export async function call<Key extends OperationKey>(
  key: Key,
  input: CallInput<Key>,
): Promise<CallData<Key>> {
  return (await callWithTag(key, input)).data
}
