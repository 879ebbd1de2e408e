import assert from 'node:assert/strict'
import test from 'node:test'
import { loop } from '../../src/nodes/loop.ts'
import { type ChildCall, type ChildResult, StepFailure, waitForChildren } from '../../src/workflow/step.ts'
import { type FakeStepOptions, fakeStep } from '../support/fake-step.ts'
import { outputsOf, runKind } from '../support/run-kind.ts'

const result = (outputs: Record<string, unknown>, answer = ''): ChildResult => ({
  status: 'succeeded',
  outputs,
  answer,
})
/** Counts to `until`. */
const counting = ({ inputs }: ChildCall): ChildResult => result({ count: Number(inputs['count']) + 1 })

const run = (data: Record<string, unknown>, runWorkflow = counting, more: FakeStepOptions = {}) => {
  const step = fakeStep({ values: { 'a.start': 3 }, system: { query: 'q' }, runWorkflow, ...more })
  return { step, outputs: () => outputsOf(loop, step, { workflow_id: 'wf_2', ...data }) }
}
const until = (left: string, op: string, right: unknown) => ({ when: [{ left, op, right }] })

test('the outputs of a round are the variables of the next, until the condition holds', async () => {
  const { step, outputs } = run({
    inputs: { fixed: '{{#a.start#}}' },
    variables: { count: '{{#a.start#}}', kept: 'k' },
    until: until('{{#loop.count#}}', 'gte', 5),
  })
  const variables = { count: 5, kept: 'k' }
  assert.deepEqual(await outputs(), { ...variables, result: variables, rounds: 2, text: '' })
  assert.deepEqual(
    step.calls.map(({ name, index, inputs, sendsMessages }) => ({ name, index, inputs, sendsMessages })),
    [3, 4].map((count, index) => ({
      name: String(index),
      index,
      inputs: { query: 'q', files: [], fixed: 3, count, kept: 'k' },
      sendsMessages: false,
    })),
  )
})

test('ends at the maximum of rounds, ten unless it is set', async () => {
  assert.equal((await run({ variables: { count: 0 } }).outputs())['count'], 10)
  const limited = run({ variables: { count: 0 }, max_rounds: 3, until: until('x', 'equals', 'y') })
  assert.deepEqual(await limited.outputs(), { count: 3, result: { count: 3 }, rounds: 3, text: '' })
  assert.equal((await run({ max_rounds: 1000 }, () => result({})).outputs())['rounds'], 100)
})

test('the condition can use outputs, the index, the run, and texts made of them', async () => {
  const done = ({ index }: ChildCall) =>
    result({ done: index === 2, list: [{ name: 'x' }] }, `answer ${index}`)
  const rounds = async (left: string, right: unknown) =>
    (await run({ until: until(left, 'equals', right), max_rounds: 5 }, done).outputs())['rounds']
  assert.equal(await rounds('{{#loop.done#}}', 'true'), 3)
  assert.equal(await rounds('{{#loop.index#}}', 1), 2)
  assert.equal(await rounds('{{#sys.query#}}-{{#loop.index#}}-{{#loop.list.0.name#}}', 'q-3-x'), 4)
  assert.equal(await rounds('{{#loop.list#}}', [{ name: 'x' }]), 1)
  assert.equal(await rounds('{{#loop.unknown#}}', ''), 1)
  const { text } = await run({ until: until('{{#loop.index#}}', 'equals', 1) }, done).outputs()
  assert.equal(text, 'answer 1')
})

test('after a crash the loop ends where it ended, although the memory has changed', async () => {
  const data = { variables: { count: 0 }, until: until('{{#memory.stop#}}', 'equals', 'now'), max_rounds: 3 }
  const first = run(data)
  assert.equal((await first.outputs())['rounds'], 3)
  const again = run(data, counting, { memory: { stop: 'now' }, journal: first.step.journal })
  assert.equal((await again.outputs())['rounds'], 3)
})

test('waits for a workflow that asks the user', async () => {
  const asking = ({ index }: ChildCall): ChildResult => (index === 1 ? { status: 'waiting' } : result({}))
  const step = fakeStep({ runWorkflow: asking })
  assert.equal(await runKind(loop, step, { workflow_id: 'wf_2' }), waitForChildren)
  assert.equal(step.calls.length, 2)
})

test('a failed round fails the step, and an aborted one starts no further round', async () => {
  const failing = () => {
    throw new StepFailure('model_failed', 'no answer', { retryable: true })
  }
  await assert.rejects(run({}, failing).outputs(), { reason: 'model_failed', retryable: true })
  const stop = new AbortController()
  const reason = new Error('stopped')
  const aborting = () => {
    stop.abort(reason)
    return result({})
  }
  const { step, outputs } = run({}, aborting, { signal: stop.signal })
  await assert.rejects(outputs(), error => error === reason)
  assert.equal(step.calls.length, 1)
  const nothing = run({ workflow_id: '{{#skipped.id#}}' })
  await assert.rejects(nothing.outputs(), { reason: 'step_failed', message: /No workflow/ })
})

test('names that hide outputs, bad conditions and limits are gaps', () => {
  const data = {
    variables: { result: 1, rounds: 1, text: 1, index: 1, 'a.b': 1, good: 1 },
    until: {
      match: 'none',
      when: [
        { op: 'equals', right: 1 },
        { left: 'x', op: 'like' },
      ],
    },
    max_rounds: 101,
  }
  assert.deepEqual(
    loop.gaps!(data).map(({ place }) => place.join('/')),
    [
      ...['result', 'rounds', 'text', 'index', 'a.b'].map(name => `variables/${name}`),
      'until/match',
      'until/when/0/left',
      'until/when/1/op',
      'max_rounds',
    ],
  )
  assert.deepEqual(loop.outputs({ variables: { draft: '' } }), ['result', 'rounds', 'text', 'draft'])
})
