import type { Clock } from '../../kernel/clock.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import { EgressFailure } from '../egress/egress.ts'
import { failureOfAnswer, providerError } from './failure-of-answer.ts'
import type { ModelEndpoint } from './model-endpoint.ts'
import { badStream } from './model-fetch.ts'

const broken: Partial<Record<EgressFailure['kind'], string>> = {
  timed_out: 'stopped in the middle of its answer',
  too_large: 'gave an answer that is too large',
}

/** The library wraps what it was given. */
function* causesOf(error: unknown): Generator<unknown> {
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth++) yield each
}

/** An event that is no part of an answer comes with its value: mostly it tells of a failure. */
const eventOf = (error: unknown): unknown =>
  error instanceof Error ? (error as { value?: unknown }).value : { error }

/** Errors of the library have such names; any other is a mistake on our side, of which the endpoint knows nothing. */
const isOwnMistake = (error: unknown): error is Error =>
  error instanceof Error && !error.name.startsWith('AI_')

/**
 * Why an answer that had begun came to no good end. `undefined` stands for one that just ended. What is no failure of
 * the endpoint comes back as it is.
 */
export function failureOfStream(endpoint: ModelEndpoint, clock: Clock, error: unknown): Error {
  for (const cause of causesOf(error)) {
    if (cause instanceof ModelFailure) return cause
    if (cause instanceof EgressFailure)
      return badStream(endpoint, broken[cause.kind] ?? 'broke off in the middle of its answer')
  }
  if (isOwnMistake(error)) return error
  if (error instanceof Error && error.name === 'AI_UnsupportedFunctionalityError')
    return new ModelFailure(
      `The ${endpoint.name} endpoint cannot be sent a file of this type: send an image`,
      {
        retryable: false,
      },
    )
  if (error === undefined) return badStream(endpoint, 'ended its answer before it was whole')
  const value = eventOf(error)
  const said = providerError(value)
  if (said) return failureOfAnswer(endpoint, said.status ?? 502, JSON.stringify(value), {}, clock.now())
  return badStream(endpoint, 'sent a stream that cannot be read')
}
