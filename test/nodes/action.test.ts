import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { action } from '../../src/nodes/action.ts'
import { fakeStep } from '../support/fake-step.ts'
import { outputsOf } from '../support/run-kind.ts'

test('an action is sent to the client and is also an output', async () => {
  const step = fakeStep({ values: { 'a.items': [1, 'x'], 'a.name': 'Ada' } })
  const data = { content: '{"do":"show","items":{{#a.items#}},"to":"{{#a.name#}}"}\n' }
  const outputs = await outputsOf(action, step, data)
  const content = '{"do":"show","items":[1,"x"],"to":"Ada"}'
  assert.deepEqual(outputs, { content, text: content, result: { do: 'show', items: [1, 'x'], to: 'Ada' } })
  assert.deepEqual(step.said, [{ dataType: 'action', content, fileIds: [] }])
})

test('content may be an object whose texts are templates', async () => {
  const step = fakeStep({ values: { 'a.items': [1, 'x'], 'a.name': 'A "da"' } })
  const outputs = await outputsOf(action, step, {
    content: { items: '{{#a.items#}}', to: 'Hi {{#a.name#}}' },
  })
  assert.deepEqual(outputs['result'], { items: [1, 'x'], to: 'Hi A "da"' })
  assert.equal(step.said[0]!.content, JSON.stringify(outputs['result']))
})

test('a value inside quotes cannot break out of them', () =>
  fc.assert(
    fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), async text => {
      const step = fakeStep({ values: { 'a.text': text } })
      const data = { content: '{"said \\"": "\\\\{{#a.text#}}", "x": 1}' }
      const { result } = await outputsOf(action, step, data)
      assert.deepEqual(result, { 'said "': `\\${text}`, x: 1 })
    }),
    { numRuns: 200 },
  ))

test('JSON that a model wrote is inserted as it is', async () => {
  const step = fakeStep({ values: { 'model.text': '{"do": "wave"}' } })
  assert.deepEqual((await outputsOf(action, step, { content: '{{#model.text#}}' }))['result'], { do: 'wave' })
})

test('content that is not JSON fails with the reason, and nothing is sent', async () => {
  const step = fakeStep({ values: { 'model.text': 'I would rather not' } })
  await assert.rejects(outputsOf(action, step, { content: '{{#model.text#}}' }), {
    name: 'StepFailure',
    reason: 'step_failed',
    message: /"content" is not JSON.*I would rather not/,
  })
  await assert.rejects(outputsOf(action, step, { content: '{"a":1,\n}' }), { message: /line 2|position/ })
  assert.deepEqual(step.said, [])
})

test('content that is nested too deeply is rejected, and nothing is sent', async () => {
  const step = fakeStep({ values: { 'model.text': '['.repeat(5000) + ']'.repeat(5000) } })
  await assert.rejects(outputsOf(action, step, { content: '{{#model.text#}}' }), {
    name: 'StepFailure',
    message: /nested too deeply/,
  })
  assert.deepEqual(step.said, [])
})
