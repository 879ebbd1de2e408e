import type { Reason } from '../contract/error-codes.ts'
import type { Finding } from '../contract/finding.ts'
import { isBlank } from './is-blank.ts'

interface Details {
  /** Validation problems, each with a JSON pointer. */
  errors?: Finding[]
  /** Additional fields of the response, such as the current version in a conflict. */
  data?: Record<string, unknown>
  headers?: Record<string, string>
  cause?: unknown
}

/** An expected error. Every other thrown value is a bug and is reported as `internal`. */
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

/** The most common error: one invalid field, named by its JSON pointer. */
export const invalidField = (path: string, message: string): AppError =>
  new AppError('invalid_request', `${path}: ${message}`, { errors: [{ path, message }] })

/** Refuses a text without visible characters. */
export function refuseBlank(text: string | undefined, path = '/name'): void {
  if (text !== undefined && isBlank(text)) throw invalidField(path, 'must not be blank')
}

export const unusableFile = (message: string): AppError =>
  new AppError('invalid_request', `The file cannot be imported: ${message}`, {
    errors: [{ path: '/content', message }],
  })
