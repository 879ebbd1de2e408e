/** The only source of time for code that stores or compares it, so that tests can control it. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** Starts at the time of a clock and then advances monotonically, even when that clock is set. */
export function steadyClock(clock: Clock): Clock {
  const offset = clock.now() - performance.now()
  return { now: () => Math.floor(offset + performance.now()) }
}

export const dayMilliseconds = 86_400_000

export const daysAgo = (clock: Clock, days: number): number => clock.now() - days * dayMilliseconds

let last = { milliseconds: Number.NaN, text: '' }

/** ISO 8601 with a numeric UTC offset. Many events of a run fall into the same millisecond and share the text. */
export function isoTime(milliseconds: number): string {
  if (milliseconds !== last.milliseconds)
    last = { milliseconds, text: `${new Date(milliseconds).toISOString().slice(0, -1)}+00:00` }
  return last.text
}
