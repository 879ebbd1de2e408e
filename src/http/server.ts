import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { TokenRecord } from '../access/access-store.ts'
import { errorCodes, type Reason, statusOf } from '../contract/error-codes.ts'
import { limits } from '../contract/limits.ts'
import { basePath, type Operation } from '../contract/operation.ts'
import { AppError } from '../kernel/app-error.ts'
import type { JsonMember } from '../kernel/json-members.ts'
import { jsonType } from './answer.ts'
import type { Route } from './call.ts'
import { cutOffLater, drain } from './drain.ts'
import { asAppError, errorBody, errorStatus } from './error-answer.ts'
import { isJsonType, noMembers, readJson, refuseEncoding } from './read-body.ts'
import { registerRoute } from './register-route.ts'
import { LineBatch, requestLine } from './request-log.ts'
import type { ServerParts } from './server-parts.ts'
import { silentConnections } from './silent-connections.ts'
import { traceIdOf } from './trace.ts'

declare module 'fastify' {
  interface FastifyRequest {
    traceId: string
    startedAt: number
    token: TokenRecord | undefined
    operation: Operation | undefined
    members: ReadonlyMap<string, JsonMember>
  }
  interface FastifyInstance {
    /** Aborted when the server begins to stop: whoever would answer for a long time ends. */
    stopping: AbortSignal
    /** Whether the token of a request that was let in is still good. */
    admits(request: FastifyRequest): Promise<boolean>
    /** What went wrong after the answer had begun: as a failure with a code, and in the log where it is ours. */
    failureOf(thrown: unknown, request: FastifyRequest): AppError
  }
  interface FastifyContextConfig {
    operation?: Operation
  }
}

/** Puts the routes behind one gate, one body reader and one error answer. */
export function createServer(parts: ServerParts, routes: readonly Route[]): FastifyInstance {
  const newestAnswers = new WeakMap<Socket, ServerResponse>()
  const app = Fastify({
    logger: false,
    // Routes that read take HEAD themselves: Fastify's own would read a whole file to learn its length.
    exposeHeadRoutes: false,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    // Never met, so that a long path is refused where every other unknown one is, behind the gate.
    routerOptions: { maxParamLength: limits.headerBytes },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // A body's time is bounded where it is read; an upload may take long as long as it flows.
    requestTimeout: 0,
    http: {
      headersTimeout: limits.headersMilliseconds,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: limits.headerBytes,
      // Two tokens or two content types are nobody's choice to make: joined they fit no rule.
      joinDuplicateHeaders: true,
      // Node would refuse with an empty answer; the gate does it with a full one.
      requireHostHeader: false,
    },
    clientErrorHandler: brokenRequestAnswer(newestAnswers),
    frameworkErrors: (error, request, reply) => answerError(error, request, reply, parts.log),
  })
  const stopping = new AbortController()
  app.decorate('stopping', stopping.signal)
  app.decorate('admits', (request: FastifyRequest) => isAdmitted(parts, request))
  app.decorate('failureOf', (thrown: unknown, { traceId }: FastifyRequest) =>
    known(thrown, traceId, parts.log),
  )
  const silent = silentConnections(app.server)
  app.addHook('preClose', async () => {
    stopping.abort()
    silent.close()
  })
  app.decorateRequest('traceId', '')
  app.decorateRequest('startedAt', 0)
  app.decorateRequest('token', undefined)
  app.decorateRequest('operation', undefined)
  app.decorateRequest('members')
  const allowedMethods = methodsByPath(routes)
  const noSuchPath = (url: string): AppError => {
    const allowed = allowedMethods(url)
    return allowed
      ? new AppError('method_not_allowed', `This path takes ${allowed}`, { headers: { allow: allowed } })
      : new AppError('not_found', 'There is no such path')
  }
  // An expectation that nobody knows is ignored, as a header that nobody knows is.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))

  app.addHook('onRequest', (request, reply, done) => {
    request.startedAt = performance.now()
    newestAnswers.set(request.raw.socket, reply.raw)
    silent.spoke(request.raw.socket)
    request.traceId = traceIdOf(request.headers)
    request.members = noMembers
    reply.header('x-traceid', request.traceId)
    reply.header('x-content-type-options', 'nosniff')
    const { host } = request.headers
    if (request.raw.httpVersion === '1.1' && (host === undefined || host.includes(',')))
      return done(new AppError('malformed_http', 'A request needs one Host header'))
    // Decided here and nowhere else. Of the paths below the API only those with a token learn which exist.
    // Looked up once: Fastify makes a new object of all the route's options at every look.
    const operation = request.routeOptions.config?.operation
    request.operation = operation
    const access = operation?.access ?? (request.url.startsWith(`${basePath}/`) ? 'token' : 'anyone')
    // Before the body is looked at: what is wrong with it does not matter on a path that takes none.
    const pass = (): void => done(request.is404 ? noSuchPath(request.url) : undefined)
    if (access === 'anyone') return pass()
    // Its handler asks for a token where the agent is not public; one that is sent must be good even so.
    if (access === 'public' && request.headers.authorization === undefined) {
      parts.anonymous.take(request.ip)
      return pass()
    }
    const admit = (token: TokenRecord): void => {
      parts.access.authorize(token, access)
      request.token = token
      pass()
    }
    const known = parts.access.recognize(request.headers.authorization)
    if (known) return admit(known)
    parts.access.authenticate(request.headers.authorization).then(admit).catch(done)
  })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (request: FastifyRequest, raw: IncomingMessage) => {
    refuseEncoding(raw)
    const { operation } = request
    if (operation?.streamsBody) return undefined
    if (raw.headers['content-length'] === '0') return {}
    const contentType = raw.headers['content-type']
    if (!isJsonType(contentType))
      throw new AppError(
        'unsupported_media_type',
        `Send the body as application/json, not as ${contentType ?? 'nothing'}`,
      )
    const body = await readJson(raw, operation?.bodyLimit ?? limits.jsonBytes)
    request.members = body.members
    return body.value
  })

  app.setErrorHandler((error, request, reply) => answerError(error, request, reply, parts.log))
  app.setNotFoundHandler((request, reply) => answerError(noSuchPath(request.url), request, reply, parts.log))

  const requestLines = parts.writeLog && new LineBatch(parts.writeLog)
  app.addHook('onClose', async () => requestLines?.flush())
  app.addHook('onResponse', (request, reply, done) => {
    if (!request.raw.complete) cutOffLater(request.raw.socket, request.raw)
    const milliseconds = performance.now() - request.startedAt
    const operation = request.operation?.name ?? 'unknown'
    parts.metrics.forRoute(operation).add(reply.statusCode, milliseconds / 1000)
    const line = {
      traceId: request.traceId,
      operation,
      method: request.method,
      status: reply.statusCode,
      milliseconds: Math.round(milliseconds * 100) / 100,
      workspaceId: request.token?.workspaceId,
      tokenId: request.token?.id,
    }
    requestLines?.add(requestLine(line, Date.now()))
    // What answered while the server was stopping leaves a connection that nobody would close.
    if (stopping.signal.aborted) setImmediate(() => app.server.closeIdleConnections())
    done()
  })

  for (const route of routes) registerRoute(app, parts, route)
  return app
}

/** Whatever was thrown, with a code; what is a fault of ours is logged. */
function known(thrown: unknown, traceId: string, log: Logger): AppError {
  const error = asAppError(thrown)
  if (errorStatus(error) >= 500)
    log.error({ trace_id: traceId, reason: error.reason, err: error.cause ?? error }, error.message)
  return error
}

/** Asked again while an answer goes on. Where the database cannot tell, nobody is turned away. */
async function isAdmitted({ access }: ServerParts, request: FastifyRequest): Promise<boolean> {
  const { token, operation, headers } = request
  if (!token) return true
  try {
    const now = access.recognize(headers.authorization) ?? (await access.authenticate(headers.authorization))
    access.authorize(now, operation?.access ?? 'token')
    return now.id === token.id
  } catch (error) {
    return !(error instanceof AppError && ['token_invalid', 'forbidden'].includes(error.reason))
  }
}

async function answerError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Logger,
): Promise<FastifyReply> {
  // A path that cannot be decoded fails before the hook that names the request.
  request.traceId ||= traceIdOf(request.headers)
  reply.header('x-traceid', request.traceId)
  const error = known(thrown, request.traceId, log)
  const status = errorStatus(error)
  // Who sends too slowly is not waited for.
  if (error.reason !== 'request_timeout') await drain(request.raw)
  if (error.reason === 'token_missing' || error.reason === 'token_invalid')
    reply.header('www-authenticate', 'Bearer')
  if (status === 503) reply.header('retry-after', '2')
  if (request.server.stopping.aborted) reply.header('connection', 'close')
  return reply
    .code(status)
    .headers({ ...error.headers, 'cache-control': 'no-store', 'content-type': jsonType })
    .send(errorBody(error, request.url, request.body))
}

/** Which methods a path takes, for the answer to the wrong one. */
function methodsByPath(routes: readonly Route[]): (url: string) => string | undefined {
  const paths = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  for (const { operation } of routes) {
    const entry = paths.get(operation.path) ?? {
      pattern: new RegExp(`^${operation.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
      methods: new Set(),
    }
    entry.methods.add(operation.method)
    if (operation.method === 'GET') entry.methods.add('HEAD')
    paths.set(operation.path, entry)
  }
  return url => {
    const path = url.split('?', 1)[0]!
    const methods = [...paths.values()]
      .filter(entry => entry.pattern.test(path))
      .flatMap(entry => [...entry.methods])
    return methods.length > 0 ? [...new Set(methods)].join(', ') : undefined
  }
}

const brokenRequests: Record<string, Reason> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** What Node cannot parse never becomes a request; it is answered on the bare socket. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const reason = brokenRequests[error.code ?? ''] ?? 'malformed_http'
  const status = statusOf(reason)
  const { code, meaning } = errorCodes[reason]
  const body = JSON.stringify({ code, message: meaning, data: { reason, errors: [] } })
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: ${jsonType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-TraceId: ${traceIdOf({})}\r\nConnection: close\r\n\r\n${body}`,
  )
  cutOffLater(socket, socket)
}

/**
 * What came whole before the broken part is answered first: else a client would take the refusal for the
 * answer to a request that was carried out.
 */
const brokenRequestAnswer =
  (newestAnswers: WeakMap<Socket, ServerResponse>) =>
  (error: Error, socket: Socket): void => {
    const newest = newestAnswers.get(socket)
    if (newest && !newest.writableFinished && newest.req.complete)
      newest.once('close', () => answerBrokenRequest(error, socket))
    else answerBrokenRequest(error, socket)
  }
