import { Cron } from 'croner'
import { limits } from '../../contract/limits.ts'
import { invalidField } from '../../kernel/app-error.ts'
import { checkTimezone } from '../../kernel/time-zone.ts'

const hour = 3_600_000
const intervals = new Map([
  ['daily', 24 * hour],
  ['weekly', 7 * 24 * hour],
])

/** When a page is fetched next; undefined if only on request. At least an hour from now, whatever a cron expression says. */
export function nextRefresh(refresh: string, now: number, timezone = 'UTC'): number | undefined {
  if (refresh === 'off' || refresh === 'sitemap') return undefined
  const interval = intervals.get(refresh)
  if (interval !== undefined) return now + interval
  const cron = new Cron(refresh, { timezone, paused: true, mode: '5-part' })
  return cron.nextRun(new Date(now + limits.webRefreshMilliseconds - 1))?.getTime()
}

export function checkRefresh(refresh: string, timezone: string | undefined): void {
  if (timezone !== undefined) checkTimezone(timezone, '/timezone')
  let next: number | undefined
  try {
    next = nextRefresh(refresh, 0, timezone)
  } catch (error) {
    throw invalidField(
      '/refresh',
      `must be off, daily, weekly or a cron expression with five fields: ${(error as Error).message}`,
    )
  }
  if (refresh === 'sitemap' || (refresh !== 'off' && next === undefined))
    throw invalidField('/refresh', 'must be off, daily, weekly or a cron expression that occurs')
}
