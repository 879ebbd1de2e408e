/** A call that did not succeed, with what the server said about it. */
export class ApiFailure extends Error {
  /** A reason of the server's table of errors, or `unreachable`. */
  readonly reason: string
  readonly code: number
  readonly status: number
  readonly errors: readonly { path: string; message: string }[]
  readonly traceId: string
  /** The whole answer, for failures that carry more. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    message: string,
    about: {
      reason: string
      code?: number
      status?: number
      errors?: { path: string; message: string }[]
      traceId?: string
      details?: Record<string, unknown>
    },
  ) {
    super(message)
    this.reason = about.reason
    this.code = about.code ?? 0
    this.status = about.status ?? 0
    this.errors = about.errors ?? []
    this.traceId = about.traceId ?? ''
    this.details = about.details ?? {}
  }
}
