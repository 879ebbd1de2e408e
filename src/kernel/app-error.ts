import type { Reason } from '../contract/error-codes.ts'
import type { Finding } from '../contract/finding.ts'

interface Details {
  /** What is wrong, each with a JSON pointer. */
  errors?: Finding[]
  /** Further fields of the answer, such as the current version of a conflict. */
  data?: Record<string, unknown>
  headers?: Record<string, string>
  cause?: unknown
}

/** An expected failure. Whatever else is thrown is a fault of ours and answers `internal`. */
export class AppError extends Error {
  readonly reason: Reason
  readonly errors: Finding[]
  readonly data: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(reason: Reason, message: string, details: Details = {}) {
    super(message, { cause: details.cause })
    this.name = 'AppError'
    this.reason = reason
    this.errors = details.errors ?? []
    this.data = details.data ?? {}
    this.headers = details.headers ?? {}
  }
}

/** The commonest failure: one field of the request, named by its JSON pointer. */
export const invalidField = (path: string, message: string): AppError =>
  new AppError('invalid_request', `${path}: ${message}`, { errors: [{ path, message }] })
