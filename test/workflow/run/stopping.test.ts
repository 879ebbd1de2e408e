import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { StepFailure } from '../../../src/workflow/step.ts'
import { openTestDatabase, type TestDatabase } from '../../support/open-test-database.ts'
import { eventsOf, RunWorld, type TestWorker, workspace } from '../../support/run-world.ts'
import { node } from '../graphs.ts'
import { chain, flow, model, says, work } from './run-graphs.ts'

describe('stopping, and nested workflows', () => {
  let opened: TestDatabase
  let world: RunWorld
  let worker: TestWorker
  before(async () => {
    opened = await openTestDatabase()
  })
  beforeEach(() => {
    world = new RunWorld(opened.database)
    worker = world.worker()
    world.script.when('m', async step => {
      step.write('half of ')
      step.write('it')
      await world.script.gate('never').promise
      return { outputs: {} }
    })
  })
  afterEach(() => world.close())
  after(() => opened.cleanup())

  const begun = async (id: string, times = 1): Promise<void> => {
    while (world.script.countOf(id) < times) await sleep(1)
  }

  test('a stopped run keeps the partial text of the model and of the output', async () => {
    const graph = flow(
      [model('m'), says('o', 'It: {{#m.text#}}'), says('p', 'Soon: {{#m.text#}}'), work('after')],
      ['input m', 'm o', 'm p', 'o after', 'p after', 'after end'],
    )
    const { runId, settled } = await worker.start(graph, { trigger: 'chat' })
    await begun('m')
    const stopped = await worker.runs.stop(workspace, runId)
    assert.deepEqual([stopped.status, stopped.answer], ['stopped', 'It: half of it\n\nSoon: half of it'])
    assert.deepEqual(world.listener.texts, ['It: half of it', 'Soon: half of it'])
    assert.equal((await settled).run.status, 'stopped')
    const m = (await worker.runs.steps(workspace, runId)).find(({ path }) => path === 'm')
    assert.deepEqual([m?.status, m?.outputs], ['stopped', '{"text":"half of it","result":"half of it"}'])
    assert.ok(world.script.stepOf('m').signal.aborted)
    assert.equal(world.script.countOf('after'), 0)
    assert.equal((await worker.runs.stop(workspace, runId)).status, 'stopped')
  })

  test('a stopped run sends nothing of messages whose turn had not come', async () => {
    const graph = flow(
      [says('first', 'One moment.'), model('m'), says('o', '{{#m.text#}}'), says('bye', 'That was all.')],
      ['input first', 'first m', 'm o', 'o bye', 'bye end'],
    )
    const { runId, settled } = await worker.start(graph, { trigger: 'chat' })
    await begun('m')
    const stopped = await worker.runs.stop(workspace, runId)
    assert.equal(stopped.answer, 'One moment.\n\nhalf of it')
    assert.deepEqual(world.listener.texts, ['One moment.', 'half of it'])
    await settled
    assert.ok(!(await eventsOf(worker, runId)).some(({ line }) => line.includes('That was all.')))
  })

  test('a failed run sends nothing of messages whose turn had not come', async () => {
    world.script.when('m', async step => {
      step.write('half of it')
      await sleep(1)
      throw new StepFailure('step_failed', 'broken off')
    })
    const graph = chain(model('m'), says('o', '{{#m.text#}}'), says('bye', 'That was all.'))
    const { run } = await worker.run(graph)
    assert.deepEqual([run.status, run.answer], ['failed', 'half of it'])
    assert.ok(!(await eventsOf(worker, run.id)).some(({ line }) => line.includes('That was all.')))
  })

  test('stopping reaches nested steps, keeps their messages, and starts no queued step', async () => {
    const inner = await world.save(chain(model('m'), says('o', '{{#m.text#}}')))
    const other = await world.save(chain(work('lined')))
    const ids = ['w1', 'w2', 'w3']
    const small = world.worker({ limits: { parallel: 1 } })
    const graph = flow(
      [
        node('w', 'workflow', { workflow_id: inner }),
        ...ids.map(id => node(id, 'workflow', { workflow_id: other })),
      ],
      ['input w', ...ids.map(id => `input ${id}`), 'w end'],
    )
    const { runId } = await small.start(graph)
    await begun('m')
    // The slot may have gone to some of the others first.
    const lined = world.script.countOf('lined')
    const stopped = await small.runs.stop(workspace, runId)
    assert.deepEqual([stopped.status, stopped.answer], ['stopped', 'half of it'])
    const started = world.script.starts.length
    await sleep(30)
    assert.deepEqual([world.script.starts.length, world.script.countOf('lined')], [started, lined])
    const steps = await small.runs.steps(workspace, runId)
    assert.equal(steps.find(({ path }) => path === 'w/child/m')?.status, 'stopped')
    assert.ok(steps.every(({ status }) => status !== 'running'))
  })

  test('the last message is stored before its subscriber learns that the run has stopped', async () => {
    const order: string[] = []
    const { messageSent, settled } = world.listener
    world.listener.messageSent = async (...given) => {
      await sleep(20)
      await messageSent.apply(world.listener, given)
      order.push('message')
    }
    world.listener.settled = async (...given) => {
      order.push('settled')
      await settled.apply(world.listener, given)
    }
    const { commit } = world.store
    const holding = Promise.withResolvers<void>()
    world.store.commit = async (lease, entry) => {
      if (entry.effects.some(({ name }) => name === 'slow')) await holding.promise
      return commit.call(world.store, lease, entry)
    }
    world.script.when('x', async step => {
      await world.script.gate('written').promise
      await Promise.all([step.once('slow', async () => 1), step.once('next', async () => 2)])
      return { outputs: {} }
    })
    const graph = flow(
      [model('m'), says('o', '{{#m.text#}}'), work('x')],
      ['input m', 'input x', 'm o', 'o end', 'x end'],
    )
    const { runId } = await worker.start(graph, { trigger: 'chat' })
    await begun('m')
    world.script.open('written')
    await sleep(10)
    const stopped = worker.runs.stop(workspace, runId)
    await sleep(10)
    holding.resolve()
    assert.equal((await stopped).status, 'stopped')
    assert.deepEqual(order, ['message', 'settled'])
  })

  test('a step whose memory is being stored is in the trace of a stopped run', async () => {
    const stored = Promise.withResolvers<void>()
    world.listener.remember = () => stored.promise
    const graph = chain(work('a', { assign: { x: 1 }, give: { text: 'done' } }), work('b'))
    const { runId, settled } = await worker.start(graph, { trigger: 'chat' })
    while (world.script.countOf('a') === 0) await sleep(1)
    await sleep(10)
    await worker.runs.stop(workspace, runId)
    stored.resolve()
    const { run } = await settled
    const steps = await worker.runs.steps(workspace, runId)
    assert.deepEqual(
      steps.map(({ path, status }) => [path, status]),
      [
        ['input', 'succeeded'],
        ['a', 'stopped'],
      ],
    )
    assert.equal(run.stepCount, 2)
  })

  test('a run of another process is stopped when that process renews its lease', async () => {
    const holder = world.worker({ leaseMilliseconds: 300 })
    holder.serve()
    const { runId } = await holder.start(chain(model('m'), says('o', '{{#m.text#}}')))
    await begun('m')
    const stopped = await world.worker().runs.stop(workspace, runId)
    assert.deepEqual([stopped.status, stopped.answer], ['stopped', 'half of it'])
  })

  test('a run that waits for a process is stopped at once, and its listener is notified', async () => {
    const holder = world.worker()
    holder.serve()
    const graph = chain(says('o', 'Hello.'), work('a', { hold: 'never' }))
    const { runId } = await holder.start(graph, { trigger: 'chat' })
    await begun('a')
    await holder.stop()
    assert.equal((await worker.runs.get(workspace, runId)).status, 'queued')
    assert.equal((await worker.runs.stop(workspace, runId)).status, 'stopped')
    assert.deepEqual(
      world.listener.settled_.map(({ status }) => status),
      ['stopped'],
    )
  })

  test('a run that was to stop when its process crashed is not continued by the next one', async () => {
    const dying = world.worker()
    const { runId } = await dying.start(chain(says('o', 'Hello.'), work('a', { hold: 'never' })), {
      trigger: 'chat',
    })
    await begun('a')
    await world.store.requestStop(workspace, runId, world.clock.now())
    await world.crash(dying)
    const { run } = await (await worker.claim(runId)).settled
    assert.deepEqual([run.status, run.answer, world.script.countOf('a')], ['stopped', 'Hello.', 1])
    assert.equal(world.listener.settled_.at(-1)?.status, 'stopped')
    const steps = await worker.runs.steps(workspace, runId)
    assert.ok(steps.every(({ status }) => status !== 'running'))
  })

  test('a waiting run that was to stop when the process crashed does not continue', async () => {
    const graph = chain(node('q', 'question', { question: 'Which?' }), work('after'))
    const { run } = await worker.run(graph)
    const dying = world.worker({ diesAt: point => point === 'claimWaiting done' })
    void dying.runs.stop(workspace, run.id)
    await dying.died
    await world.crash(dying)
    assert.equal((await (await world.worker().claim(run.id)).settled).run.status, 'stopped')
    assert.equal(world.script.countOf('after'), 0)
  })

  test('a workflow that calls itself is refused, directly or through others', async () => {
    const one = await world.save(chain(work('x')))
    const two = await world.save(chain(node('w', 'workflow', { workflow_id: one })))
    await world.save(chain(node('v', 'workflow', { workflow_id: two })), one)
    for (const id of [one, two]) {
      const { run } = await worker.run(id)
      assert.equal(run.status, 'failed')
      assert.match(run.error!.message, /calls itself/)
    }
  })

  test('more parallel nested workflows than slots do not deadlock', async () => {
    const inner = await world.save(chain(work('x', { give: { y: 1 } }), work('z', { give: { y: 2 } })))
    const middle = await world.save(chain(node('in', 'workflow', { workflow_id: inner })))
    const ids = Array.from({ length: 40 }, (_, index) => `w${index}`)
    const graph = flow(
      ids.map(id => node(id, 'workflow', { workflow_id: middle })),
      ids.flatMap(id => [`input ${id}`, `${id} end`]),
    )
    const { run } = await worker.run(graph)
    assert.deepEqual([run.status, world.script.countOf('z')], ['succeeded', 40])
  })

  test('the limit of sixteen concurrent steps includes nested steps', async () => {
    let now = 0
    let maxConcurrent = 0
    world.script.when('x', async () => {
      now += 1
      maxConcurrent = Math.max(maxConcurrent, now)
      await new Promise(resolve => setImmediate(resolve))
      now -= 1
      return { outputs: {} }
    })
    const wide = ['x'].concat(Array.from({ length: 5 }, (_, index) => `x${index}`))
    for (const id of wide.slice(1)) world.script.when(id, world.script.workOf('x')!)
    const inner = await world.save(
      flow(
        wide.map(id => work(id)),
        wide.flatMap(id => [`input ${id}`, `${id} end`]),
      ),
    )
    const items = Array.from({ length: 20 }, (_, index) => index)
    const ids = ['e1', 'e2']
    const graph = flow(
      ids.map(id => node(id, 'iteration', { items, workflow_id: inner, parallel: 10 })),
      ids.flatMap(id => [`input ${id}`, `${id} end`]),
    )
    const { run } = await worker.run(graph)
    assert.equal(run.status, 'succeeded', run.error?.message)
    assert.ok(maxConcurrent <= 16, `${maxConcurrent} at a time`)
  })
})
