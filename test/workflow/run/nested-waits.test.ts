import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { StepFailure } from '../../../src/workflow/step.ts'
import { eachRunWorld, type RunWorld, type TestWorker, workspace } from '../../support/run-world.ts'
import { node } from '../graphs.ts'
import { chain, flow, says, work } from './run-graphs.ts'

describe('a step that waits inside another one', () => {
  let world: RunWorld
  let worker: TestWorker
  eachRunWorld(made => {
    world = made
    worker = world.worker()
  })

  const asks = (id: string, question: string) => node(id, 'question', { question })
  const default_ = { on_error: { default: { result: 'none' } } }

  async function statuses(runId: string): Promise<Record<string, string>> {
    const steps = await worker.runs.steps(workspace, runId)
    return Object.fromEntries(steps.map(({ path, status }) => [path, status]))
  }

  async function answer(runId: string, text: string) {
    return (await (await world.worker().resume(runId, text)).settled).run
  }

  /** Asks for the item `ask`, and fails for the item `bad`. */
  let either: string
  beforeEach(async () => {
    either = await world.save(
      flow(
        [
          node('if', 'branch', { case: '{{#sys.item#}}', cases: ['ask', 'bad'] }),
          asks('q', 'Inside?'),
          work('bad', { hold: 'gate', fail: 9 }),
        ],
        ['input if', 'if q ask', 'if bad bad', 'q end', 'bad end'],
      ),
    )
  })
  const items = (more: object) =>
    node('each', 'iteration', { items: ['ask', 'bad'], workflow_id: either, parallel: 2, ...more })

  test('is stopped when another branch fails', async () => {
    const inner = await world.save(chain(asks('q', 'Inside?')))
    const graph = flow(
      [node('w', 'workflow', { workflow_id: inner }), work('bad', { hold: 'gate', fail: 9 })],
      ['input w', 'input bad', 'w end', 'bad end'],
    )
    const { settled } = await worker.start(graph)
    while (world.script.countOf('q') === 0) await sleep(1)
    await sleep(10)
    world.script.open('gate')
    const { run } = await settled
    const ended = await statuses(run.id)
    assert.deepEqual([run.status, ended['w'], ended['w/child/q']], ['failed', 'stopped', 'stopped'])
  })

  test('is stopped with the run while the step around it is busy with another item', async () => {
    const { runId, settled } = await worker.start(chain(items({})))
    while (world.script.countOf('bad') === 0) await sleep(1)
    await sleep(10)
    await worker.runs.stop(workspace, runId)
    await settled
    const ended = await statuses(runId)
    assert.deepEqual([ended['each/0/q'], ended['each/1/bad']], ['stopped', 'stopped'])
  })

  test('does not ask when the step around it has failed and the run continues', async () => {
    world.script.open('gate')
    const graph = chain(items({ on_item_error: 'stop', ...default_ }), asks('q', 'After?'))
    const { run } = await worker.run(graph)
    assert.deepEqual([run.status, run.waiting?.question], ['waiting', 'After?'])
    assert.equal((await statuses(run.id))['each/0/q'], 'stopped')
    assert.equal((await answer(run.id, 'yes')).status, 'succeeded')
  })

  test('does not ask when its item has failed', async () => {
    world.script.open('gate')
    const both = await world.save(
      flow(
        [asks('q', 'Inside?'), work('bad', { hold: 'gate', fail: 9 })],
        ['input q', 'input bad', 'q end', 'bad end'],
      ),
    )
    const each = node('each', 'iteration', { items: ['a'], workflow_id: both, ...default_ })
    const { run } = await worker.run(chain(each, asks('q', 'After?')))
    assert.equal(run.waiting?.question, 'After?')
  })

  test('is stopped when another one was answered and the step around them fails before it continues', async () => {
    world.script.when('fails', step => {
      if (step.resumed) throw new StepFailure('step_failed', 'as scripted')
      return { wait: { question: 'First?', state: null } }
    })
    const inner = await world.save(
      flow(
        [
          node('if', 'branch', { case: '{{#sys.item#}}', cases: ['a', 'b'] }),
          node('fails', 'asker'),
          asks('q', 'Second?'),
        ],
        ['input if', 'if fails a', 'if q b', 'fails end', 'q end'],
      ),
    )
    const each = node('each', 'iteration', {
      ...{ items: ['a', 'b'], workflow_id: inner, on_item_error: 'stop', ...default_ },
    })
    const { run } = await worker.run(chain(each, says('o', 'Done')))
    assert.equal(run.waiting?.question, 'First?')
    const end = await answer(run.id, 'yes')
    const ended = await statuses(run.id)
    assert.deepEqual(
      [end.status, ended['each/0/fails'], ended['each/1/q']],
      ['succeeded', 'failed', 'stopped'],
    )
  })

  test('keeps waiting when the step around it is retried, and asks once', async () => {
    world.script.when('bad', () => {
      if (world.script.countOf('bad') === 1) throw new StepFailure('step_failed', 'busy', { retryable: true })
      return { outputs: { text: 'fine' } }
    })
    const each = items({ on_item_error: 'stop', retry: { times: 1, delay_ms: 0 } })
    const { run } = await worker.run(chain(each))
    assert.deepEqual([run.status, run.waiting?.path], ['waiting', 'each/0/q'])
    assert.equal(world.script.countOf('q'), 1)
    const end = await answer(run.id, 'yes')
    assert.equal(end.status, 'succeeded', end.error?.message)
    assert.equal(
      end.stepCount,
      Object.values(await statuses(run.id)).filter(status => status !== 'skipped').length,
    )
  })

  test('waits again when it was stopped with its workflow, which is retried', async () => {
    world.script.when('bad', async () => {
      await sleep(10)
      if (world.script.countOf('bad') === 1) throw new StepFailure('step_failed', 'busy', { retryable: true })
      return { outputs: {} }
    })
    const both = await world.save(
      flow([asks('q', 'Inside?'), work('bad')], ['input q', 'input bad', 'q end', 'bad end']),
    )
    const again = { retry: { times: 1, delay_ms: 0 } }
    const { run } = await worker.run(chain(node('w', 'workflow', { workflow_id: both, ...again })))
    assert.deepEqual([run.status, run.waiting?.question], ['waiting', 'Inside?'])
    assert.equal((await statuses(run.id))['w/child/q'], 'waiting')
    assert.equal((await answer(run.id, 'yes')).status, 'succeeded')
    assert.equal(world.script.countOf('q'), 2)
  })

  test('keeps its error in the trace when it fails after the answer', async () => {
    world.script.when('q', step => {
      if (step.resumed) throw new StepFailure('step_failed', 'No such size')
      return { wait: { question: 'Size?', state: null } }
    })
    const inner = await world.save(chain(node('q', 'asker')))
    const { run } = await worker.run(chain(node('w', 'workflow', { workflow_id: inner })))
    const end = await answer(run.id, 'huge')
    assert.equal(end.status, 'failed')
    const steps = await worker.runs.steps(workspace, run.id)
    const failed = steps.find(({ path }) => path === 'w/child/q')
    assert.deepEqual([failed?.status, failed?.error?.message], ['failed', 'No such size'])
  })
})
