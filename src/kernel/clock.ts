/** The only source of time for code that stores or compares it, so that tests can hold it still. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

const dayMilliseconds = 86_400_000
const two = (value: number): string => (value < 10 ? `0${value}` : String(value))
const three = (value: number): string => (value < 100 ? `0${two(value)}` : String(value))

/** Year, month and day of a count of days since 1970 (Howard Hinnant's algorithm: eras of 400 years from March on). */
function dateOf(days: number): string {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
}

/**
 * ISO 8601 with a numeric UTC offset, as the contract writes times. Written out because the engine's own way takes
 * 8 microseconds, and every read of a workflow needs it twice.
 */
export function isoTime(milliseconds: number): string {
  const days = Math.floor(milliseconds / dayMilliseconds)
  const rest = milliseconds - days * dayMilliseconds
  const seconds = Math.floor(rest / 1000)
  const minutes = Math.floor(seconds / 60)
  return `${dateOf(days)}T${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}.${three(rest % 1000)}+00:00`
}
