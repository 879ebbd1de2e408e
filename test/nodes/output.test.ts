import assert from 'node:assert/strict'
import test from 'node:test'
import { output } from '../../src/nodes/output.ts'
import { fakeStep } from '../support/fake-step.ts'
import { outputsOf } from '../support/run-kind.ts'

test('an output replaces references once, and never inside inserted values', async () => {
  const step = fakeStep({
    values: { 'a.text': '{{#sys.query#}}', 'a.items': [1, 2] },
    system: { query: 'no' },
  })
  const outputs = await outputsOf(output, step, { answer: 'Say {{#a.text#}} {{#a.items#}}' })
  assert.deepEqual(outputs, { text: 'Say {{#sys.query#}} [1,2]', result: 'Say {{#sys.query#}} [1,2]' })
})

test('the engine streams the answer, so the kind itself sends nothing', async () => {
  assert.equal(output.messageField, 'answer')
  const step = fakeStep()
  await outputsOf(output, step, { answer: 'hello' })
  assert.deepEqual([step.pieces, step.said], [[], []])
})
