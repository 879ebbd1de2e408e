import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiAnswer, ApiClient } from './api-client.ts'
import { dataOf } from './knowledge.ts'
import { chain, output } from './run-graphs.ts'
import { makeWorkflow } from './talk.ts'
import { until } from './watch.ts'

type Data = ApiAnswer['json']

/** A schedule that occurs every second, whose runs answer with their occurrence. */
export async function makeEverySecond(api: ApiClient): Promise<{ id: string; first: number }> {
  const { id, next } = await dataOf(
    api.post('trigger/create', {
      kind: 'schedule',
      name: 'Every second',
      workflow_id: await makeWorkflow(api, chain(output('say', '{{#sys.query#}}'))),
      inputs: { query: '{{#trigger.time#}}' },
      schedule: { cron: '* * * * * *' },
    }),
  )
  return { id, first: Date.parse(next[0]) }
}

/** Resolves within a few hundredths of a second around the next occurrence. */
export async function aroundAnOccurrence(): Promise<void> {
  await sleep(1000 - (Date.now() % 1000) + Math.random() * 80 - 30)
}

async function firedTimes(api: ApiClient, id: string): Promise<number[]> {
  const times: number[] = []
  for (let cursor: string | undefined; ; ) {
    const page: Data = await dataOf(
      api.post('trigger/runs', { id, page_size: 100, ...(cursor && { cursor }) }),
    )
    for (const { answer, status } of page.items) {
      // One that was not yet taken over has no answer.
      assert.ok(['succeeded', 'running', 'queued'].includes(status), status)
      times.push(status === 'succeeded' ? Date.parse(answer) : Number.NaN)
    }
    cursor = page.next_cursor ?? undefined
    if (cursor === undefined) return times
  }
}

/** Waits until every occurrence up to `last` has run, disables the schedule, and checks that each has run once. */
export async function assertEachOnce(api: ApiClient, id: string, first: number, last: number): Promise<void> {
  await until(
    'all occurrences',
    async () => {
      const times = new Set(await firedTimes(api, id))
      for (let each = first; each <= last; each += 1000) if (!times.has(each)) return false
      return true
    },
    90,
  )
  await dataOf(api.post('trigger/update', { id, enabled: false }))
  await until('the last runs', async () => (await firedTimes(api, id)).every(time => !Number.isNaN(time)))
  const times = (await firedTimes(api, id)).toSorted((one, other) => one - other)
  const expected = Array.from({ length: times.length }, (_, index) => first + index * 1000)
  assert.deepEqual(times, expected, 'each second once')
}
