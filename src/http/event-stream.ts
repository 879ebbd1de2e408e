import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { errorCodes } from '../contract/error-codes.ts'
import { limits } from '../contract/limits.ts'
import { type AppError, invalidField } from '../kernel/app-error.ts'
import { Answer } from './answer.ts'

export interface ServerSentEvent {
  /**
   * A number that only grows, so that a client can go on behind it with `Last-Event-ID`. What tells of a failure has
   * none: whoever comes back goes on behind what was really said.
   */
  id?: number
  event: string
  /** JSON, on one line. */
  data: string
}

/** Gives events until there are no more; ends soon after the signal is aborted. */
export type EventSource = (signal: AbortSignal) => AsyncIterable<ServerSentEvent>

export interface StreamOptions {
  /** Whether the client may have the stream still, beside its token, which is looked at anyway. */
  isAllowed?: () => Promise<boolean>
  /** What the client is told when the source fails. */
  failure?: (error: AppError) => ServerSentEvent
  /** What more it takes to come back, said when the server stops. */
  comeBack?: string
}

const printed = ({ id, event, data }: ServerSentEvent): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`

const failed = ({ reason, message }: AppError): ServerSentEvent => ({
  event: 'error',
  data: JSON.stringify({ code: errorCodes[reason].code, message, reason }),
})

/**
 * Events as the body of an answer. It asks for the next event only while the client takes what there is: what waits
 * is bounded by one event and the buffers of the connection. A client that takes nothing at all is cut off by the
 * connection's own time limit, which every event and every comment that gets through sets back.
 */
class EventBody extends Readable {
  readonly #events: AsyncIterator<ServerSentEvent>
  readonly #gone: AbortController
  readonly #stopping: AbortSignal
  readonly #comeBack: string | undefined
  readonly #comments: NodeJS.Timeout
  readonly #looks: NodeJS.Timeout
  #isReading = false
  #lastAt = performance.now()

  constructor(
    source: EventSource,
    stopping: AbortSignal,
    isAllowed: () => Promise<boolean>,
    comeBack: string | undefined,
  ) {
    super({ highWaterMark: 1 })
    this.#comeBack = comeBack
    this.#gone = new AbortController()
    this.#stopping = stopping
    this.#events = source(this.#gone.signal)[Symbol.asyncIterator]()
    this.#comments = setInterval(() => this.#keepOpen(), limits.eventCommentMilliseconds).unref()
    this.#looks = setInterval(() => this.#look(isAllowed), limits.reauthorizeMilliseconds).unref()
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

  /** A stream may last long: who is no longer let in gets no more of it. A look that fails decides nothing. */
  #look(isAllowed: () => Promise<boolean>): void {
    isAllowed().then(
      allowed => {
        if (!allowed) this.#end(': you may not have this any longer: the token or the agent is gone')
      },
      () => {},
    )
  }

  #end(comment: string): void {
    if (this.#gone.signal.aborted) return
    this.#free()
    this.push(`${comment}\n\n`)
    this.push(null)
  }

  readonly #endWithServer = (): void => {
    const more = this.#comeBack === undefined ? '' : `: ${this.#comeBack}\n`
    this.#end(`${more}: the server stops; come back with Last-Event-ID`)
  }

  #free(): void {
    if (this.#gone.signal.aborted) return
    clearInterval(this.#comments)
    clearInterval(this.#looks)
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
 * of the source can only be told as an event.
 */
export function eventStream(
  request: FastifyRequest,
  source: EventSource,
  options: StreamOptions = {},
): Answer {
  if (request.method === 'HEAD') return new Answer(200, headers)
  const { server } = request
  const { isAllowed = async () => true, failure = failed, comeBack } = options
  async function* told(signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
    try {
      yield* source(signal)
    } catch (error) {
      if (!signal.aborted) yield failure(server.failureOf(error, request))
    }
  }
  const isStillAllowed = async (): Promise<boolean> => (await server.admits(request)) && (await isAllowed())
  return new Answer(200, headers, new EventBody(told, server.stopping, isStillAllowed, comeBack))
}

/** Where a client that comes back wants to go on: behind the event of that number. */
export function lastEventId(request: FastifyRequest): number | undefined {
  const header = request.headers['last-event-id']
  if (header === undefined) return undefined
  if (typeof header === 'string' && /^\d{1,15}$/.test(header)) return Number(header)
  throw invalidField('header/Last-Event-ID', 'must be the number of an event, such as 17')
}
