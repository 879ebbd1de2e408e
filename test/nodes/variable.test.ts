import assert from 'node:assert/strict'
import test from 'node:test'
import { variable } from '../../src/nodes/variable.ts'
import { fakeStep } from '../support/fake-step.ts'
import { runKind } from '../support/run-kind.ts'

test('values are stored with their types, texts with references replaced', async () => {
  const step = fakeStep({ values: { 'a.list': [1, 2], 'a.name': 'Ada' } })
  const assign = {
    list: '{{#a.list#}}',
    greeting: 'Hello {{#a.name#}}',
    tree: { first: '{{#a.list.0#}}' },
    count: 3,
    gone: '{{#skipped.text#}}',
  }
  const expected = { list: [1, 2], greeting: 'Hello Ada', tree: { first: 1 }, count: 3, gone: '' }
  const outcome = JSON.parse(JSON.stringify(await runKind(variable, step, { assign })))
  assert.deepEqual(outcome, { outputs: { result: expected }, assign: expected })
})

test('a name such as __proto__ is stored like any other', async () => {
  const data = JSON.parse('{"assign":{"__proto__":"x"}}')
  const outcome = await runKind(variable, fakeStep(), data)
  assert.ok('outputs' in outcome && outcome.assign)
  assert.deepEqual(Object.entries(outcome.assign), [['__proto__', 'x']])
})

test('names that no reference could read are gaps', () =>
  assert.deepEqual(
    variable.gaps!({ assign: { 'a.b': '', '': '', ' x': '', good: '', 名字: '' } }).map(({ place }) => place),
    [
      ['assign', 'a.b'],
      ['assign', ''],
      ['assign', ' x'],
    ],
  ))

test('names with invisible characters are gaps', () => {
  const names = ['a\u0000b', 'line\nbreak', 'half \ud83c', 'x'.repeat(201)]
  const assign = Object.fromEntries([...names, 'x'.repeat(200), '🌳'].map(name => [name, '']))
  assert.deepEqual(
    variable.gaps!({ assign }).map(({ place }) => place.at(-1)),
    names,
  )
})

const change = async (changes: object[], memory: Record<string, unknown> = {}, assign = {}) => {
  const step = fakeStep({ memory, values: { 'a.list': [8, 9], 'a.n': '2' } })
  const outcome = await runKind(variable, step, { assign, changes })
  assert.ok('outputs' in outcome)
  assert.deepEqual(outcome.outputs['result'], outcome.assign)
  return outcome.assign
}

test('changes are applied to the memory in their order', async () => {
  const memory = { list: [1, 2], count: 5, text: 'old', record: { x: 1 }, number: '3' }
  const changes = [
    { name: 'list', op: 'append', value: '{{#a.n#}}' },
    { name: 'list', op: 'extend', value: '{{#a.list#}}' },
    { name: 'list', op: 'remove_first' },
    { name: 'list', op: 'remove_last' },
    { name: 'count', op: 'add', value: 3 },
    { name: 'count', op: 'multiply', value: '{{#a.n#}}' },
    { name: 'count', op: 'subtract', value: 4 },
    { name: 'count', op: 'divide', value: 6 },
    { name: 'number', op: 'add', value: 1 },
    { name: 'text', op: 'set', value: 'new {{#a.n#}}' },
    { name: 'record', op: 'clear' },
  ]
  const changed = { list: [2, '2', 8], count: 2, number: 4, text: 'new 2', record: {} }
  assert.deepEqual(await change(changes, memory), changed)
  assert.deepEqual(memory.list, [1, 2], 'the memory itself is changed by the engine')
})

test('a change sees the results of the changes before it', async () => {
  const changes = [
    { name: 'count', op: 'add', value: 1 },
    { name: 'seen', op: 'set', value: '{{#memory.count#}} {{#memory.given#}} {{#memory.old#}}' },
    { name: '__proto__', op: 'set', value: { text: '{{#memory.seen#}}' } },
    { name: 'last', op: 'set', value: '{{#memory.__proto__.text#}}' },
  ]
  const memory = { count: 1, old: 'o' }
  const seen = '2 g o'
  const made = JSON.parse(JSON.stringify(await change(changes, memory, { given: 'g' })))
  assert.deepEqual(Object.entries(made), [
    ['given', 'g'],
    ['count', 2],
    ['seen', seen],
    ['__proto__', { text: seen }],
    ['last', seen],
  ])
  assert.deepEqual(memory, { count: 1, old: 'o' })
})

test('values that refer to themselves again and again fail before they fill the memory', async () => {
  const again = (change: object) => Array.from({ length: 60 }, () => ({ name: 'x', ...change }))
  const too = /memory\.x has more than a million values/
  const itself = '{{#memory.x#}}'
  await assert.rejects(change(again({ op: 'extend', value: itself }), { x: [1] }), too)
  await assert.rejects(change(again({ op: 'set', value: { a: itself, b: itself } }), { x: 1 }), too)
})

test('a value that does not exist is an empty list, zero, or nothing', async () => {
  const changes = [
    { name: 'list', op: 'append', value: 'x' },
    { name: 'count', op: 'add', value: 1 },
    { name: 'none', op: 'remove_first' },
    { name: 'gone', op: 'clear' },
    { name: 'set', op: 'append', value: 2 },
  ]
  const expected = { set: [1, 2], list: ['x'], count: 1, none: [], gone: '' }
  assert.deepEqual(await change(changes, {}, { set: [1] }), expected)
})

test('an operation that does not fit the value fails the step', async () => {
  const memory = { text: 'x', count: 1 }
  const wrong: [object, RegExp][] = [
    [{ name: 'text', op: 'append', value: 1 }, /"append".*memory\.text.*no list, but "x"/],
    [{ name: 'count', op: 'extend', value: 'y' }, /the value is no list/],
    [{ name: 'text', op: 'add', value: 1 }, /no number, but "x"/],
    [{ name: 'count', op: 'add', value: 'many' }, /the value is no number/],
    [{ name: 'count', op: 'divide', value: 0 }, /is no number/],
  ]
  for (const [each, message] of wrong)
    await assert.rejects(change([each], memory), { reason: 'step_failed', message })
})

test('after a crash a change is not made twice', async () => {
  const data = { changes: [{ name: 'list', op: 'append', value: 'x' }] }
  const first = fakeStep({ memory: { list: [] } })
  await runKind(variable, first, data)
  const again = await runKind(variable, fakeStep({ memory: { list: ['x'] }, journal: first.journal }), data)
  assert.deepEqual('assign' in again && again.assign, { list: ['x'] })
})

test('changes without a name, a known operation or a value are gaps', () => {
  const changes = [
    { name: 'a.b', op: 'set', value: 1 },
    { name: 'x', op: 'power' },
    { name: 'x', op: 'add' },
  ]
  assert.deepEqual(
    variable.gaps!({ changes }).map(({ place }) => place.join('/')),
    ['changes/0/name', 'changes/1/op', 'changes/2/value'],
  )
  assert.deepEqual(
    variable.gaps!({ assign: {} }).map(({ place }) => place.join('/')),
    ['assign'],
  )
})
