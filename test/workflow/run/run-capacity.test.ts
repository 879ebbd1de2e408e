import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../src/kernel/app-error.ts'
import type { Graph } from '../../../src/workflow/graph.ts'
import { weightOf } from '../../../src/workflow/run/run-capacity.ts'
import { eachRunWorld, type RunWorld, type TestWorker, workspace } from '../../support/run-world.ts'
import { until } from '../../support/watch.ts'
import { node } from '../graphs.ts'
import { chain, work } from './run-graphs.ts'

const inputs = { query: '', files: [], action: '', more: {} }

describe('the capacity for live runs', () => {
  let world: RunWorld
  eachRunWorld(made => {
    world = made
  })

  const startIn = (worker: TestWorker, owner: string, graph: Graph) =>
    worker.runs.start(owner, { target: { graph }, trigger: 'run', inputs })

  const isRefused = (error: unknown): boolean => error instanceof AppError && error.reason === 'rate_limited'

  const started = (id: string, count: number): Promise<unknown> =>
    until(`start ${count} of ${id}`, async () => world.script.countOf(id) === count)

  test('one workspace never takes all slots, also with concurrent requests', async () => {
    const worker = world.worker({ capacity: { live: 16 } })
    const held = chain(work('a', { hold: 'gate' }))
    const results = await Promise.allSettled(Array.from({ length: 40 }, () => startIn(worker, 'one', held)))
    const refused = results.filter(result => result.status === 'rejected')
    assert.equal(results.length - refused.length, 8)
    for (const { reason } of refused) assert.ok(isRefused(reason), String(reason))
    assert.match((refused[0]!.reason as Error).message, /8 runs in progress/)
    const other = await startIn(worker, 'two', chain(work('b')))
    assert.equal((await other.settled).run.status, 'succeeded')
    world.script.open('gate')
    for (const result of results) if (result.status === 'fulfilled') await result.value.settled
    assert.equal(
      (await (await startIn(worker, 'one', chain(work('b')))).settled).run.status,
      'succeeded',
      'a place that was left is free again',
    )
  })

  test('a failed start releases its slot', async () => {
    const worker = world.worker({ capacity: { live: 4 } })
    for (let round = 0; round < 5; round += 1)
      await assert.rejects(worker.start('no such workflow'), { reason: 'not_found' })
    assert.equal((await worker.run(chain(work('a')))).run.status, 'succeeded')
  })

  const megabyte = 'x'.repeat(1 << 20)

  test('a run whose outputs do not fit fails and says so; another workspace is not affected', async () => {
    // Half of it for one workspace: 8 million characters weigh twice as much.
    const worker = world.worker({ capacity: { memoryBytes: 40 << 20 } })
    world.script.when('large', () => ({ outputs: { text: megabyte.repeat(4), size: 4 } }))
    const graph = chain(
      work('large'),
      work('wait', { hold: 'gate' }),
      work('read', { give: { size: '{{#large.size#}}' } }),
    )
    const runs = [await worker.start(graph), await worker.start(graph)]
    await started('wait', 2)
    const third = await worker.start(graph)
    const { run } = await third.settled
    assert.deepEqual([run.status, run.error?.reason, run.error?.step], ['failed', 'rate_limited', 'large'])
    assert.match(run.error!.message, /up to 20 MB/)
    const other = await startIn(worker, 'other', chain(work('large'), work('b')))
    assert.equal((await other.settled).run.status, 'succeeded')
    world.script.open('gate')
    for (const { settled } of runs) assert.equal((await settled).run.status, 'succeeded')
    assert.equal((await worker.run(graph)).run.status, 'succeeded', 'the memory is free again')
  })

  test('outputs that do not fit fail their step by its rule, also after it changed the memory of a conversation', async () => {
    const worker = world.worker({ capacity: { memoryBytes: 40 << 20 } })
    world.script.when('large', () => ({ outputs: { text: megabyte.repeat(4) } }))
    const keep = (id: string, more = {}) =>
      work(id, { assign: { x: 1 }, give: { text: '{{#large.text#}}' }, ...more })
    const end = work('end1', { give: { size: '{{#a.size#}}{{#large.size#}}' } })
    const graph = chain(work('large'), keep('a'), keep('b', { on_error: 'skip' }), end)
    const { run } = await worker.run(graph, { trigger: 'chat' })
    assert.equal(run.status, 'succeeded', run.error?.message)
    const step = (await worker.runs.steps(workspace, run.id)).find(({ path }) => path === 'b')
    assert.deepEqual([step?.status, step?.error?.reason], ['failed', 'rate_limited'])
    assert.equal(worker.warnings.length, 0)
  })

  test('outputs that no later step reads take no memory, and neither do steps of finished nested workflows', async () => {
    const worker = world.worker({ capacity: { memoryBytes: 40 << 20 } })
    world.script.when('large', () => ({ outputs: { text: megabyte.repeat(4), size: 4 } }))
    const inner = await world.save(chain(work('large'), work('small', { give: { x: 1 } })))
    const graph = chain(
      ...Array.from({ length: 4 }, (_, at) => node(`w${at}`, 'workflow', { workflow_id: inner })),
      work('last', { give: { x: '{{#w0.x#}}' } }),
    )
    const { run } = await worker.run(graph)
    assert.deepEqual([run.status, run.outputs], ['succeeded', '{"x":1}'], run.error?.message)
  })

  test('after a crash runs are recovered as far as there is memory, and the others when there is again', async () => {
    const first = world.worker()
    world.script.when('large', () => ({ outputs: { text: megabyte.repeat(4), size: 4 } }))
    const graph = chain(
      work('large'),
      work('wait', { hold: 'gate' }),
      work('read', { give: { size: '{{#large.size#}}' } }),
      work('done', { give: { x: 1 } }),
    )
    const ids: string[] = []
    for (let index = 0; index < 5; index += 1) {
      const { runId, settled } = await first.start(graph)
      settled.catch(() => {})
      ids.push(runId)
    }
    await started('wait', 5)
    await world.crash(first)
    const second = world.worker({ capacity: { memoryBytes: 40 << 20 } })
    second.serve()
    await started('wait', 7)
    await new Promise(resolve => setTimeout(resolve, 200))
    assert.equal(world.script.countOf('wait'), 7, 'two of five fit')
    world.script.open('gate')
    for (const id of ids) {
      const run = await second.runs.settled(workspace, id, AbortSignal.timeout(60_000))
      assert.deepEqual([run.status, run.outputs], ['succeeded', '{"x":1}'], run.error?.message)
    }
    assert.equal(world.script.countOf('large'), 5)
  })

  test('a run that can never fit again fails instead of waiting forever', async () => {
    const first = world.worker()
    world.script.when('large', () => ({ outputs: { text: megabyte.repeat(4), size: 4 } }))
    const { runId, settled } = await first.start(
      chain(
        work('large'),
        work('wait', { hold: 'gate' }),
        work('read', { give: { size: '{{#large.size#}}' } }),
      ),
    )
    settled.catch(() => {})
    await started('wait', 1)
    await world.crash(first)
    const small = world.worker({ capacity: { memoryBytes: 8 << 20 } })
    const { run } = await (await small.claim(runId)).settled
    assert.equal(run.status, 'failed')
    assert.match(run.error!.message, /up to 4 MB/)
  })
})

test('many short members weigh more than one long text', () => {
  const objects = JSON.stringify(Array.from({ length: 100_000 }, () => ({})))
  assert.ok(weightOf(objects) > 5_000_000)
  assert.equal(weightOf(JSON.stringify('x'.repeat(100))), 204)
})
