import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TokenRecord } from '../../access/access-store.ts'
import { isAllowed } from '../../access/permissions.ts'
import type { Reason } from '../../contract/error-codes.ts'
import type { Finding } from '../../contract/finding.ts'
import type { Operation } from '../../contract/operation.ts'
import { AppError } from '../../kernel/app-error.ts'
import { parseExact } from '../../kernel/exact-json.ts'
import { isRecord } from '../../kernel/is-record.ts'
import { Answer, jsonOf } from '../answer.ts'
import { parseJson } from '../body.ts'
import type { Call } from '../route.ts'

interface InternalInput {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string>>
  body?: unknown
}

/** Executes an operation of the API and returns its data. */
export type InternalCall = (operation: Operation, input?: InternalInput) => Promise<Record<string, unknown>>

/** An operation refused the call; the message is for the model. */
export class InternalCallFailure extends Error {
  readonly reason: Reason

  constructor(reason: Reason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** Permissions, validation, quotas and the audit log apply as to any request with the caller's token. */
export const internalCalls =
  (request: FastifyRequest, reply: FastifyReply, token: TokenRecord): InternalCall =>
  async (operation, { params = {}, query = {}, body = {} } = {}) => {
    try {
      if (!isAllowed(token, operation.access))
        throw new AppError('forbidden', `A token with the role ${token.role} may not do this`)
      const { value, members } = await parseJson([Buffer.from(JSON.stringify(body))], operation.bodyValues)
      const { workspaceId } = token
      // Handlers may complete the query.
      const call = { token, workspaceId, params, query: { ...query }, body: value, members, request, reply }
      return dataOf(await request.server.executors.get(operation)!(call as unknown as Call))
    } catch (thrown) {
      const { reason, message, errors } = request.server.errorOf(thrown, request)
      const isQuoted = (each: Finding): boolean =>
        [' ', ': '].some(between => message.includes(`${each.path}${between}${each.message}`))
      const more = errors.filter(each => !isQuoted(each)).map(each => `${each.path}: ${each.message}`)
      throw new InternalCallFailure(reason, [message, ...more].join('\n'))
    }
  }

function dataOf(result: unknown): Record<string, unknown> {
  if (!(result instanceof Answer)) return JSON.parse(jsonOf(result ?? {}))
  const { body = '{}' } = result
  // Numbers of a graph keep their digits.
  const answer = parseExact(typeof body === 'string' ? body : Buffer.from(body as Uint8Array).toString())
  const { code: _, msg: __, message: ___, data, ...flat } = answer as Record<string, unknown>
  return isRecord(data) ? data : flat
}
