import { hash } from 'node:crypto'
import { steadyClock, systemClock } from '../../kernel/clock.ts'
import type { Exchange } from '../../kernel/exchange.ts'
import { LruMap } from '../../kernel/lru-map.ts'
import { ModelFailure } from '../../models/model-failure.ts'
import { type EndpointLabels, type Timing, timingOf } from './endpoint.ts'

/** The circuit opens after five failures in a row within 30 seconds; after 15 more, one call probes the endpoint. */
const failuresToOpen = 5
const windowMilliseconds = 30_000
const openMilliseconds = 15_000
/** Limits what a provider can ask for: one wrong header must not disable it until the next start. */
const maxPauseMilliseconds = 900_000

/** What one process reports to the others: how long the circuit stays open (0: it closed), and the requested pause. */
interface HealthReport {
  openMilliseconds?: number
  pauseMilliseconds?: number
}

/** The state of an endpoint for the callers of a workspace: its circuit breaker, and the pause that it requested. */
export class EndpointHealth {
  readonly #timing: Timing
  #failures: number[] = []
  #openUntil: number | undefined
  #isProbing = false
  /** A pause that a provider asks for binds all calls, not only the one that received it. */
  #pausedUntil = 0

  readonly #report: (report: HealthReport) => void

  constructor(timing: Partial<Timing> = {}, report: (report: HealthReport) => void = () => {}) {
    // A clock that is set back must not prolong a pause.
    this.#timing = timingOf({ clock: steadyClock(systemClock), ...timing })
    this.#report = report
  }

  /** Applies a report of another process. */
  adopt({ openMilliseconds, pauseMilliseconds = 0 }: HealthReport): void {
    const now = this.#timing.clock.now()
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pauseMilliseconds)
    if (openMilliseconds === 0) this.#close()
    else if (openMilliseconds !== undefined)
      this.#openUntil = Math.max(this.#openUntil ?? 0, now + openMilliseconds)
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
        { kind: 'rate_limited', retryable: true, retryAfterMilliseconds: left, status: 429, isPaused: true },
      )
    // Jitter, or all callers would come back in the same moment.
    await sleep(left * (1 + random() / 5), signal)
  }

  /** Makes one call. Fails while the circuit is open. */
  async attempt<Result>(labels: EndpointLabels, call: () => Promise<Result>): Promise<Result> {
    this.#enter(labels)
    try {
      const result = await call()
      this.#succeeded()
      return result
    } catch (error) {
      this.#failed(error)
      throw error
    }
  }

  #enter({ label, urlSetting }: EndpointLabels): void {
    if (this.#openUntil === undefined) return
    const left = this.#openUntil - this.#timing.clock.now()
    if (left > 0 || this.#isProbing)
      throw new ModelFailure(
        `${label}: calls are paused for a moment after several failures in a row. ` +
          `Check that ${urlSetting} is right and its server is running.`,
        { kind: 'provider_error', retryable: true, retryAfterMilliseconds: left > 0 ? left : 1000 },
      )
    this.#isProbing = true
  }

  /** Called when a response begins: other calls need not wait for its end. Earlier failures still count. */
  responds(): void {
    if (!this.#isProbing) return
    this.#isProbing = false
    this.#openUntil = undefined
    this.#report({ openMilliseconds: 0 })
  }

  #succeeded(): void {
    if (this.#openUntil !== undefined) this.#report({ openMilliseconds: 0 })
    this.#close()
  }

  #close(): void {
    this.#failures = []
    this.#openUntil = undefined
    this.#isProbing = false
  }

  #failed(error: unknown): void {
    const wasProbing = this.#isProbing
    this.#isProbing = false
    // An aborted call is no evidence about the endpoint; the next call may probe.
    if (!(error instanceof ModelFailure)) return
    const now = this.#timing.clock.now()
    const asked = error.retryable ? error.retryAfterMilliseconds : undefined
    if (asked !== undefined) {
      const pauseMilliseconds = Math.min(asked, maxPauseMilliseconds)
      this.#pausedUntil = Math.max(this.#pausedUntil, now + pauseMilliseconds)
      this.#report({ pauseMilliseconds })
    }
    // A rejection or a rate limit comes from an endpoint that works.
    if (!error.retryable || error.status === 429) {
      this.#succeeded()
      return
    }
    this.#failures = [...this.#failures.filter(at => now - at < windowMilliseconds), now]
    if (wasProbing || this.#failures.length >= failuresToOpen) {
      this.#openUntil = now + openMilliseconds
      this.#report({ openMilliseconds })
    }
  }
}

const maxHealths = 1000

/** One `EndpointHealth` per key with the workspace: failures of one must not stop the others. */
export class EndpointHealths {
  readonly #timing: Partial<Timing>
  readonly #exchange: Exchange | undefined
  readonly #healths = new LruMap<string, EndpointHealth>(maxHealths)

  constructor(timing: Partial<Timing> = {}, exchange?: Exchange) {
    this.#timing = timing
    this.#exchange = exchange
    exchange?.receive(message => {
      const [key, report] = JSON.parse(message) as [string, HealthReport]
      this.of(key).adopt(report)
    })
  }

  of(key: string): EndpointHealth {
    const known = this.#healths.get(key)
    if (known) return known
    const health = new EndpointHealth(this.#timing, report =>
      this.#exchange?.send(JSON.stringify([key, report])),
    )
    this.#healths.set(key, health)
    return health
  }
}

/** Equal for all models of a workspace behind one URL and key. Hashed, because processes exchange it. */
export const endpointKey = (workspaceId: string, baseUrl: string, apiKey: string | undefined): string =>
  hash('sha256', JSON.stringify([workspaceId, baseUrl.replace(/\/+$/, ''), apiKey ?? '']), 'base64url')
