import { PassThrough, pipeline, Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorCodes } from '../contract/error-codes.ts'
import { limits } from '../contract/limits.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import { Answer } from './answer.ts'

export interface ServerSentEvent {
  /** For `Last-Event-ID`. A failure event has none, so that a client resumes after the last event of the run. */
  id?: number
  /** A protocol may have events without names. */
  event?: string
  /** JSON on one line. */
  data: string
}

/** Ends soon after the signal is aborted. */
export type EventSource = (signal: AbortSignal) => AsyncIterable<ServerSentEvent>

export interface StreamOptions {
  /** Whether the client is still authorized, in addition to its token. */
  isAllowed?: () => Promise<boolean>
  failure?: (error: AppError) => ServerSentEvent
  /** How to resume, sent as a comment when the server stops. */
  resumeHint?: string
  /** The client cannot resume: when the server stops, it gets the event of a failure. */
  endsWithServer?: boolean
}

const line = (name: string, value: string | number | undefined): string =>
  value === undefined ? '' : `${name}: ${value}\n`

const formatEvent = ({ id, event, data }: ServerSentEvent): string =>
  `${line('id', id)}${line('event', event)}data: ${data}`

const failureEvent = ({ reason, message }: AppError): ServerSentEvent => ({
  event: 'error',
  data: JSON.stringify({ code: errorCodes[reason].code, message, reason }),
})

const comment = ': still here\n\n'

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Buffering proxies would delay events.
  'x-accel-buffering': 'no',
}

/** Errors must be thrown before: once the stream has begun, a failure of the source can only be sent as an event. */
export function eventStream(
  request: FastifyRequest,
  source: EventSource,
  options: StreamOptions = {},
): Answer {
  return request.method === 'HEAD'
    ? new Answer(200, headers)
    : new Answer(200, headers, eventBody(request, source, options))
}

function repeat(signal: AbortSignal, milliseconds: number, act: () => Promise<void>): void {
  const timer = setInterval(() => act().catch(() => {}), milliseconds).unref()
  signal.addEventListener('abort', () => clearInterval(timer))
}

/** Whether the token and its access still exist. As long as nothing changes, the check needs no database. */
function accessCheck(request: FastifyRequest, isAllowed: () => Promise<boolean>): () => Promise<boolean> {
  const { server } = request
  /** Undefined at first, because the access may have changed since the request was accepted. */
  let allowedIn: number | undefined
  return async () => {
    const generation = server.accessGeneration()
    // A token may also expire.
    if (!(await server.isStillAuthorized(request))) return false
    if (generation !== undefined && generation === allowedIn) return true
    if (!(await isAllowed())) return false
    allowedIn = generation
    return true
  }
}

/**
 * The body of an event stream. It requests the next event only when the client has read the previous one, so it buffers
 * at most one event besides the socket. A client that reads nothing is disconnected by the socket timeout, which every
 * event and comment that is sent resets.
 */
function eventBody(request: FastifyRequest, source: EventSource, options: StreamOptions): Readable {
  const { server } = request
  const { isAllowed = async () => true, failure = failureEvent, resumeHint, endsWithServer } = options
  const closing = new AbortController()
  const { signal } = closing
  const events = source(signal)[Symbol.asyncIterator]()
  let isReading = false
  let lastAt = performance.now()

  const release = (): void => {
    if (signal.aborted) return
    closing.abort()
    // Not awaited: it may itself be waiting for the signal.
    events.return?.().catch(() => {})
  }
  const end = (last = ''): void => {
    if (signal.aborted) return
    release()
    if (last !== '') body.push(`${last}\n\n`)
    body.push(null)
  }
  const onEvent = (next: IteratorResult<ServerSentEvent>): void => {
    isReading = false
    lastAt = performance.now()
    if (next.done) end()
    else if (!signal.aborted) body.push(`${formatEvent(next.value)}\n\n`)
  }
  const body = new Readable({
    highWaterMark: 1,
    read() {
      if (isReading || signal.aborted) return
      isReading = true
      events.next().then(onEvent, error => {
        if (!signal.aborted) end(formatEvent(failure(server.errorOf(error, request))))
      })
    },
    destroy(error, callback) {
      release()
      callback(error)
    },
  })

  repeat(signal, limits.eventCommentMilliseconds, async () => {
    const idle = performance.now() - lastAt
    // No comment while data is unread: comments would only pile up.
    if (body.readableLength === 0 && idle >= limits.eventCommentMilliseconds / 2) body.push(comment)
  })
  const isStillAllowed = accessCheck(request, isAllowed)
  // A stream may last long, so access is checked again. A check that fails does not end the stream.
  repeat(signal, limits.reauthorizeMilliseconds, async () => {
    if (!(await isStillAllowed())) end(': access was revoked: the token or the agent no longer exists')
  })

  const endWithServer = (): void => {
    if (endsWithServer) return void end(formatEvent(failure(stoppingError())))
    const more = resumeHint === undefined ? '' : `: ${resumeHint}\n`
    end(`${more}: the server is shutting down; reconnect with Last-Event-ID`)
  }
  server.inProgress.end(request)
  // Headers are sent with the first bytes, so the client sees at once that the request was accepted.
  body.push(': events follow\n\n')
  if (server.stopping.aborted) endWithServer()
  else server.stopping.addEventListener('abort', endWithServer, { signal })
  return body
}

/** The events of another source, with comments while it is silent: a client that reads nothing is disconnected. */
export function withComments(events: Readable): Readable {
  const body = new PassThrough()
  const timer = setInterval(() => {
    if (!body.writableEnded && body.readableLength === 0) body.write(comment)
  }, limits.eventCommentMilliseconds).unref()
  pipeline(events, body, () => clearInterval(timer))
  return body
}

/** The event after which a client wants to resume. */
export function lastEventId(request: FastifyRequest): number | undefined {
  const header = request.headers['last-event-id']
  if (header === undefined) return undefined
  if (typeof header === 'string' && /^\d{1,15}$/.test(header)) return Number(header)
  throw invalidField('header/Last-Event-ID', 'must be the id of an event, such as 17')
}

const stoppingError = (): AppError =>
  new AppError('unavailable', 'The server is shutting down; send the request again')

/** Aborted with the error for the client when it disconnects or the server stops. Create it before the first await. */
export function callerSignal(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const { signal } = controller
  const { stopping } = request.server
  const onStop = (): void => controller.abort(stoppingError())
  const onClose = (): void => controller.abort(new AppError('malformed_http', 'The client disconnected'))
  if (reply.raw.destroyed || reply.raw.closed) onClose()
  else if (stopping.aborted) onStop()
  stopping.addEventListener('abort', onStop, { signal })
  reply.raw.once('close', onClose)
  return signal
}
