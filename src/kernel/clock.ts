/** The only source of time for code that stores or compares it, so that tests can control it. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** Starts at the time of a clock and advances with the time that passes, however that clock is set meanwhile. */
export function steadyClock(clock: Clock): Clock {
  const offset = clock.now() - performance.now()
  return { now: () => Math.floor(offset + performance.now()) }
}

/**
 * The time by which processes compare leases: that of the database, which all of them share. Between two looks at it, it
 * advances with the time that passes in this process.
 */
export class LeaseTime implements Clock {
  readonly #read: () => Promise<number>
  #steady: Clock
  #lookedAt = Number.NEGATIVE_INFINITY

  /** `clock` counts until the first look. */
  constructor(clock: Clock, read: () => Promise<number>) {
    this.#steady = steadyClock(clock)
    this.#read = read
  }

  now(): number {
    return this.#steady.now()
  }

  /** At most once a second. Where the database cannot be reached, the time goes on as before. */
  async refresh(): Promise<void> {
    if (performance.now() - this.#lookedAt < 1000) return
    this.#lookedAt = performance.now()
    const read = await this.#read().catch(() => undefined)
    if (read !== undefined) this.#steady = steadyClock({ now: () => read })
  }
}

let last = { milliseconds: Number.NaN, text: '' }

/** ISO 8601 with a numeric UTC offset, as in the API. Many events of a run fall into the same millisecond. */
export function isoTime(milliseconds: number): string {
  if (milliseconds !== last.milliseconds)
    last = { milliseconds, text: `${new Date(milliseconds).toISOString().slice(0, -1)}+00:00` }
  return last.text
}
