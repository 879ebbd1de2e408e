interface Details {
  /** Whether the same call may succeed later. */
  retryable: boolean
  /** How long the provider asked to be left alone. */
  retryAfterMilliseconds?: number | undefined
  /** The HTTP status, where there was an answer. */
  status?: number | undefined
}

/** A model could not be used. The message tells a person what to do, and never holds a key. */
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
