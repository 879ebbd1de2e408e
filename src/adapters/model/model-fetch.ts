import { Readable } from 'node:stream'
import { createParser } from 'eventsource-parser'
import { isRecord } from '../../kernel/is-record.ts'
import {
  drain,
  type Egress,
  EgressFailure,
  type EgressTimeouts,
  parseJson,
  readText,
} from '../egress/egress.ts'
import type { ModelEndpoint } from './endpoint.ts'
import { badResponse, failureOfEgress, reportedFailure } from './endpoint-failure.ts'
import { type OnImage, repairEvent } from './stream-events.ts'

interface Options {
  egress: Egress
  endpoint: ModelEndpoint
  timeouts: EgressTimeouts
  /** The response to the request with this signal ended with `[DONE]`. */
  onDone(signal: AbortSignal): void
  /** The response to the request with this signal has an image. */
  onImage(signal: AbortSignal, url: string): void
}

const maxBytes = 32 << 20
/** Enough for an image in base64; an endless line or event would fill the memory. */
const maxEventCharacters = 8 << 20
const encoder = new TextEncoder()

/** A complete response as the one event of a stream; `undefined` if it is none. */
function asEvents(response: unknown): string | undefined {
  if (!isRecord(response) || !Array.isArray(response['choices'])) return undefined
  return `data: ${JSON.stringify(response)}\n\ndata: [DONE]\n\n`
}

/** Sends a request, and returns the bytes of an event stream; any other response is converted to one, or fails. */
async function send(
  { egress, endpoint, timeouts }: Options,
  url: string,
  init: RequestInit,
): Promise<Readable> {
  const response = await egress.request(url, {
    method: init.method ?? 'GET',
    headers: Object.fromEntries(new Headers(init.headers)),
    body: init.body as string,
    signal: init.signal ?? undefined,
    timeouts,
    maxBytes,
    trusted: endpoint.trusted,
    isRepeatable: true,
  })
  const { status, headers } = response
  const type = headers['content-type'] ?? ''
  const isOk = status >= 200 && status <= 299
  if (isOk && (/html/i.test(type) || status === 204 || status === 205)) {
    response.body.destroy()
    throw badResponse(endpoint, /html/i.test(type) ? 'responded with a web page' : 'sent an empty response')
  }
  if (isOk && !/json/i.test(type)) return response.body
  const text = await readText(response)
  const body = await parseJson(text)
  const failure = reportedFailure(endpoint, { status, headers, body })
  if (failure) throw failure
  // Some servers send a stream with the wrong content type, and some do not stream.
  const events = asEvents(body) ?? (/^(data|event|id|:)/.test(text) ? text : undefined)
  if (events === undefined) throw badResponse(endpoint, 'sent a response that is not a chat completion')
  return Readable.from([Buffer.from(events)])
}

const framed = (data: string): string => `data: ${data.replaceAll('\n', '\ndata: ')}\n\n`

/**
 * Passes on the events of a stream as they arrive, in the form that the library reads. Fails on an event that is too
 * long, and ends at `[DONE]`, because a provider need not close the connection then. The last event counts even without
 * a blank line after it.
 */
function guardEvents(
  body: Readable,
  endpoint: ModelEndpoint,
  { onDone, onImage }: { onDone: () => void; onImage: OnImage },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const decoder = new TextDecoder()
  let isDone = false
  let isTooLong = false
  let events = ''
  const parser = createParser({
    maxBufferSize: maxEventCharacters,
    onEvent: ({ data }) => {
      if (isDone) return
      isDone = data.trimEnd() === '[DONE]'
      const repaired = isDone ? '[DONE]' : repairEvent(data, onImage)
      if (repaired !== undefined) events += framed(repaired)
    },
    onError: ({ type }) => {
      isTooLong ||= type === 'max-buffer-size-exceeded'
    },
  })
  let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>
  const pass = (text: string, isLast: boolean): void => {
    parser.feed(text)
    if (isDone || isTooLong || isLast) stopReading()
    if (isTooLong) {
      controller.error(badResponse(endpoint, 'sent an event that is too long'))
      body.destroy()
      return
    }
    if (events !== '') controller.enqueue(encoder.encode(events))
    events = ''
    if (isDone) onDone()
    if (isDone || isLast) {
      controller.close()
      void drain(body)
    } else if ((controller.desiredSize ?? 0) <= 0) body.pause()
  }
  const onData = (bytes: Buffer<ArrayBuffer>): void => pass(decoder.decode(bytes, { stream: true }), false)
  const onEnd = (): void => pass('\n\n', true)
  const stopReading = (): void => void body.off('data', onData).off('end', onEnd)
  return new ReadableStream({
    start: streamController => {
      controller = streamController
      body.on('data', onData).on('end', onEnd).pause()
      body.on('error', error => controller.error(error))
    },
    pull: () => void body.resume(),
    cancel: () => {
      // A destroyed stream may still emit what it had received, and a cancelled one takes nothing any more.
      stopReading()
      body.destroy()
    },
  })
}

/** The `fetch` of the provider library, which sees nothing but event streams: the rest fails here. */
export function modelFetch(options: Options): typeof globalThis.fetch {
  const { endpoint, onDone, onImage } = options
  return async (input, init = {}) => {
    const { signal } = init
    try {
      const body = await send(options, String(input), init)
      const events = guardEvents(body, endpoint, {
        onDone: () => signal && onDone(signal),
        onImage: url => signal && onImage(signal, url),
      })
      return new Response(events, { headers: { 'content-type': 'text/event-stream' } })
    } catch (error) {
      throw error instanceof EgressFailure ? failureOfEgress(endpoint, error.kind) : error
    }
  }
}
