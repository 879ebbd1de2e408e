import type { Clock } from '../../kernel/clock.ts'
import { LeastRecentMap } from '../../kernel/least-recent-map.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import type { RequestFallback } from './chat-request.ts'
import { type EndpointLabels, resolveTiming, type Timing } from './endpoint.ts'

const failuresToOpen = 5
const windowMilliseconds = 30_000
const openMilliseconds = 15_000

/**
 * A circuit breaker: after five failures in a row within 30 seconds nothing is sent for 15, then one call probes the
 * endpoint.
 */
class CircuitBreaker {
  readonly #clock: Clock
  #failures: number[] = []
  #openUntil: number | undefined
  #isProbing = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** 0: the call may be sent, and its outcome must be reported; else the milliseconds to wait. */
  enter(): number {
    if (this.#openUntil === undefined) return 0
    const left = this.#openUntil - this.#clock.now()
    if (left > 0) return left
    if (this.#isProbing) return 1000
    this.#isProbing = true
    return 0
  }

  /**
   * A probe has begun to respond. Its response may take minutes, so other calls need not wait for its end. Earlier
   * failures still count.
   */
  responds(): void {
    if (!this.#isProbing) return
    this.#isProbing = false
    this.#openUntil = undefined
  }

  succeeded(): void {
    this.#failures = []
    this.#openUntil = undefined
    this.#isProbing = false
  }

  failed(): void {
    const now = this.#clock.now()
    this.#failures = [...this.#failures.filter(at => now - at < windowMilliseconds), now]
    if (!this.#isProbing && this.#failures.length < failuresToOpen) return
    this.#openUntil = now + openMilliseconds
    this.#isProbing = false
  }

  /** The call was aborted, which tells nothing about the endpoint; the next one may probe. */
  abandoned(): void {
    this.#isProbing = false
  }
}

/** Limits what a provider can ask for: one wrong header must not disable it until the next start. */
const maxPauseMilliseconds = 900_000

/** Whether an endpoint works, and whether it asked for a pause; shared by all its callers. */
export class EndpointHealth {
  readonly #timing: Required<Timing>
  readonly #circuit: CircuitBreaker
  /** A pause that a provider asks for binds all calls, not only the one that received it. */
  #pausedUntil = 0

  constructor(timing: Timing = {}) {
    this.#timing = resolveTiming(timing)
    this.#circuit = new CircuitBreaker(this.#timing.clock)
  }

  /** Waits as the provider asked for, or fails when that is longer than `maxMilliseconds`. */
  async waitOutPause(
    { label }: EndpointLabels,
    maxMilliseconds: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted()
    const { clock, sleep, random } = this.#timing
    const left = this.#pausedUntil - clock.now()
    if (left <= 0) return
    if (left > maxMilliseconds)
      throw new ModelFailure(
        `${label}: the provider asked to wait ${Math.ceil(left / 1000)} more seconds. Try again then.`,
        { retryable: true, retryAfterMilliseconds: left, status: 429 },
      )
    // Jitter, or all callers would come back in the same moment.
    await sleep(left * (1 + random() / 5), signal)
  }

  /** Fails while the circuit is open. After it, `succeeded` or `failed` must be called. */
  enter({ label, urlSetting }: EndpointLabels): void {
    const openFor = this.#circuit.enter()
    if (openFor === 0) return
    throw new ModelFailure(
      `${label}: calls are paused for a moment after several failures in a row. ` +
        `Check that ${urlSetting} is right and its server is running.`,
      { retryable: true, retryAfterMilliseconds: openFor },
    )
  }

  /** A response has begun. */
  responds(): void {
    this.#circuit.responds()
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
        this.#timing.clock.now() + Math.min(asked, maxPauseMilliseconds),
      )
    // A rate limit or a rejection comes from an endpoint that works.
    if (error.retryable && error.status !== 429) this.#circuit.failed()
    else this.#circuit.succeeded()
  }
}

const maxModels = 1000
const maxEndpoints = 1000

/** The state that all models behind one URL and key share. */
export class SharedEndpoint {
  readonly health: EndpointHealth
  readonly #fallbacks = new LeastRecentMap<string, Set<RequestFallback>>(maxModels)

  constructor(timing: Timing = {}) {
    this.health = new EndpointHealth(timing)
  }

  /** The fallbacks that this model was found to need; the caller adds to the set. */
  fallbacksOf(model: string): Set<RequestFallback> {
    const known = this.#fallbacks.get(model)
    if (known) return known
    const none = new Set<RequestFallback>()
    this.#fallbacks.set(model, none)
    return none
  }
}

/** One `SharedEndpoint` for each URL and key. */
export class SharedEndpoints {
  readonly #timing: Timing
  readonly #endpoints = new LeastRecentMap<string, SharedEndpoint>(maxEndpoints)

  constructor(timing: Timing = {}) {
    this.#timing = timing
  }

  of(baseUrl: string, apiKey: string | undefined): SharedEndpoint {
    const key = JSON.stringify([baseUrl.replace(/\/+$/, ''), apiKey ?? ''])
    const known = this.#endpoints.get(key)
    if (known) return known
    const fresh = new SharedEndpoint(this.#timing)
    this.#endpoints.set(key, fresh)
    return fresh
  }
}
