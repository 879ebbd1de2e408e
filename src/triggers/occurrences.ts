import { Cron } from 'croner'
import { limits } from '../contract/limits.ts'
import { invalidField } from '../kernel/app-error.ts'
import { checkTimezone } from '../kernel/time-zone.ts'
import type { ScheduleSettings } from './trigger.ts'

/** Missed occurrences are counted up to here. */
const maxMissed = 100

const cronOf = ({ cron, timezone }: ScheduleSettings): Cron =>
  new Cron(cron, { timezone, paused: true, mode: '5-or-6-parts' })

/** The next occurrences after a time, at most `count`. */
export const nextOccurrences = (settings: ScheduleSettings, after: number, count: number): number[] =>
  cronOf(settings)
    .nextRuns(count, new Date(after))
    .map(each => each.getTime())

/** The first occurrence after a time. Refuses an expression or time zone that is invalid, and one that never occurs. */
export function firstOccurrence(settings: ScheduleSettings, after: number): number {
  checkTimezone(settings.timezone, '/schedule/timezone')
  let next: number | undefined
  try {
    next = nextOccurrences(settings, after, 1)[0]
  } catch (error) {
    throw invalidField('/schedule/cron', `is not a cron expression: ${(error as Error).message}`)
  }
  if (next === undefined) throw invalidField('/schedule/cron', 'never occurs from now on')
  return next
}

/** What to do about an occurrence that is due. */
export interface Firing {
  /** The occurrence to fire; undefined: none. */
  at: number | undefined
  /** How many occurrences are left out, counted up to a limit. */
  missed: number
  /** The occurrence after all of these. */
  nextAt: number | undefined
}

/**
 * Occurrences are fired one by one as long as they are not too late, so that a short interruption loses none. Of those
 * that were missed for longer, the setting `missed` decides whether the latest is fired.
 */
export function planFiring(settings: ScheduleSettings, dueAt: number, now: number): Firing {
  const cron = cronOf(settings)
  const after = (time: number): number | undefined => cron.nextRun(new Date(time))?.getTime()
  if (now - dueAt <= limits.scheduleLateMilliseconds) return { at: dueAt, missed: 0, nextAt: after(dueAt) }
  // Occurrences are at whole seconds, and the one of this very second is included.
  const [latest] = cron.previousRuns(1, new Date(Math.floor(now / 1000 + 1) * 1000))
  const at = Math.max(dueAt, latest?.getTime() ?? dueAt)
  let missed = 0
  for (let each: number | undefined = dueAt; each !== undefined && each < at && missed < maxMissed; missed++)
    each = after(each)
  return settings.missed === 'skip'
    ? { at: undefined, missed: missed + 1, nextAt: after(at) }
    : { at, missed, nextAt: after(at) }
}
