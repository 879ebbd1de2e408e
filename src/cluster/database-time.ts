import { type Clock, steadyClock } from '../kernel/clock.ts'

/** A read of the time that takes longer counts as an interruption, in which others may have missed to renew leases. */
const slowMilliseconds = 5000

/**
 * The time by which processes compare leases: that of the database, which all of them share. Between two reads it
 * advances with the time that passes in this process, so no replica's own clock matters.
 */
export class DatabaseTime implements Clock {
  readonly #read: () => Promise<number>
  #steady: Clock
  #readAt = Number.NEGATIVE_INFINITY
  #isRead = false
  #reachableSince = performance.now()

  /** `clock` counts until the first read. */
  constructor(clock: Clock, read: () => Promise<number>) {
    this.#steady = steadyClock(clock)
    this.#read = read
  }

  now(): number {
    return this.#steady.now()
  }

  /** At most once a second. Where the database cannot be reached, the time goes on as before. */
  async refresh(): Promise<void> {
    const startedAt = performance.now()
    if (startedAt - this.#readAt < 1000) return
    this.#readAt = startedAt
    const read = await this.#read().catch(() => undefined)
    const now = performance.now()
    const isFast = now - startedAt <= slowMilliseconds
    if (read === undefined || !isFast) this.#reachableSince = now
    // It is not known when a slow answer was true; it still beats the clock of this machine.
    if (read !== undefined && (isFast || !this.#isRead)) {
      this.#steady = steadyClock({ now: () => read + (now - startedAt) / 2 })
      this.#isRead = true
    }
  }

  /** How long the database has answered this process without interruption. */
  get reachableMilliseconds(): number {
    return performance.now() - this.#reachableSince
  }
}
