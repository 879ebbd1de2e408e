import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { errorCodes, type Reason, statusOf } from '../contract/error-codes.ts'
import { limits } from '../contract/limits.ts'
import { mcpOperations } from '../contract/mcp-operations.ts'
import { basePath, openaiPath } from '../contract/operation.ts'
import { AppError } from '../kernel/app-error.ts'
import { isRecord } from '../kernel/is-record.ts'
import { nextTurn } from '../kernel/pause.ts'
import { jsonHeaders, jsonType } from './answer.ts'
import { openaiError } from './openai-error.ts'
import { traceIdOf } from './request-log.ts'

interface FastifyFailure {
  code?: string
  statusCode?: number
}

/** Any thrown value as an error with a code. An unexpected error reveals nothing about its cause to the client. */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const failure = error as FastifyFailure
  if (failure.code === 'FST_ERR_BAD_URL') return new AppError('not_found', 'The path does not exist')
  if (failure.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new AppError('unsupported_media_type', 'The Content-Type is malformed', { cause: error })
  if (failure.statusCode && failure.statusCode < 500)
    return new AppError('malformed_http', 'The request is malformed', { cause: error })
  return new AppError('internal', 'Internal server error; look up the trace id in the server log', {
    cause: error,
  })
}

/** Any thrown value as an error with a code. Server errors are logged, and what a shutdown ends is no error. */
export function loggedError(thrown: unknown, traceId: string, log: Logger, stopping: AbortSignal): AppError {
  const error = asAppError(thrown)
  const { reason, cause, message } = error
  // With a cause, something else failed, such as the database.
  if (stopping.aborted && reason === 'unavailable' && cause === undefined)
    log.info({ trace_id: traceId, reason }, message)
  else if (statusOf(reason) >= 500) log.error({ trace_id: traceId, reason, err: cause ?? error }, message)
  return error
}

/** In the envelope of the operation's family. A flat response also has the lists of its operation, empty. */
function errorBody(error: AppError, path: string, request: Pick<FastifyRequest, 'body' | 'query'>): string {
  if (path.startsWith(`${openaiPath}/`)) return JSON.stringify(openaiError(error))
  const code = errorCodes[error.reason].code
  const details = { reason: error.reason, errors: error.errors, ...error.data }
  if (path.split('?')[0] === mcpOperations.message.path) return rpcError(error, { code, ...details })
  if (!path.startsWith(`${basePath}/conversation/`))
    return JSON.stringify({ code, message: error.message, data: details })
  const sent = (name: string): string => {
    const sources = [request.body, request.query].filter(isRecord)
    const value = sources.map(source => source[name]).find(each => each !== undefined)
    return typeof value === 'string' ? value : ''
  }
  const [operation] = path.slice(`${basePath}/conversation/`.length).split('?')
  return JSON.stringify({
    code,
    msg: error.message,
    ...((operation === 'chat' || operation === 'turn') && { chat_id: sent('chat_id'), feedback: [] }),
    ...details,
    conversation_id: sent('conversation_id'),
    ...((operation === 'retrieve' || operation === 'versions') && { retrieve_data: [] }),
  })
}

const parseErrorOfRpc = -32700
const serverErrorOfRpc = -32000

/** An error of JSON-RPC; the id of the request is unknown, because it was refused before it was read. */
function rpcError({ reason, message }: AppError, data: object): string {
  const code = reason === 'malformed_json' ? parseErrorOfRpc : serverErrorOfRpc
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message, data } })
}

/** Fastify ends the stream of a response whose client has disconnected, and reports that as an error of the stream. */
const hasLeft = (thrown: unknown, reply: FastifyReply): boolean =>
  reply.raw.destroyed && (thrown as FastifyFailure).code === 'ERR_STREAM_PREMATURE_CLOSE'

const clientLeft = (cause: unknown): AppError =>
  new AppError('malformed_http', 'The client disconnected', { cause })

export async function sendError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Logger,
): Promise<FastifyReply> {
  // A path that cannot be decoded fails before the hook that sets the trace id.
  request.traceId ||= traceIdOf(request.headers)
  reply.header('x-traceid', request.traceId)
  const { stopping } = request.server
  const error = loggedError(
    hasLeft(thrown, reply) ? clientLeft(thrown) : thrown,
    request.traceId,
    log,
    stopping,
  )
  const status = statusOf(error.reason)
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  if (status === 503) reply.header('retry-after', '2')
  if (stopping.aborted) reply.header('connection', 'close')
  reply.code(status).headers({ ...error.headers, ...jsonHeaders })
  // The path of an operation may be encoded in the URL.
  const body = errorBody(error, request.operation?.path ?? request.url, request)
  // A small body has arrived after one turn of the event loop.
  if (!request.raw.complete) await nextTurn()
  // The rest of a request that was too slow is not awaited.
  if (request.raw.complete || error.reason === 'request_timeout') return reply.send(body)
  reply.header('content-length', Buffer.byteLength(body))
  reply.raw.once('finish', () => request.raw.complete || request.raw.socket.destroySoon())
  return reply.send(Readable.from(whileDraining(body, request.raw)))
}

/** Node closes a connection whose request was not read, and a client that still sends would never see the response. */
async function* whileDraining(body: string, request: IncomingMessage): AsyncGenerator<string> {
  yield body
  await drain(request)
}

/** Reads the rest of a rejected request, within limits. */
export function drain(request: IncomingMessage): Promise<void> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (request.complete || request.destroyed || declared > limits.drainBytes) return Promise.resolve()
  return new Promise(resolve => {
    let bytes = 0
    const finish = (): void => {
      clearTimeout(timer)
      request.off('data', onData).off('end', finish).off('close', finish).off('error', finish)
      resolve()
    }
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length
      if (bytes > limits.drainBytes) finish()
    }
    const timer = setTimeout(finish, limits.drainMilliseconds)
    request.on('data', onData).on('end', finish).on('close', finish).on('error', finish)
    request.resume()
  })
}

/** Closes the connection of a client that keeps sending after the response, or never closes it. */
export function destroyLater(socket: Socket, unlessClosed: EventEmitter): void {
  const timer = setTimeout(() => socket.destroy(), limits.drainMilliseconds).unref()
  unlessClosed.once('close', () => clearTimeout(timer))
}

const parserErrors: Record<string, Reason> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

interface ParserFailure extends Error {
  code?: string
  /** What the parser was reading when it failed. */
  rawPacket?: Buffer
}

/** A request that Node cannot parse never reaches a handler; the response is written to the socket. */
function rejectMalformed(error: ParserFailure, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const reason = parserErrors[error.code ?? ''] ?? 'malformed_http'
  const { code, meaning } = errorCodes[reason]
  const body = JSON.stringify({ code, message: meaning, data: { reason, errors: [] } })
  const isHead = error.rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD '
  socket.end(
    `HTTP/1.1 ${statusOf(reason)} Refused\r\nContent-Type: ${jsonType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-TraceId: ${traceIdOf({})}\r\nConnection: close\r\n\r\n${isHead ? '' : body}`,
  )
  destroyLater(socket, socket)
}

/** Answers complete requests first: a client would take the rejection for the response to one that was executed. */
export const malformedRequestHandler =
  (lastResponses: WeakMap<Socket, ServerResponse>) =>
  (error: Error, socket: Socket): void => {
    const last = lastResponses.get(socket)
    if (last && !last.writableFinished && last.req.complete)
      last.once('close', () => rejectMalformed(error, socket))
    else rejectMalformed(error, socket)
  }
