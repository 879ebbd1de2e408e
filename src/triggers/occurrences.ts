import { Cron, type CronOptions } from 'croner'
import { limits } from '../contract/limits.ts'
import { invalidField } from '../kernel/app-error.ts'
import { checkTimezone } from '../kernel/time-zone.ts'
import type { ScheduleSettings } from './trigger.ts'

/** Missed occurrences are counted up to here. */
export const maxMissed = 100

/** An expression with more times of the day than this counts as an interval. */
const maxTimes = 24

/** The numbers of a field such as `1,3-5`; none for a field with `*` or a step. */
function valuesOf(field: string): number[] {
  if (!/^\d{1,2}(-\d{1,2})?(,\d{1,2}(-\d{1,2})?)*$/.test(field)) return []
  return field.split(',').flatMap(part => {
    const [first, last = first] = part.split('-').map(Number) as [number, number?]
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  })
}

/** One expression for each time of the day; none for an interval. */
function singleTimes(cron: string): string[] {
  const fields = cron.trim().split(/\s+/)
  const times = fields.slice(0, -3).map(valuesOf)
  if (times.reduce((count, { length }) => count * length, 1) > maxTimes) return []
  return times
    .reduce<string[]>((all, values) => all.flatMap(time => values.map(value => `${time}${value} `)), [''])
    .map(time => time + fields.slice(-3).join(' '))
}

const open = (expression: string, zone: CronOptions): Cron =>
  new Cron(expression, { ...zone, paused: true, mode: '5-or-6-parts' })

/** On clock changes, only expressions with one time of the day run exactly once, so others are split. */
function cronsOf({ cron, timezone }: ScheduleSettings): Cron[] {
  const whole = open(cron, { timezone })
  const times = singleTimes(cron)
  return times.length > 1 ? times.map(time => open(time, { timezone })) : [whole]
}

const halfDay = 12 * 60 * 60_000

/** The difference between local time and UTC in minutes. */
function offsetAt(time: number, timeZone: string): number {
  // The Swedish format is that of ISO 8601.
  const local = Date.parse(`${new Date(time).toLocaleString('sv', { timeZone })}Z`)
  return Math.round((local - time) / 60_000)
}

/**
 * A time of the day that the clock is moved over runs after the change. The library leaves it out if the change ends on
 * the next day, as in America/Nuuk from 23:00 to midnight. Then it runs when it would have without the change.
 */
function nextRun(cron: Cron, timezone: string, after: number): number | undefined {
  const next = cron.nextRun(new Date(after))?.getTime()
  const expression = cron.getPattern()
  if (next === undefined || expression === undefined || singleTimes(expression).length !== 1) return next
  const utcOffset = offsetAt(after, timezone)
  const unchanged = open(expression, { utcOffset }).nextRun(new Date(after))?.getTime() ?? next
  return next - unchanged > halfDay ? unchanged : next
}

/** The occurrences after a time, in order. */
function* occurrencesAfter(settings: ScheduleSettings, after: number): Generator<number, undefined> {
  const crons = cronsOf(settings).map(cron => ({ cron, next: after }))
  for (let last = after; ; yield last) {
    for (const each of crons)
      if (each.next <= last)
        each.next = nextRun(each.cron, settings.timezone, last) ?? Number.POSITIVE_INFINITY
    last = Math.min(...crons.map(({ next }) => next))
    if (last === Number.POSITIVE_INFINITY) return undefined
  }
}

export function nextOccurrences(settings: ScheduleSettings, after: number, count: number): number[] {
  const found: number[] = []
  for (const each of occurrencesAfter(settings, after)) if (found.push(each) >= count) break
  return found
}

const partNames = ['second', 'minute', 'hour', 'day of month', 'month', 'day of week']

/** The library's message is about its own modes; it names the wrong part only if a number is out of range. */
function cronProblem(cron: string, message: string): string {
  const [, part] = /Invalid value for (\w+)/.exec(message) ?? []
  if (part !== undefined) return `the ${part === 'dayOfWeek' ? 'day of week' : part} is out of range`
  const parts = cron.trim().split(/\s+/)
  const names = partNames.slice(-parts.length)
  const wrong = parts.findIndex((each, at) => !isCron(names.map((_, place) => (place === at ? each : '*'))))
  if (parts.length < 5 || parts.length > 6 || wrong === -1)
    return 'enter five parts (minute, hour, day of month, month, day of week)'
  return `the ${names[wrong]} ${parts[wrong]} is not valid; use numbers, lists (1,3), ascending ranges (1-5) and steps (*/15 or 5-59/15)`
}

function isCron(parts: readonly string[]): boolean {
  try {
    return new Cron(parts.join(' '), { paused: true }) !== undefined
  } catch {
    return false
  }
}

/** The first occurrence after a time. Refuses an expression or time zone that is invalid, and one that never occurs. */
export function firstOccurrence(settings: ScheduleSettings, after: number): number {
  checkTimezone(settings.timezone, '/schedule/timezone')
  const [day] = /^\d{4}-\d{2}-\d{2}/.exec(settings.cron.trim()) ?? []
  // The library reads 30 February as a day in March.
  if (day !== undefined && !new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day))
    throw invalidField('/schedule/cron', `is not a time: there is no day ${day}`)
  let next: number | undefined
  try {
    next = nextOccurrences(settings, after, 1)[0]
  } catch (error) {
    throw invalidField(
      '/schedule/cron',
      `is not a cron expression: ${cronProblem(settings.cron, (error as Error).message)}`,
    )
  }
  if (next === undefined) throw invalidField('/schedule/cron', 'never occurs from now on')
  return next
}

/** What to do about an occurrence that is due. */
export interface Firing {
  /** The occurrence to fire; undefined: none. */
  at: number | undefined
  /** How many occurrences are skipped, counted up to a limit. */
  missed: number
  /** The occurrence after all of these. */
  nextAt: number | undefined
}

/**
 * Occurrences are fired one by one as long as they are not too late, so that a short interruption loses none. If some are
 * later than that, the setting `missed` decides whether the latest is fired.
 */
export function planFiring(settings: ScheduleSettings, dueAt: number, now: number): Firing {
  const after = (time: number): number | undefined => nextOccurrences(settings, time, 1)[0]
  if (now - dueAt <= limits.scheduleLateMilliseconds) return { at: dueAt, missed: 0, nextAt: after(dueAt) }
  // Occurrences are at whole seconds, and the one of this very second is included.
  const end = new Date(Math.floor(now / 1000 + 1) * 1000)
  const latest = cronsOf(settings).flatMap(cron => cron.previousRuns(1, end))
  const at = Math.max(dueAt, ...latest.map(each => each.getTime()))
  const later = occurrencesAfter(settings, dueAt)
  let missed = 0
  for (let each = dueAt; each < at && missed < maxMissed; missed++) each = later.next().value ?? at
  return settings.missed === 'skip'
    ? { at: undefined, missed: missed + 1, nextAt: after(at) }
    : { at, missed, nextAt: after(at) }
}
