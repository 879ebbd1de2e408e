import { type Clock, steadyClock } from '../kernel/clock.ts'

/** A read of the time that takes longer counts as an interruption. */
const slowMilliseconds = 2000

/**
 * The time by which processes compare leases: that of the database, which all of them share. Between two reads it
 * advances with the time that passes in this process, so no replica's own clock matters.
 */
export class DatabaseTime implements Clock {
  readonly #read: () => Promise<number>
  #steady: Clock
  #readAt = Number.NEGATIVE_INFINITY
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
    if (read === undefined || now - startedAt > slowMilliseconds) this.#reachableSince = now
    if (read !== undefined) this.#steady = steadyClock({ now: () => read })
  }

  /** How long the database has answered this process without interruption. */
  get reachableMilliseconds(): number {
    return performance.now() - this.#reachableSince
  }
}
