import type { ModelFailureCode } from '../contract/model-operations.ts'
import { AppError } from '../kernel/app-error.ts'

interface Details {
  kind?: ModelFailureCode | undefined
  /** Whether the same call may succeed later. */
  retryable: boolean
  /** How long the provider asked to wait. */
  retryAfterMilliseconds?: number | undefined
  /** The HTTP status, if there was a response. */
  status?: number | undefined
  /** True if nothing was sent, because the provider had asked to wait. */
  isPaused?: boolean
  /** What the provider said, without the key. */
  detail?: string
}

/** A call to a model failed. The message says what to do, and never contains a key. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure'
  readonly kind: ModelFailureCode
  readonly retryable: boolean
  readonly retryAfterMilliseconds: number | undefined
  readonly status: number | undefined
  readonly isPaused: boolean
  readonly detail: string

  constructor(message: string, details: Details) {
    const { kind = 'other', retryable, retryAfterMilliseconds, status } = details
    const { isPaused = false, detail = '' } = details
    super(message)
    this.kind = kind
    this.retryable = retryable
    this.retryAfterMilliseconds = retryAfterMilliseconds
    this.status = status
    this.isPaused = isPaused
    this.detail = detail
  }
}

export function failedModel(error: unknown): never {
  throw error instanceof ModelFailure ? new AppError('model_failed', error.message, { cause: error }) : error
}
