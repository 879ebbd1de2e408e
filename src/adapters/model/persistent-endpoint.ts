import { ModelFailure } from '../../models/model-failure.ts'
import type { Egress } from '../egress/egress.ts'
import { callEndpoint, type EndpointRequest } from './call-endpoint.ts'
import { EndpointHealth, type Surroundings, settledSurroundings } from './endpoint-health.ts'
import { endpointUrl, type ModelEndpoint } from './model-endpoint.ts'

interface Patience {
  attemptMilliseconds: number
  /** For all tries and the waits between them. */
  totalMilliseconds: number
  /** Longest wait that a provider may ask for; for longer ones the caller is told instead. */
  pauseMilliseconds: number
}

const tries = 3
const backOffMilliseconds = 500

/** An endpoint that is asked again when that may help, and left alone when it does not. */
export class PersistentEndpoint {
  readonly #egress: Egress
  readonly #endpoint: ModelEndpoint
  readonly #patience: Patience
  readonly #surroundings: Required<Surroundings>
  readonly #health: EndpointHealth

  constructor(egress: Egress, endpoint: ModelEndpoint, patience: Patience, surroundings: Surroundings) {
    // Tells of a URL that cannot be used now, and not at the first call.
    endpointUrl(endpoint, '')
    this.#egress = egress
    this.#endpoint = endpoint
    this.#patience = patience
    this.#surroundings = settledSurroundings(surroundings)
    this.#health = new EndpointHealth(surroundings)
  }

  /** Sends JSON to a path below the base. */
  call<Result>(
    path: string,
    body: unknown,
    read: (answer: unknown) => Result,
    signal?: AbortSignal,
  ): Promise<Result> {
    const request: EndpointRequest = {
      url: endpointUrl(this.#endpoint, path),
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    return this.send(request, read, signal)
  }

  /** `read` turns the parsed answer into a result; what it throws counts as a failure of the endpoint. */
  async send<Result>(
    request: EndpointRequest,
    read: (answer: unknown) => Result,
    signal?: AbortSignal,
  ): Promise<Result> {
    const deadline = this.#now() + this.#patience.totalMilliseconds
    let last: ModelFailure | undefined
    for (let attempt = 1; ; attempt++) {
      await this.#health.waitOutPause(this.#endpoint, this.#longestPause(deadline), signal)
      this.#enter(last)
      try {
        return await this.#attempt(request, read, deadline, signal)
      } catch (error) {
        if (!(error instanceof ModelFailure) || !error.retryable || attempt === tries) throw error
        // Half of the step at least, the rest by chance, so that many callers do not come back at once.
        const wait = backOffMilliseconds * 2 ** (attempt - 1) * (0.5 + this.#surroundings.random() / 2)
        if (!this.#hasTime(error, wait, deadline)) throw error
        last = error
        await this.#surroundings.sleep(wait, signal)
      }
    }
  }

  async #attempt<Result>(
    request: EndpointRequest,
    read: (answer: unknown) => Result,
    deadline: number,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    const milliseconds = Math.max(1, Math.min(this.#patience.attemptMilliseconds, deadline - this.#now()))
    const parts = { egress: this.#egress, clock: this.#surroundings.clock }
    try {
      const result = read(await callEndpoint(parts, this.#endpoint, request, milliseconds, signal))
      this.#health.succeeded()
      return result
    } catch (error) {
      this.#health.failed(error)
      throw error
    }
  }

  #now(): number {
    return this.#surroundings.clock.now()
  }

  /** A pause that ends with the time of the call leaves none to ask in. */
  #longestPause(deadline: number): number {
    return Math.min(this.#patience.pauseMilliseconds, deadline - this.#now() - 1)
  }

  #hasTime(failure: ModelFailure, wait: number, deadline: number): boolean {
    const asked = failure.retryAfterMilliseconds ?? 0
    return asked <= this.#patience.pauseMilliseconds && this.#now() + Math.max(wait, asked) < deadline
  }

  /** The failure before, if there was one, says more than that the circuit is open by now. */
  #enter(last: ModelFailure | undefined): void {
    try {
      this.#health.enter(this.#endpoint)
    } catch (error) {
      throw last ?? error
    }
  }
}
