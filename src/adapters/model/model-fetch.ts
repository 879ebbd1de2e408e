import { createParser } from 'eventsource-parser'
import type { Clock } from '../../kernel/clock.ts'
import { isRecord } from '../../kernel/is-record.ts'
import { type Egress, EgressFailure, type EgressTimeouts, StaleConnection } from '../egress/egress.ts'
import { egressFetch } from '../egress/egress-fetch.ts'
import type { ModelEndpoint } from './endpoint.ts'
import { badResponse, failureOfEgress, failureOfResponse, providerError } from './endpoint-failure.ts'

type Fetch = typeof globalThis.fetch

interface Options {
  egress: Egress
  endpoint: ModelEndpoint
  clock: Clock
  timeouts: EgressTimeouts
  trusted: boolean
  /** The response to the request with this signal ended with `[DONE]`. */
  onDone(signal: AbortSignal): void
}

const maxResponseBytes = 32 << 20
/** Far above any event of a model; an endless line or event would fill the memory. */
const maxEventCharacters = 1 << 20
/** How long a finished stream may take to close, so that its connection can be reused. */
const closingMilliseconds = 1000
const blankLine = new TextEncoder().encode('\n\n')

/** A complete response as the one event of a stream; `undefined` if it is none. */
function asEvents(response: unknown): string | undefined {
  if (!isRecord(response) || !Array.isArray(response['choices'])) return undefined
  const choices = response['choices']
    .filter(isRecord)
    .map(({ message, ...rest }) => ({ ...rest, delta: message }))
  return `data: ${JSON.stringify({ ...response, choices })}\n\ndata: [DONE]\n\n`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A response that is not a stream: an error, or a complete response from a server that does not stream. */
function unstreamed({ endpoint, clock }: Options, text: string, headers: Record<string, string>): Response {
  const response = parseJson(text)
  const error = providerError(response)
  if (error) throw failureOfResponse(endpoint, { status: error.status ?? 502, text, headers }, clock.now())
  // Some servers send a stream with the wrong content type.
  const events = asEvents(response) ?? (/^\ufeff?(data|event|id|:)/.test(text) ? text : undefined)
  if (events === undefined) throw badResponse(endpoint, 'sent a response that is not a chat completion')
  return new Response(events)
}

async function openResponse(options: Options, response: Response): Promise<Response> {
  const { endpoint, clock } = options
  const { status, ok } = response
  const headers = Object.fromEntries(response.headers)
  if (!ok) throw failureOfResponse(endpoint, { status, text: await response.text(), headers }, clock.now())
  const type = headers['content-type'] ?? ''
  if (/html/i.test(type)) {
    await response.body?.cancel()
    throw badResponse(endpoint, 'responded with a web page')
  }
  return /json/i.test(type) ? unstreamed(options, await response.text(), headers) : response
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), closingMilliseconds).unref()
  try {
    while (!(await reader.read()).done);
  } catch {
    // The response was complete before.
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Passes the bytes of an event stream on as they come, but no line or event that is too long, and nothing after
 * `[DONE]`: a provider need not close the connection then. The last event counts even without a blank line after it.
 */
function guardEvents(
  source: ReadableStream<Uint8Array>,
  onDone: () => void,
  tooLong: () => Error,
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  const decoder = new TextDecoder()
  let isDone = false
  let isTooLong = false
  const parser = createParser({
    maxBufferSize: maxEventCharacters,
    onEvent: ({ data }) => {
      isDone ||= data.trimEnd() === '[DONE]'
    },
    onError: ({ type }) => {
      isTooLong ||= type === 'max-buffer-size-exceeded'
    },
  })
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const { done, value } = await reader.read()
    parser.feed(done ? '\n\n' : decoder.decode(value, { stream: true }))
    if (isTooLong) {
      const failure = tooLong()
      void reader.cancel(failure).catch(() => {})
      throw failure
    }
    if (isDone) onDone()
    controller.enqueue(done ? blankLine : value)
    if (!done && !isDone) return
    controller.close()
    if (!done) void drain(reader)
  }
  return new ReadableStream({ pull, cancel: reason => reader.cancel(reason) }, { highWaterMark: 0 })
}

/**
 * The `fetch` of the provider library over the outbound client. The library sees nothing but event streams; everything
 * else fails here with a `ModelFailure`.
 */
export function modelFetch(options: Options): Fetch {
  const { egress, endpoint, timeouts, trusted, onDone } = options
  const send = egressFetch(egress, { timeouts, trusted, maxBytes: maxResponseBytes })
  return async (input, init) => {
    try {
      const response = await send(input, init).catch((error: unknown) => {
        // The server had closed the connection and has not seen the request.
        if (error instanceof StaleConnection) return send(input, init)
        throw error
      })
      const { body } = await openResponse(options, response)
      if (!body) throw badResponse(endpoint, 'sent an empty response')
      const events = guardEvents(
        body,
        () => init?.signal && onDone(init.signal),
        () => badResponse(endpoint, 'sent an event that is too long'),
      )
      return new Response(events, { headers: { 'content-type': 'text/event-stream' } })
    } catch (error) {
      throw error instanceof EgressFailure ? failureOfEgress(endpoint, error.kind) : error
    }
  }
}
