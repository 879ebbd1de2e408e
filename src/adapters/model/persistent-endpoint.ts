import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, systemClock } from '../../kernel/clock.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import type { Egress } from '../egress/egress.ts'
import { callEndpoint } from './call-endpoint.ts'
import { Circuit } from './circuit.ts'
import { endpointUrl, type ModelEndpoint } from './model-endpoint.ts'

/** What a test may put in the place of time and chance. */
export interface Surroundings {
  clock?: Clock
  /** Waits, or rejects with the reason of the signal. */
  sleep?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>
  /** From 0 up to but not including 1. */
  random?: () => number
}

interface Patience {
  attemptMilliseconds: number
  /** For all tries and the waits between them. */
  totalMilliseconds: number
  /** Longest wait that a provider may ask for; for longer ones the caller is told instead. */
  pauseMilliseconds: number
}

const tries = 3
const backOffMilliseconds = 500
/** However long a provider says: one wrong header must not end its use until the next start. */
const longestPause = 900_000

const sleepSystem = async (milliseconds: number, signal: AbortSignal | undefined): Promise<void> => {
  await delay(milliseconds, undefined, { signal }).catch((error: unknown) => {
    throw signal?.aborted ? signal.reason : error
  })
}

/** An endpoint that is asked again when that may help, and left alone when it does not. */
export class PersistentEndpoint {
  readonly #egress: Egress
  readonly #endpoint: ModelEndpoint
  readonly #patience: Patience
  readonly #clock: Clock
  readonly #sleep: NonNullable<Surroundings['sleep']>
  readonly #random: () => number
  readonly #circuit: Circuit
  /** When a provider asks for a pause, all calls keep it, not only the one that was told. */
  #pausedUntil = 0

  constructor(egress: Egress, endpoint: ModelEndpoint, patience: Patience, surroundings: Surroundings) {
    // Tells of a URL that cannot be used now, and not at the first call.
    endpointUrl(endpoint, '')
    this.#egress = egress
    this.#endpoint = endpoint
    this.#patience = patience
    this.#clock = surroundings.clock ?? systemClock
    this.#sleep = surroundings.sleep ?? sleepSystem
    this.#random = surroundings.random ?? Math.random
    this.#circuit = new Circuit(this.#clock)
  }

  /** `read` turns the parsed answer into a result; what it throws counts as a failure of the endpoint. */
  async call<Result>(
    path: string,
    body: unknown,
    read: (answer: unknown) => Result,
    signal?: AbortSignal,
  ): Promise<Result> {
    const deadline = this.#clock.now() + this.#patience.totalMilliseconds
    let last: ModelFailure | undefined
    for (let attempt = 1; ; attempt++) {
      await this.#waitOutPause(deadline, signal)
      this.#enter(last)
      try {
        return await this.#attempt(path, body, read, deadline, signal)
      } catch (error) {
        if (!(error instanceof ModelFailure) || !error.retryable || attempt === tries) throw error
        // Half of the step at least, the rest by chance, so that many callers do not come back at once.
        const wait = backOffMilliseconds * 2 ** (attempt - 1) * (0.5 + this.#random() / 2)
        if (!this.#hasTime(error, wait, deadline)) throw error
        last = error
        await this.#sleep(wait, signal)
      }
    }
  }

  async #attempt<Result>(
    path: string,
    body: unknown,
    read: (answer: unknown) => Result,
    deadline: number,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    const milliseconds = Math.max(
      1,
      Math.min(this.#patience.attemptMilliseconds, deadline - this.#clock.now()),
    )
    const parts = { egress: this.#egress, clock: this.#clock }
    try {
      const answer = await callEndpoint(parts, this.#endpoint, path, body, milliseconds, signal)
      const result = read(answer)
      this.#circuit.succeeded()
      return result
    } catch (error) {
      this.#learnFrom(error)
      throw error
    }
  }

  #learnFrom(error: unknown): void {
    if (!(error instanceof ModelFailure)) {
      this.#circuit.abandoned()
      return
    }
    const asked = error.retryAfterMilliseconds
    if (error.retryable && asked !== undefined)
      this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + Math.min(asked, longestPause))
    // Too many requests, or a refusal, is the word of an endpoint that works.
    if (error.retryable && error.status !== 429) this.#circuit.failed()
    else this.#circuit.succeeded()
  }

  #hasTime(failure: ModelFailure, wait: number, deadline: number): boolean {
    const asked = failure.retryAfterMilliseconds ?? 0
    return asked <= this.#patience.pauseMilliseconds && this.#clock.now() + Math.max(wait, asked) < deadline
  }

  async #waitOutPause(deadline: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    const left = this.#pausedUntil - this.#clock.now()
    if (left <= 0) return
    if (left > this.#patience.pauseMilliseconds || this.#clock.now() + left >= deadline)
      throw new ModelFailure(
        `The ${this.#endpoint.name} endpoint asked to be left alone for ${Math.ceil(left / 1000)} more seconds`,
        { retryable: true, retryAfterMilliseconds: left, status: 429 },
      )
    // A little more for some than for others, or all would come back in the same moment.
    await this.#sleep(left * (1 + this.#random() / 5), signal)
  }

  /** The failure before, if there was one, says more than that the circuit is open by now. */
  #enter(last: ModelFailure | undefined): void {
    const closedFor = this.#circuit.enter()
    if (closedFor === 0) return
    if (last) throw last
    throw new ModelFailure(
      `The ${this.#endpoint.name} endpoint failed several times in a row and is left alone for a moment: ` +
        `check that the server behind ${this.#endpoint.setting}_BASE_URL works`,
      { retryable: true, retryAfterMilliseconds: closedFor },
    )
  }
}
