import assert from 'node:assert/strict'
import test from 'node:test'
import { firstOccurrence, nextOccurrences, planFiring } from '../../src/triggers/occurrences.ts'
import type { ScheduleSettings } from '../../src/triggers/trigger.ts'

const at = (time: string): number => Date.parse(time)
const iso = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString()
const daily = (more: Partial<ScheduleSettings> = {}): ScheduleSettings => ({
  cron: '0 9 * * *',
  timezone: 'UTC',
  missed: 'run_latest',
  ...more,
})
const planned = (settings: ScheduleSettings, due: string, now: string) => {
  const { at: fired, nextAt, missed } = planFiring(settings, at(due), at(now))
  return [iso(fired), missed, iso(nextAt)]
}

test('an occurrence is fired, and the next one follows', () => {
  assert.deepEqual(planned(daily(), '2026-11-16T09:00:00Z', '2026-11-16T09:00:00.003Z'), [
    '2026-11-16T09:00:00.000Z',
    0,
    '2026-11-17T09:00:00.000Z',
  ])
})

test('after a short interruption no occurrence is left out, whatever the policy', () => {
  for (const missed of ['run_latest', 'skip'] as const)
    assert.deepEqual(
      planned(daily({ cron: '* * * * * *', missed }), '2026-11-16T09:00:00Z', '2026-11-16T09:00:50Z'),
      ['2026-11-16T09:00:00.000Z', 0, '2026-11-16T09:00:01.000Z'],
    )
})

test('of occurrences that were missed for longer, the latest is fired, or none', () => {
  const due = '2026-11-10T09:00:00Z'
  assert.deepEqual(planned(daily(), due, '2026-11-16T09:00:00Z'), [
    '2026-11-16T09:00:00.000Z',
    6,
    '2026-11-17T09:00:00.000Z',
  ])
  assert.deepEqual(planned(daily({ missed: 'skip' }), due, '2026-11-16T08:59:59Z'), [
    undefined,
    6,
    '2026-11-16T09:00:00.000Z',
  ])
  assert.deepEqual(planned(daily(), due, '2026-11-10T12:00:00Z'), [
    '2026-11-10T09:00:00.000Z',
    0,
    '2026-11-11T09:00:00.000Z',
  ])
})

test('a long pause of a frequent schedule takes no time', () => {
  const [fired, missed] = planned(
    daily({ cron: '* * * * * *' }),
    '2020-01-01T00:00:00Z',
    '2026-11-16T09:00:00Z',
  )
  assert.deepEqual([fired, missed], ['2026-11-16T09:00:00.000Z', 100])
})

test('a single time is fired once, also late', () => {
  const once = daily({ cron: '2026-11-16T09:00:00', timezone: 'Europe/Berlin' })
  assert.deepEqual(nextOccurrences(once, at('2026-11-16T00:00:00Z'), 5).map(iso), [
    '2026-11-16T08:00:00.000Z',
  ])
  assert.deepEqual(planned(once, '2026-11-16T08:00:00Z', '2026-11-20T00:00:00Z'), [
    '2026-11-16T08:00:00.000Z',
    0,
    undefined,
  ])
})

test('a single time on a day that does not exist is refused', () => {
  const first = (cron: string) => firstOccurrence(daily({ cron }), at('2026-11-16T00:00:00Z'))
  for (const day of ['2027-02-29', '2027-04-31', '2027-13-01'])
    assert.throws(() => first(`${day}T09:00:00`), {
      message: `/schedule/cron: is not a time: there is no day ${day}`,
    })
  assert.equal(iso(first('2028-02-29T09:00:00')), '2028-02-29T09:00:00.000Z')
})

test('a rejected expression is explained by its wrong part, or by the parts that it needs', () => {
  const refuse = (cron: string, reason: string): void =>
    assert.throws(() => firstOccurrence(daily({ cron }), 0), {
      message: `/schedule/cron: is not a cron expression: ${reason}`,
    })
  refuse('99 * * *', 'enter five parts (minute, hour, day of month, month, day of week)')
  refuse('99 * * * *', 'the minute is out of range')
  refuse('0 9 * * 9', 'the day of week is out of range')
  const allowed = 'use numbers, lists (1,3), ascending ranges (1-5) and steps (*/15 or 5-59/15)'
  refuse('5/15 * * * *', `the minute 5/15 is not valid; ${allowed}`)
  refuse('0 0 22-2 * * *', `the hour 22-2 is not valid; ${allowed}`)
  refuse('0 9 * * MON-FREE', `the day of week MON-FREE is not valid; ${allowed}`)
})

test('a time of day occurs once on the days when the clock changes', () => {
  const berlin = daily({ cron: '30 2 * * *', timezone: 'Europe/Berlin' })
  assert.deepEqual(nextOccurrences(berlin, at('2026-03-28T12:00:00Z'), 2).map(iso), [
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ])
  assert.deepEqual(nextOccurrences(berlin, at('2026-10-24T12:00:00Z'), 2).map(iso), [
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ])
})

test('each of several times of day occurs once on these days, and an interval continues', () => {
  const next = (cron: string, after: string, count: number) =>
    nextOccurrences(daily({ cron, timezone: 'Europe/Berlin' }), at(after), count).map(time =>
      iso(time)!.slice(5, 16),
    )
  const [spring, autumn] = ['2026-03-28T20:00:00Z', '2026-10-24T20:00:00Z']
  for (const cron of ['30 2,14 * * *', '0 30 2,14 * * *']) {
    assert.deepEqual(next(cron, spring, 3), ['03-29T01:00', '03-29T12:30', '03-30T00:30'])
    assert.deepEqual(next(cron, autumn, 3), ['10-25T00:30', '10-25T13:30', '10-26T01:30'])
  }
  assert.deepEqual(next('0,30 1-2 * * 0', autumn, 5), [
    ...['10-24T23:00', '10-24T23:30', '10-25T00:00', '10-25T00:30'],
    '11-01T00:00',
  ])
  assert.deepEqual(next('0 */2 * * *', autumn, 3), ['10-24T22:00', '10-25T00:00', '10-25T01:00'])
})

test('of several times of day that were missed on these days, the latest is fired', () => {
  const berlin = daily({ cron: '0 2,14 * * *', timezone: 'Europe/Berlin' })
  // Two o'clock is three o'clock then.
  assert.deepEqual(planned(berlin, '2026-03-28T13:00:00Z', '2026-03-29T02:10:00Z'), [
    '2026-03-29T01:00:00.000Z',
    1,
    '2026-03-29T12:00:00.000Z',
  ])
  // The second two o'clock is no occurrence.
  assert.deepEqual(planned(berlin, '2026-10-25T00:00:00Z', '2026-10-25T01:10:00Z'), [
    '2026-10-25T00:00:00.000Z',
    0,
    '2026-10-25T13:00:00.000Z',
  ])
})

test('no daily time is left out in zones where the clock changes around midnight', () => {
  const hour = 3_600_000
  const clockOf = (timeZone: string) => {
    const format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
    return (time: number) => Date.parse(`${format.format(time)}Z`) - time
  }
  for (const [timezone, year] of [
    ['America/Nuuk', 2026],
    ['America/Scoresbysund', 2026],
    ['America/Santiago', 2026],
    ['Asia/Beirut', 2026],
    ['Africa/Cairo', 2026],
    ['America/Asuncion', 2023],
    ['Asia/Amman', 2021],
  ] as const) {
    const offsetAt = clockOf(timezone)
    const days = Array.from({ length: 365 }, (_, day) => Date.UTC(year, 0, 1) + day * 24 * hour)
    const changes = days.filter(day => offsetAt(day) !== offsetAt(day + 24 * hour))
    assert.equal(changes.length, 2, timezone)
    for (const day of changes)
      for (let hourOfDay = 0; hourOfDay < 24; hourOfDay++) {
        const cron = `30 ${hourOfDay} * * *`
        const times = nextOccurrences(daily({ cron, timezone }), day - 36 * hour, 4)
        const gaps = times.slice(1).map((time, at) => (time - times[at]!) / hour)
        assert.ok(
          gaps.every(gap => gap >= 23 && gap <= 25),
          `${timezone} ${cron}: ${times.map(iso).join(', ')}`,
        )
      }
  }
})

test('a time that the clock is moved over occurs as much later, also if that is on the next day', () => {
  const nuuk = daily({ cron: '30 12,23 28-29 3 *', timezone: 'America/Nuuk' })
  assert.deepEqual(nextOccurrences(nuuk, at('2026-03-28T00:00:00Z'), 4).map(iso), [
    '2026-03-28T14:30:00.000Z',
    '2026-03-29T01:30:00.000Z',
    '2026-03-29T13:30:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ])
})
