/** A tool failed. The message is for the author of the workflow. */
export class ToolFailure extends Error {
  readonly retryable: boolean
  readonly retryAfterMilliseconds: number | undefined

  constructor(message: string, details: { retryable: boolean; retryAfterMilliseconds?: number | undefined }) {
    super(message)
    this.name = 'ToolFailure'
    this.retryable = details.retryable
    this.retryAfterMilliseconds = details.retryAfterMilliseconds
  }
}
