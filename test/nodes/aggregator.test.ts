import assert from 'node:assert/strict'
import test from 'node:test'
import { aggregator } from '../../src/nodes/aggregator.ts'
import { fakeStep } from '../support/fake-step.ts'
import { outputsOf } from '../support/run-kind.ts'

const values = { 'a.text': '', 'b.list': [], 'c.text': 'from c', 'd.zero': 0, 'e.object': { x: 1 } }
const join = (data: Record<string, unknown>) => outputsOf(aggregator, fakeStep({ values }), data)

test('the result is the first value that is neither of a skipped node nor empty', async () => {
  const some = ['{{#skipped.text#}}', '{{#a.text#}}', '{{#b.list#}}', '{{#c.text#}}', '{{#d.zero#}}']
  assert.deepEqual(await join({ values: some }), { result: 'from c', text: 'from c' })
  assert.deepEqual(await join({ values: ['{{#d.zero#}}', '{{#c.text#}}'] }), { result: 0, text: '0' })
  assert.deepEqual(await join({ values: ['{{#e.object#}}'] }), { result: { x: 1 }, text: '{"x":1}' })
  assert.deepEqual(await join({ values: ['{{#skipped.text#}}'] }), { result: '', text: '' })
})

test('each group is an output of its own', async () => {
  const groups = [
    { name: 'words', values: ['{{#a.text#}}', '{{#c.text#}}'] },
    { name: 'count', values: ['{{#skipped.count#}}', '{{#d.zero#}}'] },
  ]
  const both = { words: 'from c', count: 0 }
  assert.deepEqual(await join({ groups }), { ...both, result: both, text: JSON.stringify(both) })
  assert.deepEqual(await join({ values: ['x'], groups }), { ...both, result: 'x', text: 'x' })
  assert.deepEqual(aggregator.outputs({ groups }), ['text', 'result', 'words', 'count'])
})

test('a node without values, and groups that nothing could refer to, are gaps', () => {
  const placesOf = (data: Record<string, unknown>) =>
    aggregator.gaps!(data).map(({ place }) => place.join('/'))
  assert.deepEqual(placesOf({}), ['values'])
  assert.deepEqual(placesOf({ values: [], groups: [] }), ['values'])
  const groups = [
    { name: 'a', values: ['x'] },
    { name: 'a', values: ['x'] },
    { name: 'a.b', values: ['x'] },
    { name: 'text', values: ['x'] },
    { name: 'empty', values: [] },
  ]
  assert.deepEqual(placesOf({ groups }), [
    'groups/1/name',
    'groups/2/name',
    'groups/3/name',
    'groups/4/values',
  ])
})
