interface Details {
  /** Whether the same call may succeed later. */
  retryable: boolean
  /** How long the provider asked to wait. */
  retryAfterMilliseconds?: number | undefined
  /** The HTTP status, if there was a response. */
  status?: number | undefined
}

/** A call to a model failed. The message says what to do, and never contains a key. */
export class ModelFailure extends Error {
  readonly retryable: boolean
  readonly retryAfterMilliseconds?: number
  readonly status?: number

  constructor(message: string, details: Details) {
    super(message)
    this.name = 'ModelFailure'
    this.retryable = details.retryable
    if (details.retryAfterMilliseconds !== undefined)
      this.retryAfterMilliseconds = details.retryAfterMilliseconds
    if (details.status !== undefined) this.status = details.status
  }
}
