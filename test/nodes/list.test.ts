import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { atOnce } from '../../src/kernel/slices.ts'
import { list } from '../../src/nodes/list.ts'
import { sortItems } from '../../src/nodes/sort-items.ts'
import { fakeStep } from '../support/fake-step.ts'
import { outputsOf } from '../support/run-kind.ts'

const files = [
  { file_id: 'file_1', name: 'b.PDF', mime_type: 'application/pdf', size: 900 },
  { file_id: 'file_2', name: 'a.png', mime_type: 'image/png', size: 20 },
  { file_id: 'file_3', name: 'c.txt', mime_type: 'text/plain', size: 100 },
]
const names = (items: unknown): string[] => (items as { name: string }[]).map(({ name }) => name)

const select = (data: Record<string, unknown>, items: unknown = files) =>
  outputsOf(list, fakeStep({ values: { 'a.items': items, 'a.two': 2 } }), { items: '{{#a.items#}}', ...data })

test('without further settings the list stays as it is', async () => {
  assert.deepEqual(await select({}), { result: files, first: files[0], last: files[2], count: 3 })
  assert.deepEqual(await select({}, '[1, "b"]'), { result: [1, 'b'], first: 1, last: 'b', count: 2 })
  assert.deepEqual(await select({}, []), { result: [], first: null, last: null, count: 0 })
})

test('keeps the items for which the comparisons hold', async () => {
  const where = [
    { field: 'type', op: 'equals', right: 'document' },
    { field: 'size', op: 'lt', right: 500 },
  ]
  assert.deepEqual(names((await select({ where }))['result']), ['c.txt'])
  assert.deepEqual(names((await select({ where, match: 'any' }))['result']), ['b.PDF', 'a.png', 'c.txt'])
  const extension = [{ field: 'extension', op: 'in', right: '.pdf, .png' }]
  assert.deepEqual(names((await select({ where: extension }))['result']), ['b.PDF', 'a.png'])
  const plain = [{ op: 'gt', right: '{{#a.two#}}' }]
  assert.deepEqual((await select({ where: plain }, [1, 2, 3, '4']))['result'], [3, '4'])
  const inner = [{ field: 'tags.0', op: 'equals', right: 'x' }]
  const tagged = [{ tags: ['x'] }, { tags: [] }, {}, null, 'x']
  assert.deepEqual((await select({ where: inner }, tagged))['result'], [{ tags: ['x'] }])
})

test('sorts by a field in both orders, and what has none comes last', async () => {
  const order = async (sort: object, items?: unknown) => (await select({ sort }, items))['result']
  assert.deepEqual(names(await order({ field: 'size' })), ['a.png', 'c.txt', 'b.PDF'])
  assert.deepEqual(names(await order({ field: 'name', order: 'desc' })), ['c.txt', 'b.PDF', 'a.png'])
  const mixed = ['b', null, '2026-02-03', 10, '9', '', 'a', '2025-12-31']
  assert.deepEqual(await order({}, mixed), ['9', 10, '2025-12-31', '2026-02-03', 'a', 'b', null, ''])
  const down = await order({ order: 'desc' }, mixed)
  assert.deepEqual(down, ['b', 'a', '2026-02-03', '2025-12-31', 10, '9', null, ''])
})

test('sorts as the language does, and keeps the order of equal items', () =>
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 700 }),
      fc.boolean(),
      (keys, isDown) => {
        const items = keys.map((key, at) => ({ key, at }))
        const sorted = atOnce(sortItems(items, item => (item as { key: number }).key, isDown))
        assert.deepEqual(
          sorted,
          items.toSorted((one, other) => (isDown ? other.key - one.key : one.key - other.key)),
        )
      },
    ),
  ))

test('keeps a part of the list', async () => {
  const part = async (data: object) => names((await select(data as Record<string, unknown>))['result'])
  assert.deepEqual(await part({ start: 1 }), ['a.png', 'c.txt'])
  assert.deepEqual(await part({ start: '1', limit: 1 }), ['a.png'])
  assert.deepEqual(await part({ limit: '{{#a.two#}}' }), ['b.PDF', 'a.png'])
  assert.deepEqual(await part({ limit: '{{#skipped.limit#}}' }), ['b.PDF', 'a.png', 'c.txt'])
  assert.deepEqual(await part({ start: 9, limit: 0 }), [])
  for (const wrong of [{ start: -1 }, { limit: 1.5 }, { limit: 'many' }])
    await assert.rejects(part(wrong), { reason: 'step_failed', message: /whole number from 0/ })
})

test('anything but a list is rejected, and unknown operators and orders are gaps', async () => {
  await assert.rejects(select({}, 'a, b'), { reason: 'step_failed', message: /must be a list/ })
  const wrong = { match: 'some', where: [{ op: 'like' }, { op: 'equals' }], sort: { order: 'up' } }
  assert.deepEqual(
    list.gaps!(wrong).map(({ place }) => place.join('/')),
    ['where/0/op', 'where/1/right', 'match', 'sort/order'],
  )
})

test('a long list is filtered and sorted in slices', async () => {
  const items = Array.from({ length: 30_000 }, (_, at) => ({ at, key: (at * 7919) % 30_011 }))
  const running = select({ where: [{ field: 'at', op: 'gte', right: 10 }], sort: { field: 'key' } }, items)
  let turns = 0
  let isOver = false
  void running.finally(() => {
    isOver = true
  })
  while (!isOver) {
    turns += 1
    await new Promise(resolve => setImmediate(resolve))
  }
  const { count, first } = await running
  assert.equal(count, 29_990)
  assert.ok((first as { key: number }).key >= 0)
  assert.ok(turns > 5, `it let others run ${turns} times`)
})
