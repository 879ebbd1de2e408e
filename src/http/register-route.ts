import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { limits } from '../contract/limits.ts'
import type { Operation } from '../contract/operation.ts'
import { operations } from '../contract/operations.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import { Answer, type Envelope, flatSuccessText, jsonType, successText } from './answer.ts'
import type { Call, Route } from './call.ts'
import { jsonOf } from './json-text.ts'
import type { ServerParts } from './server-parts.ts'
import { type Check, compileBody, compileQuery, refuseUnless } from './validation.ts'

const smallAnswer = 64 << 10
const accesses = new Set(['anyone', 'public', 'token', 'run', 'read', 'write', 'admin', 'operator'])

/** A path parameter of a shape that no id has names nothing, as any other unknown id. */
function checkParams(validate: Check | undefined, value: unknown): void {
  if (validate && !validate(value)) throw new AppError('not_found', 'There is no such object')
}

/** Compiled when it is first needed: all of them together take a good part of a start, and of an idle server. */
function compiled(schema: TSchema | undefined, compile: (schema: TSchema) => Check): () => Check | undefined {
  let check: Check | undefined
  return () => {
    if (schema) check ??= compile(schema)
    return check
  }
}

export function registerRoute(app: FastifyInstance, parts: ServerParts, { operation, handler }: Route): void {
  if (!accesses.has(operation.access)) throw new Error(`${operation.name} does not declare who may use it`)
  if (!operations.includes(operation)) throw new Error(`${operation.name} is not part of the interface`)
  const params = compiled(operation.params, compileQuery)
  const query = compiled(operation.query, compileQuery)
  // An upload's JSON form is checked by its handler, which alone knows whether the body is JSON.
  const body = compiled(operation.streamsBody ? undefined : operation.body, compileBody)

  app.route({
    method: operation.method === 'GET' ? ['GET', 'HEAD'] : operation.method,
    url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
    config: { operation },
    handler: (request, reply) => {
      checkParams(params(), request.params)
      const queryCheck = query()
      if (queryCheck) refuseUnless(queryCheck, request.query)
      // Only what is missing: a body `null` is one, and a wrong one.
      if (request.body === undefined) request.body = {}
      const bodyCheck = body()
      if (bodyCheck) refuseUnless(bodyCheck, request.body)
      const call = {
        // The gate has set it for every operation but those that anyone may use, whose handlers do not look, and
        // `public` ones, whose handlers look at `request.token`.
        token: request.token!,
        body: request.body,
        query: request.query,
        params: request.params,
        members: request.members,
        request,
        reply,
      } as Call
      const result = operation.creates ? answerOnce(parts, operation, call, handler) : handler(call)
      const wrap = envelopeOf(operation)
      return result instanceof Promise
        ? result.then(later => send(reply, later, wrap))
        : send(reply, result, wrap)
    },
  })
}

/** Answers an operation that creates from its first answer, where the caller sent a key for that. */
async function answerOnce(
  parts: ServerParts,
  operation: Operation,
  call: Call,
  handler: Route['handler'],
): Promise<unknown> {
  const key = idempotencyKey(call.request)
  const { request } = call
  // A streamed body is known only when it has arrived: its handler calls `once` itself. What may answer with events,
  // which cannot be kept and given again, sees to it itself that the key is heeded.
  if (operation.streamsBody || operation.streams || key === undefined) return handler(call)
  // A key belongs to a caller: where nobody says who calls, it cannot be told from the same key of somebody else.
  if (!request.token)
    throw invalidField('header/Idempotency-Key', 'needs a token; leave it out where you send none')
  const conditions = [request.headers['if-match'], request.headers['if-none-match']]
  // By the text, not by the value: numbers beyond 2^53 that differ are the same value.
  const sent = [...request.members].map(([name, { text }]) => [name, text])
  const target = operation.params ? [request.params] : []
  const fingerprint = hash(
    'sha256',
    JSON.stringify([operation.name, request.query, conditions, sent, ...target]),
  )
  return once(parts, call, key, fingerprint, () => handler(call), envelopeOf(operation))
}

const envelopeOf = (operation: Operation): Envelope =>
  operation.envelope === 'flat' ? flatSuccessText : successText

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
  const scope = { workspaceId: token.workspaceId, tokenId: token.id, key }
  // Without the scheme, which may be written in capitals one time and not the next.
  const secret = request.headers.authorization!.slice('Bearer '.length)
  const { answer, replayed } = await parts.idempotency.once(scope, secret, fingerprint, async () =>
    wrap(jsonOf(await work())),
  )
  return new Answer(
    200,
    {
      'content-type': jsonType,
      'cache-control': 'no-store',
      ...(replayed && { 'idempotency-replayed': 'true' }),
    },
    answer,
  )
}

function send(reply: FastifyReply, result: unknown, wrap: Envelope): FastifyReply {
  if (!(result instanceof Answer)) {
    reply.header('cache-control', 'no-store').header('content-type', jsonType)
    return sendBounded(reply, wrap(jsonOf(result)))
  }
  reply.code(result.status)
  for (const name in result.headers) reply.header(name, result.headers[name])
  return sendBounded(reply, result.body)
}

/** What the system buffers by itself is gone at once; of anything larger a reader may not hold the rest for ever. */
function sendBounded(reply: FastifyReply, body: Answer['body']): FastifyReply {
  if (reply.server.stopping?.aborted) reply.header('connection', 'close')
  const isSmall = body === undefined || (!(body instanceof Readable) && body.length < smallAnswer)
  if (!isSmall)
    reply.raw.setTimeout(limits.downloadStallMilliseconds, () => reply.request.raw.socket.destroy())
  return reply.send(body)
}
