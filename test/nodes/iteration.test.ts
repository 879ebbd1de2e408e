import assert from 'node:assert/strict'
import test from 'node:test'
import { AppError } from '../../src/kernel/app-error.ts'
import { iteration } from '../../src/nodes/iteration.ts'
import { type ChildCall, type ChildResult, StepFailure, waitForChildren } from '../../src/workflow/step.ts'
import { fakeStep } from '../support/fake-step.ts'
import { outputsOf, runKind } from '../support/run-kind.ts'

const answer = (text: string, outputs = {}): ChildResult => ({ status: 'succeeded', outputs, answer: text })

const run = (
  items: unknown,
  runWorkflow: (call: ChildCall) => ChildResult | Promise<ChildResult>,
  more: Record<string, unknown> = {},
) => {
  const step = fakeStep({ values: { 'a.items': items }, runWorkflow })
  const data = { items: '{{#a.items#}}', workflow_id: 'wf_2', ...more }
  return { step, data, outputs: () => outputsOf(iteration, step, data) }
}

test('every item has its own call, and the results keep the order of the items', async () => {
  const { step, outputs } = run(['x', { y: 1 }], ({ item }) => answer(`<${JSON.stringify(item)}>`))
  assert.deepEqual(await outputs(), { result: ['<"x">', '<{"y":1}>'], errors: [] })
  const more = { workflowId: 'wf_2', sendsMessages: false }
  assert.deepEqual(step.calls, [
    { name: '0', inputs: { query: 'x' }, item: 'x', index: 0, ...more },
    { name: '1', inputs: { query: '{"y":1}' }, item: { y: 1 }, index: 1, ...more },
  ])
})

test('the value of a workflow without an answer is its outputs', async () => {
  const { outputs } = run([1, 2], ({ index }) =>
    index === 0 ? answer('', { n: 1 }) : answer('two', { n: 2 }),
  )
  assert.deepEqual((await outputs())['result'], [{ n: 1 }, 'two'])
})

test('at most `parallel` items run at a time, one by default', async () => {
  for (const parallel of [undefined, 3]) {
    let running = 0
    let most = 0
    const work = async () => {
      running += 1
      most = Math.max(most, running)
      for (let turn = 0; turn < 5; turn += 1) await null
      running -= 1
      return answer('done')
    }
    const { outputs } = run([1, 2, 3, 4, 5, 6, 7], work, parallel ? { parallel } : {})
    assert.equal(((await outputs())['result'] as unknown[]).length, 7)
    assert.equal(most, parallel ?? 1)
  }
})

test('the JSON text of a list is accepted, and an empty list gives an empty list', async () => {
  const say = ({ item }: ChildCall) => answer(String(item))
  assert.deepEqual((await run(' [1, "b"] ', say).outputs())['result'], ['1', 'b'])
  assert.deepEqual(await run([], say).outputs(), { result: [], errors: [] })
  assert.deepEqual((await run([], say, { items: ['{{#sys.user_id#}}', 2] }).outputs())['result'], [
    'user-1',
    '2',
  ])
})

test('anything but a list is rejected with its value', async () => {
  const never = () => assert.fail('run all the same')
  const wrong: [unknown, RegExp][] = [
    ['a, b', /"a, b"/],
    ['{"a":1}', /list/],
    ['['.repeat(5000) + ']'.repeat(5000), /nested too deeply/],
    [{ a: 1 }, /list/],
    [5, /"5"/],
    [undefined, /nothing/],
    [null, /list/],
  ]
  for (const [items, message] of wrong)
    await assert.rejects(run(items, never).outputs(), { reason: 'step_failed', message })
  const tooMany = run(new Array(501).fill(1), never)
  await assert.rejects(tooMany.outputs(), { reason: 'step_failed', message: /501.*500/ })
})

const failing =
  (...indexes: number[]) =>
  (call: ChildCall) => {
    if (indexes.includes(call.index!))
      throw new StepFailure('model_failed', `no ${call.index}`, { retryable: true })
    return answer(`ok ${call.index}`)
  }

test('a failed item is null and its message is in the errors', async () => {
  const { outputs } = run(['a', 'b', 'c'], failing(0, 2))
  assert.deepEqual(await outputs(), {
    result: [null, 'ok 1', null],
    errors: [
      { index: 0, message: 'no 0' },
      { index: 2, message: 'no 2' },
    ],
  })
})

test('if all items fail, the step fails with the reason of the first', async () => {
  const { outputs } = run(['a', 'b'], failing(0, 1))
  await assert.rejects(outputs(), {
    reason: 'model_failed',
    message: /All 2 items failed.*no 0/,
    retryable: true,
  })
  const missing = run(['a'], () => {
    throw new AppError('not_found', 'There is no workflow "wf_2".')
  })
  await assert.rejects(missing.outputs(), { name: 'StepFailure', reason: 'not_found', message: /wf_2/ })
})

test('an internal error is not a failure of an item, and no further item is started', async () => {
  const internalError = new TypeError('x is undefined')
  let isSecondDone = false
  const work = async ({ index }: ChildCall) => {
    if (index === 0) throw internalError
    for (let turn = 0; turn < 5; turn += 1) await null
    isSecondDone = true
    return answer('ok')
  }
  const { step, outputs } = run([1, 2, 3, 4], work, { parallel: 2 })
  await assert.rejects(outputs(), error => error === internalError)
  assert.equal(step.calls.length, 2)
  assert.ok(isSecondDone, 'what was under way is not left behind')
})

test('an aborted step ends with the reason of its signal', async () => {
  const stop = new AbortController()
  const reason = new Error('stopped')
  const step = fakeStep({
    signal: stop.signal,
    runWorkflow: () => {
      stop.abort(reason)
      throw new StepFailure('step_failed', 'interrupted')
    },
  })
  const data = { items: ['the last one'], workflow_id: 'wf_2' }
  await assert.rejects(outputsOf(iteration, step, data), error => error === reason)
  const again = { items: [1, 2], workflow_id: 'wf_2' }
  await assert.rejects(outputsOf(iteration, step, again), error => error === reason)
  assert.equal(step.calls.length, 1)
})

test('if an item asks the user, the others finish first and the step waits', async () => {
  const finished: number[] = []
  const asking = ({ index }: ChildCall): ChildResult => {
    if (index === 0) return { status: 'waiting' }
    finished.push(index!)
    return answer('ok')
  }
  const { step, data } = run(['a', 'b', 'c'], asking)
  assert.equal(await runKind(iteration, step, data), waitForChildren)
  assert.deepEqual(finished, [1, 2])
})

test('parallel must be a whole number from 1 to 10', () => {
  for (const parallel of [0, 11, 1.5]) assert.equal(iteration.gaps!({ parallel }).length, 1, String(parallel))
  for (const parallel of [1, 10]) assert.deepEqual(iteration.gaps!({ parallel }), [])
})

test('further inputs reach the workflow beside the item', async () => {
  const { step, outputs } = run(['x'], () => answer('ok'), {
    inputs: { style: '{{#sys.user_id#}}', files: ['no file'] },
  })
  await outputs()
  assert.deepEqual(step.calls[0]!.inputs, { query: 'x', style: 'user-1', files: [] })
  const own = run(['x'], () => answer('ok'), { inputs: { query: 'instead' } })
  await own.outputs()
  assert.deepEqual([own.step.calls[0]!.inputs, own.step.calls[0]!.item], [{ query: 'instead' }, 'x'])
})

test('collects the chosen output of the workflow', async () => {
  const give = ({ index }: ChildCall) => answer('said', { text: `t${index}`, deep: { list: [index] } })
  const collect = async (output: string) => (await run([1, 2], give, { output }).outputs())['result']
  assert.deepEqual(await collect('text'), ['t0', 't1'])
  assert.deepEqual(await collect('deep.list.0'), [0, 1])
  assert.deepEqual(await collect('text.none.such'), [null, null])
  assert.deepEqual(await collect(' '), ['said', 'said'])
})

test('an output that the workflow cannot have fails the step before the first item', async () => {
  const step = fakeStep({
    workflowOutputs: ['text', 'summary'],
    runWorkflow: () => answer('', { text: 't' }),
  })
  const collect = (output: string, items: unknown[] = [1]) =>
    outputsOf(iteration, step, { items, workflow_id: 'wf_2', output })
  await assert.rejects(collect('sumary.title'), {
    reason: 'step_failed',
    message: /"sumary.title".*wf_2 has no output "sumary".*"text", "summary"/,
  })
  assert.equal(step.calls.length, 0)
  assert.deepEqual((await collect('summary'))['result'], [null], 'its node was skipped')
  assert.deepEqual((await collect('sumary', []))['result'], [])
})

test('where any output is possible, one that no item has fails the step', async () => {
  const give = ({ index }: ChildCall) => answer('', index === 0 ? { a: 1 } : { b: null })
  const collect = (output: string) => run([1, 2], give, { output }).outputs()
  assert.deepEqual((await collect('a'))['result'], [1, null])
  assert.deepEqual((await collect('b.c'))['result'], [null, null])
  await assert.rejects(collect('c'), { reason: 'step_failed', message: /no output "c". It has "a", "b"/ })
  const silent = run([1], () => answer('said'), { output: 'text' })
  await assert.rejects(silent.outputs(), { message: /It has none; connect a node to its end/ })
})

test('a failed item is left out, or fails the node, as the setting says', async () => {
  const without = await run(['a', 'b', 'c'], failing(1), { on_item_error: 'remove' }).outputs()
  assert.deepEqual(without, { result: ['ok 0', 'ok 2'], errors: [{ index: 1, message: 'no 1' }] })
  const { step, outputs } = run(['a', 'b', 'c'], failing(1), { on_item_error: 'stop' })
  await assert.rejects(outputs(), {
    reason: 'model_failed',
    message: 'Item 1 failed: no 1',
    retryable: true,
  })
  assert.equal(step.calls.length, 2, 'no further item is started')
  assert.equal(iteration.gaps!({ on_item_error: 'retry' }).length, 1)
})

test('joins lists of the items into one', async () => {
  const give = ({ index }: ChildCall) => answer('', { list: index === 1 ? 'single' : [index, [index]] })
  const flat = await run(['a', 'b', 'c'], give, { output: 'list', flatten: true }).outputs()
  assert.deepEqual(flat['result'], [0, [0], 'single', 2, [2]])
})
