import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { TokenRecord } from '../access/access-store.ts'
import { limits } from '../contract/limits.ts'
import { basePath, type Operation, openaiPath } from '../contract/operation.ts'
import { AppError } from '../kernel/app-error.ts'
import type { JsonMember } from '../kernel/json-members.ts'
import type { Tracer } from '../tracing/tracer.ts'
import { isEmptyBody, isJsonType, noMembers, readJson, refuseEncoding, typeSent } from './body.ts'
import { openResponse } from './cors.ts'
import { destroyLater, loggedError, malformedRequestHandler, sendError } from './errors.ts'
import { everyResponse, immediateResponses } from './immediate-responses.ts'
import { LineBatch, type RecordedRequest, requestLine, traceIdOf } from './request-log.ts'
import { RequestsInProgress } from './requests-in-progress.ts'
import { type Handler, type Route, registerRoute, type ServerParts } from './route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    traceId: string
    startedAt: number
    token: TokenRecord | undefined
    operation: Operation | undefined
    members: ReadonlyMap<string, JsonMember>
  }
  interface FastifyInstance {
    /** Aborted a moment after a shutdown began: long responses end, and waiting requests fail. */
    stopping: AbortSignal
    inProgress: RequestsInProgress
    /** The executor of each operation, for MCP, which executes several within one request. */
    executors: Map<Operation, Handler>
    /** Whether the token of an accepted request is still valid. */
    isStillAuthorized(request: FastifyRequest): Promise<boolean>
    /** A number that changes when a client may have lost its access; undefined if that is unknown. */
    accessGeneration(): number | undefined
    /** Converts an error after the response has begun to one with a code, and logs server errors. */
    errorOf(thrown: unknown, request: FastifyRequest): AppError
  }
  interface FastifyContextConfig {
    operation?: Operation
    /** Answered without a token. */
    isPreflight?: boolean
  }
}

/** Registers the routes behind one authorization check, one body parser and one error handler. */
export function createServer(parts: ServerParts, routes: readonly Route[]): FastifyInstance {
  const lastResponses = new WeakMap<Socket, ServerResponse>()
  const app = openFastify(parts, lastResponses)
  const stopping = new AbortController()
  const unusedConnections = trackUnusedConnections(app.server)
  const inProgress = new RequestsInProgress()
  app.decorate('stopping', stopping.signal)
  app.decorate('inProgress', inProgress)
  app.decorate('executors', new Map())
  app.decorate('isStillAuthorized', request => isStillAuthorized(parts, request))
  app.decorate('accessGeneration', () => parts.access.generation())
  app.decorate('errorOf', (thrown, { traceId }) => loggedError(thrown, traceId, parts.log, stopping.signal))
  app.decorateRequest('traceId', '')
  app.decorateRequest('startedAt', 0)
  app.decorateRequest('token', undefined)
  app.decorateRequest('operation', undefined)
  app.decorateRequest('members')
  app.addHook('preClose', async () => {
    await inProgress.finish(limits.finishMilliseconds)
    stopping.abort()
    unusedConnections.close()
  })
  // An unknown expectation is ignored, as an unknown header is.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))

  const record = recorder(app, parts)
  // With tracing the framework answers all requests, because only its hooks create the span of a request.
  answerFirst(
    app,
    immediateResponses(parts.tracer ? [] : routes, { ...parts, record }),
    (request, response) => {
      lastResponses.set(request.socket, response)
      unusedConnections.used(request.socket)
    },
  )

  const unknownPath = unknownPathError(routes)
  const originRules = new Map(routes.map(({ operation, allowsOrigin }) => [operation.path, allowsOrigin]))
  app.addHook('onRequest', (request, reply, done) => {
    inProgress.begin(request)
    request.startedAt = performance.now()
    request.traceId = traceIdOf(request.headers)
    request.members = noMembers
    whenEnded(reply, status => {
      inProgress.end(request)
      record(request, status)
      if (!request.raw.complete && reply.raw.writableFinished) destroyLater(request.raw.socket, request.raw)
      // A response during shutdown leaves a connection that would never be closed.
      if (stopping.signal.aborted) setImmediate(() => app.server.closeIdleConnections())
    })
    reply.header('x-traceid', request.traceId)
    reply.headers(everyResponse)
    const { origin } = request.headers
    if (origin !== undefined && originRules.get(request.url.split('?', 1)[0]!)?.(origin))
      openResponse(reply, origin)
    authorize(parts, request, reply, error => {
      // Unknown paths are refused before the body is read, because problems of the body do not matter there.
      done(error ?? (request.is404 ? unknownPath(request.url) : undefined))
    })
  })
  if (parts.tracer) traceRequests(app, parts.tracer)
  app.removeAllContentTypeParsers()
  // By its name it is found without a search.
  app.addContentTypeParser(['application/json', '*'], parseBody)
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, parts.log))
  app.setNotFoundHandler((request, reply) => sendError(unknownPath(request.url), request, reply, parts.log))
  for (const route of routes) registerRoute(app, parts, route)
  return app
}

/** As in nginx: the client disconnected before there was a response. */
const clientClosedRequest = 499

/** Fastify's `onResponse` is only called where the whole response was sent, not where the client disconnected. */
function whenEnded({ raw }: FastifyReply, listener: (status: number) => void): void {
  const end = (): void => listener(raw.headersSent ? raw.statusCode : clientClosedRequest)
  if (raw.destroyed) end()
  else raw.once('close', end)
}

/** Handlers validate and serialize by themselves. Loading Fastify's compilers would only delay the start. */
const noSchemas = (): never => {
  throw new Error('Routes of Fastify have no schemas here')
}

const openFastify = (parts: ServerParts, lastResponses: WeakMap<Socket, ServerResponse>): FastifyInstance =>
  Fastify({
    logger: false,
    // GET routes handle HEAD themselves: Fastify would read a whole file to learn its length.
    exposeHeadRoutes: false,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    // A limit that is never reached, so that a long path is rejected after authorization like every other unknown path.
    routerOptions: { maxParamLength: limits.headerBytes },
    forceCloseConnections: 'idle',
    trustProxy: parts.trustedProxies?.length ? [...parts.trustedProxies] : false,
    return503OnClosing: false,
    // The body parser has its own timeout; an upload may take long as long as data arrives.
    requestTimeout: 0,
    http: {
      headersTimeout: limits.headersMilliseconds,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: limits.headerBytes,
      // Duplicate Authorization or Content-Type headers are joined, which makes them invalid.
      joinDuplicateHeaders: true,
      // Node would reject with an empty response; `authorize` sends a complete one.
      requireHostHeader: false,
    },
    clientErrorHandler: malformedRequestHandler(lastResponses),
    frameworkErrors: (error, request, reply) => sendError(error, request, reply, parts.log),
  })

/** The only place that decides about access. Below the API, an unknown path requires a token too. */
function authorize(
  parts: ServerParts,
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const { host, authorization } = request.headers
  if (request.raw.httpVersion === '1.1' && (host === undefined || host.includes(',')))
    return void done(new AppError('malformed_http', 'The request must have exactly one Host header'))
  // Read once: Fastify creates a new object of all route options at every access.
  const { operation, isPreflight } = request.routeOptions.config ?? {}
  request.operation = operation
  const isApi = [basePath, openaiPath].some(path => request.url.startsWith(`${path}/`))
  const access = operation?.access ?? (isApi ? 'token' : 'anyone')
  if (access === 'anyone' || isPreflight) return void done()
  const admit = (token: TokenRecord): void => {
    const limitHeaders = parts.limiter.take(token)
    if (limitHeaders) reply.headers(limitHeaders)
    parts.access.authorize(token, access)
    request.token = token
    done()
  }
  // The handler requires a token if the agent is not public; a token that is sent must be valid anyway.
  if (access === 'public' && authorization === undefined) {
    parts.limiter.takeAnonymous(request.ip)
    return void done()
  }
  const known = parts.access.recognize(authorization)
  if (known) return void admit(known)
  authenticate(parts, request).then(admit).catch(done)
}

/**
 * Limits the wrong tokens of an address. A token that was valid lately is looked up in any case: other clients may share
 * the address, such as that of a proxy.
 */
async function authenticate(
  { access, limiter, log }: ServerParts,
  { headers: { authorization }, ip, traceId }: FastifyRequest,
): Promise<TokenRecord> {
  if (authorization !== undefined && !access.wasValid(authorization)) limiter.refuseGuessing(ip)
  try {
    return await access.authenticate(authorization)
  } catch (error) {
    if (error instanceof AppError && error.reason === 'token_invalid') {
      limiter.countWrongToken(ip)
      log.warn({ trace_id: traceId, address: ip }, 'A token was refused')
    }
    throw error
  }
}

/** Checked again during a long response. If the database is unavailable, the client keeps its access. */
async function isStillAuthorized({ access }: ServerParts, request: FastifyRequest): Promise<boolean> {
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

async function parseBody(request: FastifyRequest, raw: IncomingMessage): Promise<unknown> {
  refuseEncoding(raw)
  const { operation } = request
  if (operation?.streamsBody) return undefined
  if (raw.headers['content-length'] === '0') return {}
  const contentType = raw.headers['content-type']
  if (!isJsonType(contentType)) {
    if (raw.headers['content-length'] === undefined && (await isEmptyBody(raw))) return {}
    throw new AppError(
      'unsupported_media_type',
      `Send the body as application/json, not ${typeSent(contentType)}`,
    )
  }
  const limit = operation?.bodyLimit ?? limits.jsonBytes
  // The larger limits are for files and graphs, which need a token.
  const allowed = request.token ? limit : Math.min(limit, limits.messageBytes)
  const body = await readJson(raw, allowed, operation?.bodyValues)
  request.members = body.members
  return body.value
}

/** A span for every authorized request, around everything that its handler does. */
function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { operation, token, headers, method, traceId } = request
    const span = tracer.startRequest(headers['traceparent'], traceId, {
      name: `${method} ${operation?.path ?? 'unknown'}`,
      attributes: {
        'http.request.method': method,
        'http.route': operation?.path,
        'banyan.operation': operation?.name,
        'banyan.trace_id': traceId,
        'banyan.workspace.id': token?.workspaceId,
        'banyan.token.id': token?.id,
      },
    })
    if (span)
      whenEnded(reply, status => {
        span.set({ 'http.response.status_code': status })
        span.end(status >= 500 ? String(status) : undefined)
      })
    tracer.within(span, done)
  })
}

/** Metrics and the request log. */
function recorder(app: FastifyInstance, parts: ServerParts) {
  const lines = parts.writeLog && new LineBatch(parts.writeLog)
  app.addHook('onClose', async () => lines?.flush())
  return (request: RecordedRequest, status: number): void => {
    const milliseconds = performance.now() - request.startedAt
    parts.metrics.request(request.operation?.name ?? 'unknown', status, milliseconds / 1000)
    lines?.add(requestLine(request, status, milliseconds))
  }
}

/** Calls `answer` before Fastify, except during a shutdown, when Fastify has to close the connections. */
function answerFirst(
  app: FastifyInstance,
  answer: (request: IncomingMessage, response: ServerResponse) => boolean,
  received: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  const [handle] = app.server.listeners('request') as [RequestListener]
  app.server.removeListener('request', handle).on('request', (request, response) => {
    received(request, response)
    if (app.stopping.aborted || !answer(request, response)) handle(request, response)
  })
}

/** `method_not_allowed` if the path exists with another method, otherwise `not_found`. */
function unknownPathError(routes: readonly Route[]): (url: string) => AppError {
  const patterns = routes.map(({ operation: { method, path } }) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
  }))
  return url => {
    const path = url.split('?', 1)[0]!
    const methods = patterns.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)
    if (methods.length === 0) return new AppError('not_found', 'The path does not exist')
    const allow = [...new Set(methods)].join(', ')
    return new AppError('method_not_allowed', `This path supports ${allow}`, { headers: { allow } })
  }
}

/**
 * Tracks connections without a request yet, which browsers open ahead of time. Node does not count them as idle, so a
 * shutdown would wait for each of them.
 */
function trackUnusedConnections(server: Server): { used(socket: Socket): void; close(): void } {
  const unused = new Set<Socket>()
  server.on('connection', socket => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  return {
    used: socket => void unused.delete(socket),
    close: () => {
      for (const socket of unused) socket.destroy()
    },
  }
}
