import { type Clock, steadyClock } from '../kernel/clock.ts'

/** A slower read of the time counts as an interruption, during which other processes may have failed to renew leases. */
const slowMilliseconds = 5000

/** A server is busy while it starts, so the first reads can be slow: they are repeated a few times until one is fast. */
const firstReads = { max: 5, goodMilliseconds: 20 }

/** How far the clocks here and in the database may drift apart, far above what machines do. */
const driftPerMillisecond = 0.0002

/** Bounds of the difference between the database's time and `performance.now()`. */
interface Bounds {
  low: number
  high: number
  readAt: number
}

/** The intersection of both. If they contradict each other, a clock was set, and the later bounds count. */
function narrowed(earlier: Bounds, later: Bounds): Bounds {
  const drift = (later.readAt - earlier.readAt) * driftPerMillisecond
  const low = Math.max(earlier.low - drift, later.low)
  const high = Math.min(earlier.high + drift, later.high)
  return low <= high ? { low, high, readAt: later.readAt } : later
}

/**
 * The time by which processes compare leases: that of the database, which all of them share. Between two reads it
 * advances with the time that passes in this process, so no replica's own clock matters. The database reads its clock
 * at some moment between request and response. All reads together bound the difference more closely than the last one
 * alone, so a slow response does not move the time.
 */
export class DatabaseTime implements Clock {
  readonly #read: () => Promise<number>
  #steady: Clock
  #askedAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined
  #bounds: Bounds | undefined
  #reachableSince = performance.now()

  /** `clock` is used until the first read. */
  constructor(clock: Clock, read: () => Promise<number>) {
    this.#steady = steadyClock(clock)
    this.#read = read
  }

  now(): number {
    return this.#steady.now()
  }

  /** At most once a second. Where the database cannot be reached, the time goes on as before. */
  async refresh(): Promise<void> {
    if (!this.#reading && performance.now() - this.#askedAt < 1000) return
    this.#reading ??= this.#refreshBounds().finally(() => {
      this.#reading = undefined
    })
    await this.#reading
  }

  async #refreshBounds(): Promise<void> {
    const isFirst = this.#bounds === undefined
    for (let reads = 1; ; reads++) {
      const took = await this.#readTime()
      if (!isFirst || took <= firstReads.goodMilliseconds || reads === firstReads.max) return
    }
  }

  async #readTime(): Promise<number> {
    const askedAt = performance.now()
    this.#askedAt = askedAt
    const time = await this.#read().catch(() => undefined)
    const readAt = performance.now()
    if (time === undefined || readAt - askedAt > slowMilliseconds) this.#reachableSince = readAt
    if (time !== undefined) {
      // The database rounds to milliseconds.
      const read = { low: time - readAt - 1, high: time - askedAt + 1, readAt }
      this.#bounds = this.#bounds ? narrowed(this.#bounds, read) : read
      const { low, high } = this.#bounds
      this.#steady = steadyClock({ now: () => performance.now() + (low + high) / 2 })
    }
    return readAt - askedAt
  }

  /** How long the database has answered this process without interruption. */
  get reachableMilliseconds(): number {
    return performance.now() - this.#reachableSince
  }
}
