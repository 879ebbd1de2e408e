import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, systemClock } from '../../kernel/clock.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import { Circuit } from './circuit.ts'
import type { ModelEndpoint } from './model-endpoint.ts'

/** What a test may put in the place of time and chance. */
export interface Surroundings {
  clock?: Clock
  /** Waits, or rejects with the reason of the signal. */
  sleep?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>
  /** From 0 up to but not including 1. */
  random?: () => number
}

/** However long a provider says: one wrong header must not end its use until the next start. */
const longestPause = 900_000

const sleepSystem = async (milliseconds: number, signal: AbortSignal | undefined): Promise<void> => {
  await delay(milliseconds, undefined, { signal }).catch((error: unknown) => {
    throw signal?.aborted ? signal.reason : error
  })
}

export const settledSurroundings = (given: Surroundings): Required<Surroundings> => ({
  clock: given.clock ?? systemClock,
  sleep: given.sleep ?? sleepSystem,
  random: given.random ?? Math.random,
})

/** What is known of an endpoint, by all who call it: whether it works, and whether it wants a pause. */
export class EndpointHealth {
  readonly #surroundings: Required<Surroundings>
  readonly #circuit: Circuit
  /** When a provider asks for a pause, all calls keep it, not only the one that was told. */
  #pausedUntil = 0

  constructor(surroundings: Surroundings = {}) {
    this.#surroundings = settledSurroundings(surroundings)
    this.#circuit = new Circuit(this.#surroundings.clock)
  }

  /** Waits as the provider asked for, or tells the caller how long that is when it is longer than `most`. */
  async waitOutPause(endpoint: ModelEndpoint, most: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    const { clock, sleep, random } = this.#surroundings
    const left = this.#pausedUntil - clock.now()
    if (left <= 0) return
    if (left > most)
      throw new ModelFailure(
        `The ${endpoint.name} endpoint asked to be left alone for ${Math.ceil(left / 1000)} more seconds`,
        { retryable: true, retryAfterMilliseconds: left, status: 429 },
      )
    // A little more for some than for others, or all would come back in the same moment.
    await sleep(left * (1 + random() / 5), signal)
  }

  /** Fails while the endpoint is left alone. Who was let in must tell how it went. */
  enter(endpoint: ModelEndpoint): void {
    const closedFor = this.#circuit.enter()
    if (closedFor === 0) return
    throw new ModelFailure(
      `The ${endpoint.name} endpoint failed several times in a row and is left alone for a moment: ` +
        `check that the server behind ${endpoint.urlSetting} works`,
      { retryable: true, retryAfterMilliseconds: closedFor },
    )
  }

  /** An answer has begun. */
  answers(): void {
    this.#circuit.answers()
  }

  succeeded(): void {
    this.#circuit.succeeded()
  }

  failed(error: unknown): void {
    if (!(error instanceof ModelFailure)) {
      this.#circuit.abandoned()
      return
    }
    const asked = error.retryAfterMilliseconds
    if (error.retryable && asked !== undefined)
      this.#pausedUntil = Math.max(
        this.#pausedUntil,
        this.#surroundings.clock.now() + Math.min(asked, longestPause),
      )
    // Too many requests, or a refusal, is the word of an endpoint that works.
    if (error.retryable && error.status !== 429) this.#circuit.failed()
    else this.#circuit.succeeded()
  }
}
