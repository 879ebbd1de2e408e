import { type Operations, operations, type StoredFile } from './api.ts'
import { readEvents, type StreamedEvent } from './events.ts'

export type * from './api.ts'

type Name = keyof Operations
type Callable = { [Key in Name]: Operations[Key] extends { data: unknown } ? Key : never }[Name]
type Streamable = { [Key in Name]: Operations[Key] extends { event: unknown } ? Key : never }[Name]
type Data<Key extends Name> = Operations[Key] extends { data: infer Result } ? Result : never
type Event<Key extends Name> = Operations[Key] extends { event: infer Result } ? Result : never

export interface BanyanOptions {
  /** Address of the server, such as https://banyan.example.com. */
  baseUrl: string
  /** Not needed for public agents. */
  token?: string | undefined
  /** Sent with every request. */
  headers?: Record<string, string>
  fetch?: typeof globalThis.fetch
}

export interface CallOptions {
  signal?: AbortSignal | undefined
  /** A repeated call with the same key has its effect once. */
  idempotencyKey?: string | undefined
  headers?: Record<string, string>
}

interface Problem {
  path: string
  message: string
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

/** A call that the server refused, or that failed there. */
export class BanyanError extends Error {
  readonly status: number
  readonly code: number
  /** Stable name of the error, such as `not_found`. */
  readonly reason: string
  /** Every invalid field of the request. */
  readonly errors: readonly Problem[]
  readonly traceId: string

  constructor(status: number, body: unknown, traceId = '') {
    const answer = recordOf(body)
    // The operations of OpenAI's API have errors of their own form.
    const { message, code: name } = recordOf(answer['error'])
    const details = recordOf(answer['data'] ?? answer)
    super(String(message ?? answer['message'] ?? answer['msg'] ?? `HTTP ${status}`))
    this.name = 'BanyanError'
    this.status = status
    this.code = Number(answer['code'] ?? 0)
    this.reason = String(name ?? details['reason'] ?? 'unknown')
    this.errors = (details['errors'] ?? []) as Problem[]
    this.traceId = traceId
  }
}

/** A client of a Banyan server. Operations have the names of the API reference, such as `workflow.run`. */
export class Banyan {
  readonly #options: BanyanOptions

  constructor(options: BanyanOptions) {
    this.#options = options
  }

  /** Calls an operation and returns its data. Throws `BanyanError`. */
  async call<Key extends Callable>(
    name: Key,
    input: Operations[Key]['input'],
    options: CallOptions = {},
  ): Promise<Data<Key>> {
    const response = await this.#send(name, input, options, 'application/json')
    return dataOf(parseExact(await response.text())) as Data<Key>
  }

  /** Calls an operation and yields the events of its stream as they happen. Throws `BanyanError`. */
  async *stream<Key extends Streamable>(
    name: Key,
    input: Operations[Key]['input'],
    options: CallOptions = {},
  ): AsyncGenerator<Event<Key>> {
    const isGet = operations[name][0] === 'GET'
    // The operations of OpenAI's API know only true.
    const stream = name.startsWith('openai.') ? true : 1
    const streamed = isGet ? input : { ...input, stream }
    const response = await this.#send(name, streamed, options, 'text/event-stream')
    for await (const event of readEvents(response.body!)) {
      if (isFailure(event)) throw new BanyanError(response.status, event.data)
      yield event as Event<Key>
    }
  }

  /** Uploads a file, for messages, knowledge bases and inputs of runs. */
  async upload(content: Blob, name: string, options: CallOptions = {}): Promise<StoredFile> {
    const form = new FormData()
    form.append('file', content, name)
    const response = await this.#fetch('POST', '/api/v1/files/upload', form, options, {})
    return dataOf(await response.json()) as StoredFile
  }

  /** The content of a file. */
  download(fileId: string, options: CallOptions = {}): Promise<Response> {
    return this.#fetch('GET', `/api/v1/files/${encodeURIComponent(fileId)}`, undefined, options, {})
  }

  #send(name: Name, input: object, options: CallOptions, accept: string): Promise<Response> {
    const [method, template, queryNames] = operations[name]
    const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
    const take = (key: string): string => {
      const value = String(rest.get(key) ?? '')
      rest.delete(key)
      return value
    }
    const path = template.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(take(key)))
    const query = new URLSearchParams()
    for (const key of queryNames) if (rest.has(key)) query.set(key, take(key))
    const url = query.size > 0 ? `${path}?${query}` : path
    const body = method === 'GET' ? undefined : JSON.stringify(Object.fromEntries(rest))
    return this.#fetch(method, url, body, options, {
      accept,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    })
  }

  async #fetch(
    method: string,
    path: string,
    body: string | FormData | undefined,
    { signal, idempotencyKey, headers }: CallOptions,
    own: Record<string, string>,
  ): Promise<Response> {
    const { baseUrl, token, fetch = globalThis.fetch, headers: shared } = this.#options
    const response = await fetch(baseUrl.replace(/\/+$/, '') + path, {
      method,
      headers: {
        ...own,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...shared,
        ...headers,
      },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
    if (response.ok) return response
    const failure: unknown = await response.json().catch(() => undefined)
    throw new BanyanError(response.status, failure, response.headers.get('x-traceid') ?? '')
  }
}

/** A failed stream ends with `error`, a failed turn with an `end` that has a code, and OpenAI's API with a plain event. */
function isFailure({ event, data }: StreamedEvent): boolean {
  const { code, error } = recordOf(data)
  if (event === 'error') return typeof code === 'number'
  if (event === 'end') return typeof code === 'number' && code !== 0
  return event === 'message' && Boolean(error)
}

const newerJson = JSON as typeof JSON & { rawJSON?(text: string): unknown }

/**
 * An integer of a graph that would lose digits stays raw JSON, so that the graph can be sent back unchanged. Older
 * versions of JavaScript round it.
 */
function integerOf(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source ?? ''
  const losesDigits = typeof value === 'number' && String(value) !== source && /^-?[1-9]\d*$/.test(source)
  return losesDigits ? (newerJson.rawJSON?.(source) ?? value) : value
}

const parseExact = (text: string): Record<string, unknown> =>
  /\d{16}/.test(text) ? JSON.parse(text, integerOf) : JSON.parse(text)

/** `data` of an envelope; other responses have their fields at the top level. */
function dataOf(answer: Record<string, unknown>): unknown {
  if (typeof answer['code'] !== 'number') return answer
  if ('data' in answer) return answer['data']
  const { code: _, msg: __, ...fields } = answer
  return fields
}
