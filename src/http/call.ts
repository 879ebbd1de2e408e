import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { TokenRecord } from '../access/access-store.ts'
import type { Operation } from '../contract/operation.ts'
import type { JsonMember } from '../kernel/json-members.ts'

type Shape<Schema> = Schema extends TSchema ? Static<Schema> : undefined

/** One request, checked: the gate let it through and its fields have the declared form. */
export interface Call<Op extends Operation = Operation> {
  token: TokenRecord
  body: Shape<Op['body']>
  query: Shape<Op['query']>
  params: Shape<Op['params']>
  /** Members of the JSON body with the exact text of their values. */
  members: ReadonlyMap<string, JsonMember>
  request: FastifyRequest
  reply: FastifyReply
}

/** A handler gives back, now or later, the `data` of the envelope, or an `Answer` where that is not enough. */
export type Handler<Op extends Operation> = (call: Call<Op>) => unknown

export interface Route {
  operation: Operation
  handler: Handler<Operation>
}

/** Ties a handler to its operation, with the types that the operation's schemas give. */
export const route = <const Op extends Operation>(operation: Op, handler: Handler<Op>): Route => ({
  operation,
  handler: handler as unknown as Handler<Operation>,
})
