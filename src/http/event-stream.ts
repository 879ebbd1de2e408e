import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorCodes } from '../contract/error-codes.ts'
import { limits } from '../contract/limits.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import { Answer } from './answer.ts'

export interface ServerSentEvent {
  /**
   * An increasing number, so that a client can resume after it with `Last-Event-ID`. A failure event has none: a client
   * that reconnects resumes after the last event of the run.
   */
  id?: number
  event: string
  /** JSON on one line. */
  data: string
}

/** Ends soon after the signal is aborted. */
export type EventSource = (signal: AbortSignal) => AsyncIterable<ServerSentEvent>

export interface StreamOptions {
  /** Whether the client is still authorized, in addition to its token. */
  isAllowed?: () => Promise<boolean>
  /** The event sent when the source fails. */
  failure?: (error: AppError) => ServerSentEvent
  /** How to resume, sent as a comment when the server stops. */
  resumeHint?: string
}

const formatEvent = ({ id, event, data }: ServerSentEvent): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`

const failureEvent = ({ reason, message }: AppError): ServerSentEvent => ({
  event: 'error',
  data: JSON.stringify({ code: errorCodes[reason].code, message, reason }),
})

/**
 * Events as the body of a response. It requests the next event only when the client has read the previous one, so it
 * buffers at most one event besides the socket. A client that reads nothing is disconnected by the socket timeout, which
 * every event and comment that is sent resets.
 */
class EventBody extends Readable {
  readonly #events: AsyncIterator<ServerSentEvent>
  readonly #closed: AbortController
  readonly #stopping: AbortSignal
  readonly #resumeHint: string | undefined
  readonly #commentTimer: NodeJS.Timeout
  readonly #authorizationTimer: NodeJS.Timeout
  #isReading = false
  #lastAt = performance.now()

  constructor(
    source: EventSource,
    stopping: AbortSignal,
    isAllowed: () => Promise<boolean>,
    resumeHint: string | undefined,
  ) {
    super({ highWaterMark: 1 })
    this.#resumeHint = resumeHint
    this.#closed = new AbortController()
    this.#stopping = stopping
    this.#events = source(this.#closed.signal)[Symbol.asyncIterator]()
    this.#commentTimer = setInterval(() => this.#sendComment(), limits.eventCommentMilliseconds).unref()
    this.#authorizationTimer = setInterval(
      () => this.#checkAuthorization(isAllowed),
      limits.reauthorizeMilliseconds,
    ).unref()
    stopping.addEventListener('abort', this.#endWithServer)
    // Headers are sent with the first bytes, so the client sees at once that the request was accepted.
    this.push(': events follow\n\n')
    if (stopping.aborted) this.#endWithServer()
  }

  override _read(): void {
    if (this.#isReading || this.#closed.signal.aborted) return
    this.#isReading = true
    this.#events.next().then(
      next => {
        this.#isReading = false
        if (this.#closed.signal.aborted) return
        this.#lastAt = performance.now()
        if (!next.done) return void this.push(formatEvent(next.value))
        this.push(null)
        this.#release()
      },
      (error: unknown) => {
        if (!this.#closed.signal.aborted) this.destroy(error as Error)
      },
    )
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#release()
    callback(error)
  }

  /** No comment while data is unread: comments would only pile up. */
  #sendComment(): void {
    const idle = performance.now() - this.#lastAt
    if (this.readableLength > 0 || idle < limits.eventCommentMilliseconds / 2) return
    this.push(': still here\n\n')
  }

  /** A stream may last long, so access is checked again. A check that fails does not end the stream. */
  #checkAuthorization(isAllowed: () => Promise<boolean>): void {
    isAllowed().then(
      allowed => {
        if (!allowed) this.#end(': access was revoked: the token or the agent no longer exists')
      },
      () => {},
    )
  }

  #end(comment: string): void {
    if (this.#closed.signal.aborted) return
    this.#release()
    this.push(`${comment}\n\n`)
    this.push(null)
  }

  readonly #endWithServer = (): void => {
    const more = this.#resumeHint === undefined ? '' : `: ${this.#resumeHint}\n`
    this.#end(`${more}: the server is shutting down; reconnect with Last-Event-ID`)
  }

  #release(): void {
    if (this.#closed.signal.aborted) return
    clearInterval(this.#commentTimer)
    clearInterval(this.#authorizationTimer)
    this.#stopping.removeEventListener('abort', this.#endWithServer)
    this.#closed.abort()
    // Not awaited: it may itself be waiting for the signal.
    this.#events.return?.().catch(() => {})
  }
}

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Buffering proxies would delay events.
  'x-accel-buffering': 'no',
}

/**
 * A response that streams events. Errors must be thrown before: once the stream has begun, a failure of the source can
 * only be sent as an event.
 */
export function eventStream(
  request: FastifyRequest,
  source: EventSource,
  options: StreamOptions = {},
): Answer {
  if (request.method === 'HEAD') return new Answer(200, headers)
  const { server } = request
  const { isAllowed = async () => true, failure = failureEvent, resumeHint } = options
  async function* withFailure(signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
    try {
      yield* source(signal)
    } catch (error) {
      if (!signal.aborted) yield failure(server.errorOf(error, request))
    }
  }
  const isStillAllowed = async (): Promise<boolean> =>
    (await server.isStillAuthorized(request)) && (await isAllowed())
  return new Answer(200, headers, new EventBody(withFailure, server.stopping, isStillAllowed, resumeHint))
}

/** The event after which a client wants to resume. */
export function lastEventId(request: FastifyRequest): number | undefined {
  const header = request.headers['last-event-id']
  if (header === undefined) return undefined
  if (typeof header === 'string' && /^\d{1,15}$/.test(header)) return Number(header)
  throw invalidField('header/Last-Event-ID', 'must be the id of an event, such as 17')
}

/**
 * Aborted when the client disconnects or the server stops, for handlers that wait long. Its reason is the error sent to
 * the client. Create it before the first await, so that it misses nothing.
 */
export function callerSignal(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const { stopping } = request.server
  const onStop = (): void =>
    controller.abort(new AppError('unavailable', 'The server is shutting down; send the request again'))
  const onClose = (): void => {
    stopping.removeEventListener('abort', onStop)
    controller.abort(new AppError('malformed_http', 'The client disconnected'))
  }
  if (reply.raw.destroyed || reply.raw.closed) {
    onClose()
    return controller.signal
  }
  if (stopping.aborted) onStop()
  stopping.addEventListener('abort', onStop)
  reply.raw.once('close', onClose)
  return controller.signal
}
