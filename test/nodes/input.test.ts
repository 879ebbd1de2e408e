import assert from 'node:assert/strict'
import test from 'node:test'
import { input } from '../../src/nodes/input.ts'
import { fakeStep } from '../support/fake-step.ts'
import { outputsOf } from '../support/run-kind.ts'

test('the input node outputs the query, the files and all inputs of the run', async () => {
  const files = [{ file_id: 'file_1', name: 'a.txt', mime_type: 'text/plain', size: 3 }]
  const inputs = { query: 'hello', files, city: 'Paris' }
  const step = fakeStep({ system: { query: 'hello', files, inputs } })
  assert.deepEqual(await outputsOf(input, step), {
    query: 'hello',
    text: 'hello',
    result: 'hello',
    files,
    inputs,
  })
})

const variables = [
  { name: 'city', type: 'text' },
  { name: 'days', type: 'number' },
]

test('every input variable is an output, with the value of the run', async () => {
  const step = fakeStep({ system: { query: 'q', files: [], inputs: { city: 'Rome' } } })
  const outputs = await outputsOf(input, step, { variables })
  assert.deepEqual([outputs['city'], outputs['days'], outputs['query']], ['Rome', undefined, 'q'])
  const names = ['query', 'text', 'result', 'files', 'inputs']
  assert.deepEqual(input.outputs({ variables }), [...names, 'city', 'days'])
  assert.deepEqual(input.outputs({}), names)
})

test('a declaration that cannot work is reported at its place', () => {
  const gapsOf = (declared: Record<string, unknown>, ...before: Record<string, unknown>[]): string[] =>
    input.gaps!({ variables: [...before, declared] }).map(
      ({ place, message }) => `${place.join('.')} ${message}`,
    )
  const one = (declared: Record<string, unknown>): string[] =>
    gapsOf({ name: 'x', type: 'text', ...declared })
  assert.deepEqual(one({}), [])
  assert.match(one({ name: ' ' }).join(), /^variables\.0\.name This variable needs a name/)
  assert.match(one({ name: 'a.b' }).join(), /^variables\.0\.name A name has at most 100 letters/)
  assert.match(one({ name: 'files' }).join(), /^variables\.0\.name "files" is an output of every input node/)
  assert.match(
    gapsOf({ name: 'x', type: 'text' }, { name: 'x', type: 'text' }).join(),
    /^variables\.1\.name Another/,
  )
  assert.match(one({ type: 'date' }).join(), /^variables\.0\.type Must be one of text, /)
  assert.match(one({ type: 'select' }).join(), /^variables\.0\.options A select needs at least one option/)
  assert.match(
    one({ type: 'select', options: ['a', 'a'] }).join(),
    /^variables\.0\.options Two options are the same/,
  )
  assert.match(
    one({ type: 'select', options: ['a'], default: 'b' }).join(),
    /default The default must be one of "a"/,
  )
  assert.match(one({ type: 'number', default: 'x' }).join(), /default The default must be a number/)
  assert.match(
    one({ type: 'file', default: 'file_1' }).join(),
    /default The default is not possible for files/,
  )
  assert.match(one({ max_length: 0 }).join(), /max_length Must be a whole number from 1 to 100000/)
  assert.match(
    one({ type: 'files', max_length: 21 }).join(),
    /max_length Must be a whole number from 1 to 20/,
  )
  const many = Array.from({ length: 101 }, (_, at) => ({ name: `v${at}`, type: 'text' }))
  assert.match(input.gaps!({ variables: many })[0]!.message, /at most 100 variables/)
})
