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
