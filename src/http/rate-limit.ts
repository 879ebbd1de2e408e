import { AppError } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { LeastRecentMap } from '../kernel/least-recent-map.ts'

const maxCallers = 20_000

interface Allowance {
  calls: number
  at: number
}

/** Token bucket per caller: a burst of one minute's calls, then refilled continuously. */
export class RateLimit {
  readonly #perMinute: number
  readonly #clock: Clock
  readonly #callers = new LeastRecentMap<string, Allowance>(maxCallers)

  /** 0: unlimited. */
  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute
    this.#clock = clock
  }

  /** Throws `rate_limited` if the caller has no calls left. */
  take(caller: string): void {
    if (this.#perMinute === 0) return
    const now = this.#clock.now()
    const known = this.#callers.get(caller)
    const refill = known ? (Math.max(0, now - known.at) * this.#perMinute) / 60_000 : 0
    const calls = known ? Math.min(this.#perMinute, known.calls + refill) : this.#perMinute
    if (calls < 1) {
      const seconds = Math.ceil(((1 - calls) * 60) / this.#perMinute)
      throw new AppError(
        'rate_limited',
        `More than ${this.#perMinute} calls per minute without a token; try again in ${seconds} s`,
        {
          headers: { 'retry-after': String(seconds) },
        },
      )
    }
    this.#callers.set(caller, { calls: calls - 1, at: now })
  }
}
