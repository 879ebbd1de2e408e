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
