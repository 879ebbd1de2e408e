import { AppError } from '../kernel/app-error.ts'
import { ModelNotConfigured } from '../models/language-model.ts'
import { ModelFailure } from '../models/model-failure.ts'
import { ToolFailure } from '../tools/tool-failure.ts'
import { StepFailure } from '../workflow/step.ts'

/** Reasons of our own services that another attempt may well not meet again. */
const passing: ReadonlySet<string> = new Set(['rate_limited', 'unavailable', 'timed_out'])

/**
 * What a step fails with when something it used failed. Whatever is not known here, such as the reason of an aborted
 * signal, comes back as it is, so that the engine still sees why: `throw stepFailureOf(error)`.
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
  // A feature wraps what its model failed with; whether another attempt makes sense is known only there.
  const model = cause instanceof ModelFailure ? cause : undefined
  return new StepFailure(reason, message, {
    retryable: model?.retryable ?? passing.has(reason),
    retryAfterMilliseconds: model?.retryAfterMilliseconds,
    cause: error,
  })
}
