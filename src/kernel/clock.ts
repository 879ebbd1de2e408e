/** The only source of time for code that stores or compares it, so that tests can hold it still. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** ISO 8601 with a numeric UTC offset, as the contract writes times. */
export const isoTime = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace('Z', '+00:00')
