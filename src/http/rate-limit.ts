import { AppError } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { LeastRecentMap } from '../kernel/least-recent-map.ts'

const knownCallers = 20_000

interface Allowance {
  calls: number
  at: number
}

/** So many calls a minute for each caller, all at once if it likes; then as they come back, second by second. */
export class RateLimit {
  readonly #perMinute: number
  readonly #clock: Clock
  readonly #callers = new LeastRecentMap<string, Allowance>(knownCallers)

  /** 0: no limit. */
  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute
    this.#clock = clock
  }

  /** Fails with `rate_limited` when the caller has to wait. */
  take(caller: string): void {
    if (this.#perMinute === 0) return
    const now = this.#clock.now()
    const known = this.#callers.get(caller)
    const back = known ? (Math.max(0, now - known.at) * this.#perMinute) / 60_000 : 0
    const calls = known ? Math.min(this.#perMinute, known.calls + back) : this.#perMinute
    if (calls < 1) {
      const seconds = Math.ceil(((1 - calls) * 60) / this.#perMinute)
      throw new AppError('rate_limited', `Too many calls without a token; try again in ${seconds} s`, {
        headers: { 'retry-after': String(seconds) },
      })
    }
    this.#callers.set(caller, { calls: calls - 1, at: now })
  }
}
