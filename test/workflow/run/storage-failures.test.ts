import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  eachRunWorld,
  eventsOf,
  type RunWorld,
  receivedText,
  type TestWorker,
  workspace,
} from '../../support/run-world.ts'
import { until } from '../../support/watch.ts'
import { node } from '../graphs.ts'
import { chain, model, says, work } from './run-graphs.ts'

describe('a database that refuses writes for a while', () => {
  let world: RunWorld
  eachRunWorld(made => {
    world = made
  })

  /** Refuses this many calls of these methods of the stores, or all of them until `end`. */
  function refuse(worker: TestWorker, methods: string[], times = Number.POSITIVE_INFINITY) {
    const outage = {
      refused: 0,
      end: () => {
        worker.refuses = () => false
      },
    }
    worker.refuses = point => {
      if (!methods.includes(point) || outage.refused >= times) return false
      outage.refused += 1
      return true
    }
    return outage
  }

  const started = (path: string, count: number): Promise<unknown> =>
    until(`start ${count} of ${path}`, async () => world.script.countOf(path) === count)

  test('delays a run, which does nothing twice and logs it', async () => {
    const worker = world.worker()
    const graph = chain(model('a', { hold: 'gate', write: ['x'] }), says('o', '{{#a.text#}}'), work('b'))
    const { runId, settled } = await worker.start(graph, { trigger: 'chat' })
    await started('a', 1)
    const outage = refuse(worker, ['commit', 'messageSent', 'put'], 7)
    world.script.open('gate')
    const { run } = await settled
    assert.deepEqual([run.status, run.claims, outage.refused], ['succeeded', 1, 7])
    assert.deepEqual(
      world.script.starts.map(start => start.node),
      ['input', 'a', 'o', 'b', 'end'],
    )
    assert.deepEqual(world.listener.texts, ['x'])
    assert.equal(receivedText(await eventsOf(worker, runId), 'o'), 'x')
    assert.ok(worker.warnings.length > 0, 'the failure is logged')
  })

  test('keeps a large output that could not be stored at first', async () => {
    const large = 'x'.repeat((1 << 20) + 1)
    const worker = world.worker()
    world.script.when('a', () => ({ outputs: { text: large } }))
    const { runId, settled } = await worker.start(
      chain(work('a'), work('b', { hold: 'gate', give: { same: '{{#a.text#}}' } })),
    )
    refuse(worker, ['put', 'commit'], 3)
    await started('b', 1)
    await world.crash(worker)
    settled.catch(() => {})
    world.script.open('gate')
    const { run } = await (await world.worker().claim(runId)).settled
    assert.deepEqual(JSON.parse(run.outputs!), { same: large })
  })

  test('holds a bounded amount of text meanwhile', async () => {
    const piece = 'y'.repeat(1 << 20)
    const worker = world.worker()
    world.script.when('m', async step => {
      step.write('first')
      await sleep(150)
      for (let index = 0; index < 40; index += 1) step.write(piece)
      return { outputs: { text: 'short' } }
    })
    const { runId, settled } = await worker.start(chain(model('m')))
    await started('m', 1)
    const outage = refuse(worker, ['commit'])
    await sleep(400)
    outage.end()
    assert.equal((await settled).run.status, 'succeeded')
    const batches = await world.store.events(workspace, runId, 0, 1000)
    assert.ok(batches.reduce((sum, { lines }) => sum + lines.length, 0) < 5 << 20)
  })

  test('given up several times, a run continues and is not taken for the cause of crashes', async () => {
    const worker = world.worker({ limits: { storageMilliseconds: 50 } })
    const inner = await world.save(chain(work('deep', { hold: 'gate' })))
    const graph = chain(
      work('a'),
      node('w', 'workflow', { workflow_id: inner }),
      work('b', { give: { x: 1 } }),
    )
    const { runId, settled } = await worker.start(graph)
    settled.catch(() => {})
    worker.serve()
    for (let round = 1; round <= 4; round += 1) {
      await started('deep', round)
      // The journal knows that it was started.
      await until('its record', async () =>
        (await world.store.steps(workspace, runId)).some(({ path }) => path === 'w/child/deep'),
      )
      const outage = refuse(worker, ['commit', 'release', 'claim', 'renew'])
      worker.live.find(runId)!.newSteps()
      world.script.starts.at(-1)!.step.write('x')
      await until('the end of the attempt', async () => !worker.live.find(runId))
      outage.end()
    }
    world.script.open('gate')
    const run = await worker.runs.settled(workspace, runId, AbortSignal.timeout(20_000))
    assert.deepEqual([run.status, run.outputs], ['succeeded', '{"x":1}'], run.error?.message)
    assert.equal(world.script.countOf('a'), 1)
  })

  test('does not fail a run that is recovered at that moment', async () => {
    const first = world.worker()
    const { runId, settled } = await first.start(chain(work('a', { hold: 'gate' }), work('b')))
    settled.catch(() => {})
    await started('a', 1)
    await world.crash(first)
    world.script.open('gate')
    const second = world.worker()
    refuse(second, ['steps', 'effects'], 3)
    const { run } = await (await second.claim(runId)).settled
    assert.equal(run.status, 'succeeded', run.error?.message)
  })

  test('does not fail a step that calls another workflow at that moment', async () => {
    const inner = await world.save(chain(says('o', 'inside')))
    const worker = world.worker()
    let refused = 0
    const { version, find } = world.workflows
    const { AppError } = await import('../../../src/kernel/app-error.ts')
    world.workflows.find = async (...given) => {
      refused += 1
      if (refused <= 2) throw new AppError('unavailable', 'The database cannot be reached right now')
      return find.apply(world.workflows, given)
    }
    world.workflows.version = version.bind(world.workflows)
    const { run } = await worker.run(chain(node('w', 'workflow', { workflow_id: inner })))
    assert.deepEqual([run.status, run.answer], ['succeeded', 'inside'], run.error?.message)
  })

  test('does not use up the attempts of a step', async () => {
    const { AppError } = await import('../../../src/kernel/app-error.ts')
    const { StepFailure } = await import('../../../src/workflow/step.ts')
    const down = new AppError('unavailable', 'The database cannot be reached right now')
    let calls = 0
    world.script.when('a', async () => {
      calls += 1
      if (calls <= 2) throw new StepFailure('unavailable', down.message, { cause: down })
      if (calls === 3) throw new StepFailure('model_failed', 'busy', { retryable: true })
      return { outputs: { x: 1 } }
    })
    const { run } = await world.worker().run(chain(work('a', { retry: { times: 1, delay_ms: 0 } })))
    assert.deepEqual([run.status, calls], ['succeeded', 4], run.error?.message)
  })

  test('an entry that can never be written fails the run once, with its reason in the log', async () => {
    const worker = world.worker()
    const { commit } = world.store
    world.store.commit = async (lease, entry) => {
      if (entry.steps.some(({ path, status }) => path === 'a' && status === 'succeeded'))
        throw new Error('value too long')
      return commit.call(world.store, lease, entry)
    }
    const { run } = await worker.run(chain(work('a'), work('b')))
    assert.deepEqual([run.status, run.error?.reason, run.claims], ['failed', 'internal', 1])
    assert.equal(world.script.countOf('a'), 1)
    assert.ok(worker.warnings.length > 0)
  })
})
