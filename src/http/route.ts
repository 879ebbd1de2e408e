import { createHash, hash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Static, TSchema } from 'typebox'
import type { AccessService } from '../access/access-service.ts'
import type { TokenRecord } from '../access/access-store.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import { limits } from '../contract/limits.ts'
import { isFlat, isPlain, type Operation } from '../contract/operation.ts'
import { operations } from '../contract/operations.ts'
import type { IdempotencyService } from '../idempotency/idempotency-service.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import { freeBytes } from '../kernel/free-bytes.ts'
import { haveManyValues, type JsonMember } from '../kernel/json-members.ts'
import { nextTurn } from '../kernel/pause.ts'
import { inSlices, type Pausable } from '../kernel/slices.ts'
import { piecesOf } from '../kernel/write-in-pieces.ts'
import type { Tracer } from '../tracing/tracer.ts'
import { Answer, type Envelope, flatSuccessText, jsonHeaders, jsonOf, successText } from './answer.ts'
import { refuseInexact } from './body.ts'
import { answerPreflights, type OriginRule } from './cors.ts'
import { ignoredFields, ignoredFieldsHeader } from './ignored-fields.ts'
import type { AnswerNow } from './immediate-responses.ts'
import type { Schema } from './null-fields.ts'
import type { RequestLimiter } from './request-limiter.ts'
import { type Check, compileBody, compileLargeBody, compileQuery, refuseUnless } from './validation.ts'

/** What every route needs besides its own service. */
export interface ServerParts {
  access: AccessService
  idempotency: IdempotencyService
  audit: Pick<AuditLog, 'record'>
  metrics: { request(operation: string, status: number, seconds: number): void }
  limiter: RequestLimiter
  /** Proxies whose X-Forwarded-For names the client. */
  trustedProxies?: readonly string[]
  /** Undefined where traces are not exported. */
  tracer?: Tracer | undefined
  log: Logger
  /** Writes formatted log lines; undefined if requests are not logged. */
  writeLog: ((lines: string) => void) | undefined
}

type Shape<Schema> = Schema extends TSchema ? Static<Schema> : undefined

/** An authorized request whose fields have the declared types. */
export interface Call<Op extends Operation = Operation> {
  token: TokenRecord
  workspaceId: string
  body: Shape<Op['body']>
  query: Shape<Op['query']>
  params: Shape<Op['params']>
  /** Members of the JSON body with the exact text of their values. */
  members: ReadonlyMap<string, JsonMember>
  request: FastifyRequest
  reply: FastifyReply
}

/** Returns the `data` of the envelope (nothing counts as {}), or an `Answer`, or a promise of either. */
export type Handler<Op extends Operation = Operation> = (call: Call<Op>) => unknown

export interface Route {
  operation: Operation
  handler: Handler
  answerNow?: AnswerNow
  /** Set if the origin alone decides which pages may read its responses, also refusals. */
  allowsOrigin?: OriginRule
  /** Set if pages of other origins may call it with a token; its handler decides which may read the response. */
  isForPages?: boolean
}

/** Binds a handler to its operation, with the types of the operation's schemas. */
export const route = <const Op extends Operation>(
  operation: Op,
  handler: Handler<Op>,
  answerNow?: AnswerNow,
): Route => ({
  operation,
  handler: handler as unknown as Handler,
  ...(answerNow && { answerNow }),
})

/** Loads a value for the first request that needs it; after a failure the next request tries again. */
export function onFirstUse<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
}

const smallAnswerBytes = 64 << 10
/** Encoding a longer text at once takes tens of milliseconds. */
const longAnswerCharacters = 1 << 20
const pieceCharacters = 256 << 10
const accesses = new Set(['anyone', 'public', 'token', 'run', 'read', 'write', 'admin', 'operator'])

/** Compiles a schema on first use: compiling all of them takes a large part of startup time and idle memory. */
function checkOf(
  schema: TSchema | undefined,
  compile: (schema: TSchema) => Check,
  refuse: (check: Check, value: unknown) => void = refuseUnless,
): (value: unknown) => void {
  let check: Check | undefined
  return value => {
    if (!schema) return
    check ??= compile(schema)
    refuse(check, value)
  }
}

/** A path parameter that is not a valid id is reported like an unknown id. */
function findUnless(check: Check, params: unknown): void {
  if (!check(params)) throw new AppError('not_found', 'The object does not exist')
}

/** Free-form members whose parsed values are used. Graphs are stored as they were sent. */
const freeFormMembers = [
  ...['inputs', 'outputs', 'checks', 'config', 'memory', 'learn'],
  ...['metadata', 'filter', 'extra_body', 'params', 'arguments', 'parameters'],
]

/** A body with more values is checked up to its first error. */
const maxValuesForAllErrors = 1000

/** Checks the fields of a call before it is handled. */
function executorOf(parts: ServerParts, { operation, ...given }: Route): Handler {
  const checkParams = checkOf(operation.params, compileQuery, findUnless)
  const checkQuery = checkOf(operation.query, compileQuery)
  // The handler of an upload checks its JSON, because only the handler knows whether the body is JSON.
  const body = operation.streamsBody ? undefined : operation.body
  const checkBody = checkOf(body, compileBody)
  const checkLargeBody = checkOf(body, compileLargeBody)
  const nameIgnored = ignoredNamer(operation)
  const wrap = envelopeOf(operation)
  const handler = operation.changes ? audited(parts, operation, given.handler) : given.handler
  return call => {
    checkParams(call.params)
    checkQuery(call.query)
    nameIgnored(call)
    const isLarge = haveManyValues(call.members, maxValuesForAllErrors)
    if (isLarge) checkLargeBody(call.body)
    else checkBody(call.body)
    refuseInexact(call.members, freeFormMembers)
    return operation.creates ? answerOnce(parts, operation, call, handler, wrap) : handler(call)
  }
}

/** Reports ignored fields before the check: its error is often caused by a field with a wrong name. */
function ignoredNamer({ body, streamsBody }: Operation): (call: Call) => void {
  if (!body || streamsBody) return () => {}
  return ({ body: sent, reply }) => {
    const names = ignoredFields(body as Schema, sent)
    if (names !== undefined) reply.header(ignoredFieldsHeader, names)
  }
}

export function registerRoute(app: FastifyInstance, parts: ServerParts, route: Route): void {
  const { operation } = route
  if (!accesses.has(operation.access)) throw new Error(`${operation.name} does not declare its access`)
  if (!operations.includes(operation)) throw new Error(`${operation.name} is not part of the API`)
  const execute = executorOf(parts, route)
  const wrap = envelopeOf(operation)
  app.executors.set(operation, execute)
  const methods = operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method]
  const url = operation.path.replace(/\{(\w+)\}/g, ':$1')
  if (operation.access === 'public' || route.isForPages || route.allowsOrigin)
    answerPreflights(app, url, methods, route.allowsOrigin)

  app.route({
    method: methods,
    url,
    config: { operation },
    handler: (request, reply) => {
      // A missing body counts as {}, but `null` is an invalid body.
      if (request.body === undefined) request.body = {}
      const call = {
        // Set for every operation except `anyone`, whose handlers do not use it, and `public`, whose handlers use
        // `request.token`.
        token: request.token,
        workspaceId: request.token?.workspaceId,
        body: request.body,
        query: request.query,
        params: request.params,
        members: request.members,
        request,
        reply,
      } as Call
      const result = execute(call)
      return result instanceof Promise
        ? result.then(later => send(reply, later, wrap))
        : send(reply, result, wrap)
    },
  })
}

function envelopeOf(operation: Operation): Envelope {
  if (isPlain(operation)) return data => data
  return isFlat(operation) ? flatSuccessText : successText
}

/** Limits the length, because an address behind a proxy is any text that the proxy sends. */
const maxAddressLength = 64

/** Empty for a client that has disconnected already. */
const addressOf = ({ ip }: { readonly ip?: string }): string => (ip ?? '').slice(0, maxAddressLength)

/** The change and its entry in the audit log are committed together. */
const audited =
  ({ audit }: ServerParts, operation: Operation, handler: Route['handler']): Route['handler'] =>
  call => {
    const { token, request } = call
    // A visitor changes only its own objects, which is not logged.
    if (!token) return handler(call)
    const { workspaceId, id, name, role, operator } = token
    const actor = { workspaceId, id, name, role: operator ? 'operator' : role }
    return audit.record(
      operation,
      { ...actor, traceId: request.traceId, address: addressOf(request) },
      call,
      async () => handler(call),
    )
  }

/** Replays the first response of a creating operation if the client sent an Idempotency-Key. */
async function answerOnce(
  parts: ServerParts,
  operation: Operation,
  call: Call,
  handler: Route['handler'],
  wrap: Envelope,
): Promise<unknown> {
  const key = idempotencyKey(call.request)
  const { request } = call
  // A streamed body is known only after it has arrived, so its handler calls `once` itself. A stream of events cannot
  // be stored and replayed, so its handler uses the key itself.
  if (operation.streamsBody || operation.streams || key === undefined) return handler(call)
  const conditions = [request.headers['if-match'], request.headers['if-none-match']]
  const target = operation.params ? [request.params] : []
  const sent = await digestedMembers(call)
  const fingerprint = fingerprintOf([operation.name, request.query, conditions, sent, ...target])
  return once(parts, call, key, fingerprint, () => handler(call), wrap)
}

/** Members with the texts of their values: parsed, different numbers beyond 2^53 could be equal. */
const sentMembers = ({ members }: Pick<Call, 'members'>, ...omitted: string[]): [string, string][] =>
  [...members].flatMap(([name, { text }]) => (omitted.includes(name) ? [] : [[name, text]]))

/** Members with hashes instead of long texts. */
export const digestedMembers = (
  call: Pick<Call, 'members'>,
  ...omitted: string[]
): Promise<[string, string][]> => Promise.all(sentMembers(call, ...omitted).map(digested))

const maxFingerprintLength = 64 << 10

/** A long text is replaced by its hash, which is computed in slices. */
const digested = async ([name, text]: [string, string]): Promise<[string, string]> =>
  text.length <= maxFingerprintLength ? [name, text] : [name, await inSlices(digestOf(text))]

function* digestOf(text: string): Pausable<string> {
  const hashing = createHash('sha256')
  for (let at = 0; at < text.length; at += maxFingerprintLength) {
    // The UTF-16 units are hashed, because a slice may end between surrogates.
    hashing.update(text.slice(at, at + maxFingerprintLength), 'utf16le')
    yield
  }
  return hashing.digest('hex')
}

export const fingerprintOf = (request: unknown): string => hash('sha256', JSON.stringify(request))

export function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !new RegExp(`^[\\x21-\\x7e]{1,${limits.idempotencyKeyLength}}$`).test(key))
    throw invalidField(
      'header/Idempotency-Key',
      `must be 1 to ${limits.idempotencyKeyLength} visible ASCII characters`,
    )
  return key
}

export async function once(
  parts: Pick<ServerParts, 'idempotency'>,
  call: Call,
  key: string,
  fingerprint: string,
  work: () => unknown,
  wrap: Envelope = successText,
): Promise<Answer> {
  const { token, request } = call
  // Keys are scoped by token: without one, the same key of another client could not be distinguished.
  if (!request.token)
    throw invalidField('header/Idempotency-Key', 'requires a token; send a token or omit the key')
  const scope = { workspaceId: token.workspaceId, tokenId: token.id, key }
  // Without the scheme, whose capitalization may differ between requests.
  const secret = request.headers.authorization!.slice('Bearer '.length)
  const { answer, replayed } = await parts.idempotency.once(scope, secret, fingerprint, async () =>
    wrap(jsonOf((await work()) ?? {})),
  )
  return new Answer(200, { ...jsonHeaders, ...(replayed && { 'idempotency-replayed': 'true' }) }, answer)
}

function send(reply: FastifyReply, result: unknown, wrap: Envelope): FastifyReply {
  if (!(result instanceof Answer)) {
    reply.headers(jsonHeaders)
    return sendBounded(reply, wrap(jsonOf(result ?? {})))
  }
  reply.code(result.status)
  for (const name in result.headers) reply.header(name, result.headers[name])
  return sendBounded(reply, result.body)
}

/** The socket buffers a small response; a client must not hold a larger one open forever. */
function sendBounded(reply: FastifyReply, body: Answer['body']): FastifyReply {
  if (reply.server.stopping?.aborted) reply.header('connection', 'close')
  const isSmall = body === undefined || (!(body instanceof Readable) && body.length < smallAnswerBytes)
  if (!isSmall)
    reply.raw.setTimeout(limits.downloadStallMilliseconds, () => reply.request.raw.socket.destroy())
  // The content of a file; streams of unknown length are texts.
  if (body instanceof Readable && reply.hasHeader('content-length')) freeWhenSent(reply.raw)
  const isLong = typeof body === 'string' && body.length > longAnswerCharacters
  return reply.send(isLong ? Readable.from(encodedPieces(body), { objectMode: false }) : body)
}

/** Frees the memory of each chunk as soon as the socket has taken it. */
function freeWhenSent(response: ServerResponse): void {
  const write = response.write.bind(response)
  response.write = (chunk: Uint8Array) => write(chunk, () => freeBytes(chunk))
}

async function* encodedPieces(text: string): AsyncGenerator<Buffer> {
  for (const piece of piecesOf(text, pieceCharacters)) {
    yield Buffer.from(piece)
    // A client that reads fast would be sent all of it in one turn of the event loop.
    await nextTurn()
  }
}
