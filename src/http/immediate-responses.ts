import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AccessService } from '../access/access-service.ts'
import type { TokenRecord } from '../access/access-store.ts'
import { isAllowed } from '../access/permissions.ts'
import type { Operation } from '../contract/operation.ts'
import type { RequestLimiter } from './request-limiter.ts'
import { type RecordedRequest, traceIdOf } from './request-log.ts'

export const everyResponse: Readonly<Record<string, string>> = { 'x-content-type-options': 'nosniff' }
/** The socket buffers a response of this size, so no client can hold it open. */
export const maxImmediateBytes = 64 << 10

/** A small response, as it is sent. */
export interface RawResponse {
  /** Names and values in turns, with the length of the body. */
  headers: readonly string[]
  /** One character per byte: Node writes a string together with the head, but bytes separately, which takes longer. */
  body: string
}

export const rawResponse = (headers: Record<string, string>, body: Buffer): RawResponse => {
  const list = []
  for (const name in headers) list.push(name, headers[name]!)
  for (const name in everyResponse) list.push(name, everyResponse[name]!)
  list.push('content-length', String(body.length))
  return { headers: list, body: body.toString('latin1') }
}

/** The response to a GET with exactly this query string, if it is in memory or can be read at once. */
export type AnswerNow = (token: TokenRecord, query: string) => RawResponse | undefined

interface ImmediateParts {
  access: AccessService
  limiter: RequestLimiter
  /** Records a response that was sent. */
  record(request: RecordedRequest, status: number): void
}

/** Headers that change the response, or belong to a body. */
const unusual = ['if-none-match', 'content-length', 'transfer-encoding'] as const

/**
 * Answers requests whose response is in memory, or can be read at once, before the framework sees them: its routing, hooks
 * and request objects take as long as everything else. If the result is false, nothing was sent, and the framework handles
 * the request, as it does with all errors.
 */
export function immediateResponses(
  routes: readonly { operation: Operation; answerNow?: AnswerNow }[],
  { access, limiter, record }: ImmediateParts,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const immediate = new Map(
    routes.flatMap(route => (route.answerNow ? [[route.operation.path, route] as const] : [])),
  )
  const find = ({ method, url = '', headers }: IncomingMessage) => {
    const end = url.indexOf('?')
    const route = method === 'GET' && end > 0 ? immediate.get(url.slice(0, end)) : undefined
    if (!route || !headers.host || headers.host.includes(',')) return undefined
    if (unusual.some(name => headers[name] !== undefined)) return undefined
    const { operation } = route
    const token = access.recognize(headers.authorization)
    if (!token || !isAllowed(token, operation.access) || limiter.limits(token)) return undefined
    const answer = route.answerNow!(token, url.slice(end + 1))
    return answer && { operation, token, answer }
  }
  return (request, response) => {
    const startedAt = performance.now()
    let found: ReturnType<typeof find>
    try {
      found = find(request)
    } catch {
      // If, for example, the database cannot be read, the framework runs into the same error and reports it.
      return false
    }
    if (!found) return false
    const { operation, token, answer } = found
    const traceId = traceIdOf(request.headers)
    response.writeHead(200, [...answer.headers, 'x-traceid', traceId])
    response.end(answer.body, 'latin1')
    record({ token, method: 'GET', operation, traceId, startedAt }, 200)
    return true
  }
}
