import { AppError } from '../kernel/app-error.ts'
import { ModelNotConfigured } from '../models/language-model.ts'
import { ModelFailure } from '../models/model-failure.ts'
import { ToolFailure } from '../tools/tool-failure.ts'
import { StepFailure } from '../workflow/step.ts'

/** Temporary errors of our own services. */
const temporaryReasons: ReadonlySet<string> = new Set(['rate_limited', 'unavailable', 'timed_out'])

/** The failure of a step for an error of a service. An unknown error is returned, so that the engine sees the cause. */
export function stepFailureOf(error: unknown): unknown {
  const reason = reasonOf(error)
  if (reason === undefined) return error
  const { message, cause } = error as Error
  // A feature wraps the failure of its model; only that knows whether a retry makes sense.
  const failure = (cause instanceof ModelFailure ? cause : error) as Partial<ModelFailure>
  const { retryable = temporaryReasons.has(reason), retryAfterMilliseconds } = failure
  return new StepFailure(reason, message, { retryable, retryAfterMilliseconds, cause: error })
}

function reasonOf(error: unknown) {
  if (error instanceof AppError) return error.reason
  if (error instanceof ModelFailure) return 'model_failed'
  if (error instanceof ModelNotConfigured) return 'not_configured'
  return error instanceof ToolFailure ? 'step_failed' : undefined
}
