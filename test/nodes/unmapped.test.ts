import assert from 'node:assert/strict'
import test from 'node:test'
import { llm } from '../../src/nodes/llm.ts'
import { unmapped } from '../../src/nodes/unmapped.ts'
import { fakeStep } from '../support/fake-step.ts'
import { runKind } from '../support/run-kind.ts'

const message = 'The tool "paint" does not exist here.'

test('a node that could not be imported cannot run, and reports why', async () => {
  assert.deepEqual(unmapped.gaps!({ message, original: { a: 1 } }), [{ place: ['type'], message }])
  const [gap] = unmapped.gaps!({})
  assert.match(gap!.message, /Replace it by other nodes/)
  assert.equal(unmapped.outputs({}), undefined)
  await assert.rejects(async () => runKind(unmapped, fakeStep(), { message }), new RegExp(message))
})

test('a tool that could not be imported prevents the model from running', () => {
  const data = {
    prompt_template: 'x',
    '数据源/API工具': [{ type: 'unmapped', name: 'paint', message, original: {} }],
  }
  assert.deepEqual(llm.gaps!(data), [{ place: ['数据源/API工具', 0, 'type'], message }])
})
