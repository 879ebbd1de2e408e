/** A failed call, with the server's error. */
export class ApiFailure extends Error {
  /** A reason of the server's error table, or `unreachable`. */
  readonly reason: string
  readonly code: number
  readonly status: number
  readonly errors: readonly { path: string; message: string }[]
  readonly traceId: string
  /** The whole response body, for failures that carry more data. */
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

export const unreachable = (status = 0): ApiFailure =>
  new ApiFailure('The server cannot be reached', { reason: 'unreachable', status })

/** Whether a request did not reach the server, so that the same request may succeed later. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof ApiFailure && error.reason === 'unreachable'

/** Statuses of a proxy in front of the server while the server restarts. */
export const isAway = (status: number): boolean => status === 502 || status === 503 || status === 504

/** Also handles responses with status 200 and an error code. */
export function failureFrom(
  body: unknown,
  { status, headers }: { status: number; headers?: { get(name: string): string | null } },
): ApiFailure {
  const answer = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const details = (answer['data'] ?? answer) as Record<string, unknown>
  const reason = details['reason']
  // A response without a reason does not come from our server.
  if (reason === undefined && isAway(status)) return unreachable(status)
  const unnamed = status === 413 ? 'too_large_on_the_way' : 'unknown'
  return new ApiFailure(String(answer['message'] ?? answer['msg'] ?? `HTTP ${status}`), {
    reason: String(reason ?? unnamed),
    code: Number(answer['code'] ?? 0),
    status,
    errors: (details['errors'] ?? []) as { path: string; message: string }[],
    traceId: headers?.get('x-traceid') ?? '',
    details: answer,
  })
}
