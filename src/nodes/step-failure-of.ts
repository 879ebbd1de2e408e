import { AppError } from '../kernel/app-error.ts'
import { ModelNotConfigured } from '../models/language-model.ts'
import { ModelFailure } from '../models/model-failure.ts'
import { ToolFailure } from '../tools/tool-failure.ts'
import { StepFailure } from '../workflow/step.ts'

/** Temporary errors of our own services. */
const temporaryReasons: ReadonlySet<string> = new Set(['rate_limited', 'unavailable', 'timed_out'])

/**
 * Maps an error of a service to the failure of the step. An unknown error, such as the reason of an aborted signal, is
 * returned as it is, so that the engine still sees the cause: `throw stepFailureOf(error)`.
 */
export function stepFailureOf(error: unknown): unknown {
  if (error instanceof ModelFailure) {
    const { message, retryable, retryAfterMilliseconds } = error
    return new StepFailure('model_failed', message, { retryable, retryAfterMilliseconds, cause: error })
  }
  if (error instanceof ModelNotConfigured)
    return new StepFailure('not_configured', error.message, { cause: error })
  if (error instanceof ToolFailure) {
    const { message, retryable, retryAfterMilliseconds } = error
    return new StepFailure('step_failed', message, { retryable, retryAfterMilliseconds, cause: error })
  }
  if (error instanceof AppError) return failureOfAppError(error)
  return error
}

function failureOfAppError(error: AppError): StepFailure {
  const { reason, message, cause } = error
  // A feature wraps the failure of its model; only that knows whether a retry makes sense.
  const model = cause instanceof ModelFailure ? cause : undefined
  return new StepFailure(reason, message, {
    retryable: model?.retryable ?? temporaryReasons.has(reason),
    retryAfterMilliseconds: model?.retryAfterMilliseconds,
    cause: error,
  })
}
