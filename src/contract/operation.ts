import type { TSchema } from 'typebox'

/**
 * What a caller must be allowed to do. Each operation declares exactly one; the gate decides by it alone.
 * `anyone` needs no token at all.
 */
export type Access = 'anyone' | 'run' | 'read' | 'write' | 'admin' | 'operator'

/** One operation of the interface: what validates it also describes it in /openapi.json and /docs. */
export interface Operation {
  name: string
  family: 'workflow' | 'knowledge' | 'files' | 'token' | 'workspace' | 'server'
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
  /** Request headers that mean something here. */
  headers?: Record<string, string>
  /** `data` of the answer; absent where the answer is not an envelope. */
  data?: TSchema
  /** Content type of an answer that is not an envelope. */
  answers?: string
  /** An example of the request body, used by the reference page. */
  example?: unknown
}

export const basePath = '/api/v1'
