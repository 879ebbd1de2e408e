import type { TSchema } from 'typebox'

/**
 * What a caller must be allowed to do. Each operation declares exactly one; the gate decides by it alone.
 * `anyone` needs no token at all, `public` none where the agent it is about is public, and `token` any token.
 */
export type Access = 'anyone' | 'public' | 'token' | 'run' | 'read' | 'write' | 'admin' | 'operator'

export type Family =
  | 'workflow'
  | 'agent'
  | 'conversation'
  | 'knowledge'
  | 'files'
  | 'model'
  | 'usage'
  | 'token'
  | 'workspace'
  | 'server'

/** One operation of the interface: what validates it also describes it in /openapi.json and /docs. */
export interface Operation {
  name: string
  family: Family
  method: 'GET' | 'POST'
  path: string
  access: Access
  summary: string
  /** Further words for the reader of the reference, in Markdown-free sentences. */
  details?: string
  params?: TSchema
  query?: TSchema
  body?: TSchema
  /** Most bytes of a JSON body, where it is not the ordinary limit. */
  bodyLimit?: number
  /** The handler reads the body itself, as a stream. */
  streamsBody?: boolean
  /** An Idempotency-Key makes it safe to send again. */
  creates?: boolean
  /** With `stream` 1 in the body it answers event by event, as text/event-stream. */
  streams?: boolean
  /** Request headers that mean something here. */
  headers?: Record<string, string>
  /** `flat`: the fields of `data` stand beside `code` and `msg` instead of inside `data`. */
  envelope?: 'flat'
  /** `data` of the answer; absent where the answer is not an envelope. */
  data?: TSchema
  /** Content type of an answer that is not an envelope. */
  answers?: string
  /** An example of the request body, used by the reference page. */
  example?: unknown
}

export const basePath = '/api/v1'
