import assert from 'node:assert/strict'
import test from 'node:test'
import { workflow } from '../../src/nodes/workflow.ts'
import { type ChildResult, StepFailure, waitForChildren } from '../../src/workflow/step.ts'
import { fakeStep } from '../support/fake-step.ts'
import { outputsOf, runKind } from '../support/run-kind.ts'

const done: ChildResult = {
  status: 'succeeded',
  outputs: { text: 'of an inner node', total: 3 },
  answer: 'It is 3.',
}

test('another workflow gets its inputs, and its outputs become outputs of the node', async () => {
  const values = { 'a.list': [1, 2] }
  const step = fakeStep({ values, system: { query: 'outer' }, runWorkflow: () => done })
  const data = { workflow_id: 'wf_2', inputs: { query: 'sum {{#a.list#}}', numbers: '{{#a.list#}}' } }
  assert.deepEqual(await outputsOf(workflow, step, data), {
    total: 3,
    result: { text: 'of an inner node', total: 3 },
    text: 'It is 3.',
  })
  const inputs = { query: 'sum [1,2]', numbers: [1, 2], files: [] }
  assert.deepEqual(step.calls, [{ name: 'child', workflowId: 'wf_2', inputs, sendsMessages: true }])
  assert.equal(workflow.outputs(data), undefined)
})

test('its text is the output "text" of a workflow that sends no message', async () => {
  const textAfter = async (outputs: Record<string, unknown>) => {
    const step = fakeStep({ runWorkflow: () => ({ status: 'succeeded', outputs, answer: '' }) })
    return (await outputsOf(workflow, step, { workflow_id: 'wf_2' }))['text']
  }
  assert.equal(await textAfter({ text: 'of an inner node' }), 'of an inner node')
  assert.equal(await textAfter({ text: ['a', 1] }), '["a",1]')
  assert.equal(await textAfter({ total: 3 }), '')
})

test('without inputs it gets the query of this run, and its messages can be hidden', async () => {
  const files = [{ file_id: 'file_1', name: 'a', mime_type: 'text/plain', size: 1 }]
  const step = fakeStep({ system: { query: 'outer', files }, runWorkflow: () => done })
  await outputsOf(workflow, step, { workflow_id: 'wf_2', speaks: false })
  assert.deepEqual(step.calls[0]?.inputs, { query: 'outer', files })
  assert.equal(step.calls[0]?.sendsMessages, false)
})

test('it waits while the other workflow waits, and continues with it', async () => {
  const data = { workflow_id: 'wf_2' }
  const first = fakeStep({ runWorkflow: () => ({ status: 'waiting' }) })
  assert.equal(await runKind(workflow, first, data), waitForChildren)
  const second = fakeStep({ resumed: { state: null, reply: { text: 'yes' } }, runWorkflow: () => done })
  assert.equal((await outputsOf(workflow, second, data))['text'], 'It is 3.')
  assert.deepEqual(second.calls, first.calls)
})

test('a failure inside is thrown as it is', async () => {
  const failure = new StepFailure('not_found', 'There is no such workflow.')
  const step = fakeStep({
    runWorkflow: () => {
      throw failure
    },
  })
  await assert.rejects(outputsOf(workflow, step, { workflow_id: 'wf_2' }), error => error === failure)
})

test('an empty workflow id fails without a lookup', async () => {
  const run = outputsOf(workflow, fakeStep(), { workflow_id: '{{#skipped.id#}}' })
  await assert.rejects(run, { reason: 'step_failed', message: /workflow_id/ })
})

test('only real files are passed on as files', async () => {
  const file = { file_id: 'file_1', name: 'a', mime_type: 'text/plain', size: 1 }
  const step = fakeStep({ values: { 'a.file': file }, runWorkflow: () => done })
  const files = ['{{#a.file#}}', 'file_2', null, { name: 'b' }, { file_id: 3 }, { file_id: 'file_4' }]
  await outputsOf(workflow, step, { workflow_id: 'wf_2', inputs: { files } })
  assert.deepEqual(JSON.parse(JSON.stringify(step.calls[0]!.inputs['files'])), [file, { file_id: 'file_4' }])
  for (const [given, passed] of [
    ['{{#a.file#}}', [file]],
    ['{{#skipped.files#}}', []],
  ] as const) {
    await outputsOf(workflow, step, { workflow_id: 'wf_2', inputs: { files: given } })
    assert.deepEqual(step.calls.at(-1)!.inputs['files'], passed)
  }
})
