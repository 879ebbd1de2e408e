import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { limits } from '../contract/limits.ts'
import { Answer } from './answer.ts'

export interface ServerSentEvent {
  /** A number that only grows, so that a client can go on behind it with `Last-Event-ID`. */
  id: number
  event: string
  /** JSON, on one line. */
  data: string
}

/** Gives events until there are no more; ends soon after the signal is aborted. */
export type EventSource = (signal: AbortSignal) => AsyncIterable<ServerSentEvent>

const printed = ({ id, event, data }: ServerSentEvent): string =>
  `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`

/**
 * Events as the body of an answer. It asks for the next event only while the client takes what there is: what waits
 * is bounded by one event and the buffers of the connection. A client that takes nothing at all is cut off by the
 * connection's own time limit, which every event and every comment that gets through sets back.
 */
class EventBody extends Readable {
  readonly #events: AsyncIterator<ServerSentEvent>
  readonly #gone: AbortController
  readonly #stopping: AbortSignal
  readonly #comments: NodeJS.Timeout
  #isReading = false
  #lastAt = performance.now()

  constructor(source: EventSource, stopping: AbortSignal) {
    super({ highWaterMark: 1 })
    this.#gone = new AbortController()
    this.#stopping = stopping
    this.#events = source(this.#gone.signal)[Symbol.asyncIterator]()
    this.#comments = setInterval(() => this.#keepOpen(), limits.eventCommentMilliseconds).unref()
    stopping.addEventListener('abort', this.#endWithServer)
    // The headers go out with the first bytes: a client learns at once that its request was taken.
    this.push(': events follow\n\n')
    if (stopping.aborted) this.#endWithServer()
  }

  override _read(): void {
    if (this.#isReading || this.#gone.signal.aborted) return
    this.#isReading = true
    this.#events.next().then(
      next => {
        this.#isReading = false
        if (this.#gone.signal.aborted) return
        this.#lastAt = performance.now()
        if (!next.done) return void this.push(printed(next.value))
        this.push(null)
        this.#free()
      },
      (error: unknown) => {
        if (!this.#gone.signal.aborted) this.destroy(error as Error)
      },
    )
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#free()
    callback(error)
  }

  /** A comment behind what the client has not taken yet would only pile up. */
  #keepOpen(): void {
    const silence = performance.now() - this.#lastAt
    if (this.readableLength > 0 || silence < limits.eventCommentMilliseconds / 2) return
    this.push(': still here\n\n')
  }

  readonly #endWithServer = (): void => {
    if (this.#gone.signal.aborted) return
    this.#free()
    this.push(': the server stops; come back with Last-Event-ID\n\n')
    this.push(null)
  }

  #free(): void {
    if (this.#gone.signal.aborted) return
    clearInterval(this.#comments)
    this.#stopping.removeEventListener('abort', this.#endWithServer)
    this.#gone.abort()
    // Not waited for: it may be waiting itself for the signal to be noticed.
    this.#events.return?.().catch(() => {})
  }
}

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Proxies that gather bytes would hold events back.
  'x-accel-buffering': 'no',
}

/**
 * An answer that is sent event by event. Whatever can be refused must be refused before: once it is made, a failure
 * of the source can only break the connection off.
 */
export function eventStream(request: FastifyRequest, source: EventSource): Answer {
  if (request.method === 'HEAD') return new Answer(200, headers)
  return new Answer(200, headers, new EventBody(source, request.server.stopping))
}

/** Where a client that comes back wants to go on: behind the event of that number. */
export function lastEventId(request: FastifyRequest): number | undefined {
  const header = request.headers['last-event-id']
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : undefined
}
