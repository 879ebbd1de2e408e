/** The only source of time for code that stores or compares it, so that tests can control it. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** ISO 8601 with a numeric UTC offset, as in the API. */
export const isoTime = (milliseconds: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, -1)}+00:00`
