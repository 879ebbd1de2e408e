import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { mintId } from '../../../src/kernel/ids.ts'
import type { Graph } from '../../../src/workflow/graph.ts'
import type { RunResult } from '../../../src/workflow/run/run-listener.ts'
import { StepFailure } from '../../../src/workflow/step.ts'
import { rounds } from '../../support/rounds.ts'
import {
  eachRunWorld,
  eventsOf,
  RunWorld,
  receivedText,
  type TestWorker,
  workspace,
} from '../../support/run-world.ts'
import { edge, graph, node } from '../graphs.ts'
import { anyFlow } from './any-flow.ts'
import { chain, flow, model, says, work } from './run-graphs.ts'

describe('Rule 6', () => {
  let world: RunWorld
  eachRunWorld(made => {
    world = made
  })

  const storedSteps = async (runId: string): Promise<Record<string, string>> =>
    Object.fromEntries((await world.store.steps(workspace, runId)).map(({ path, status }) => [path, status]))

  test('Rule 6: the outcome of a step is in the journal before its successors start', async () => {
    let seen: Record<string, string> = {}
    world.script.when('b', async step => {
      seen = await storedSteps(step.runId)
      return { outputs: {} }
    })
    const graph = flow(
      [work('a', { give: { x: 1 } }), work('skipped'), node('if', 'branch', { case: 'no' }), work('b')],
      ['input a', 'input if', 'if skipped yes', 'a b', 'if b', 'skipped b', 'b end'],
    )
    assert.equal((await world.worker().run(graph)).run.status, 'succeeded')
    assert.deepEqual(seen, { input: 'succeeded', a: 'succeeded', if: 'succeeded', skipped: 'skipped' })
  })

  /** With its own database, so that no other worker claims runs left behind. */
  async function inWorld<Value>(work: (own: RunWorld) => Promise<Value>): Promise<Value> {
    const own = new RunWorld(world.database)
    try {
      return await work(own)
    } finally {
      await own.close()
    }
  }

  /** Runs workers in sequence, each until it crashes; the last one completes. */
  async function live(own: RunWorld, graph: Graph, deaths: readonly number[]) {
    const runId = mintId('run')
    const finished: Set<string>[] = []
    for (const [index, death] of [...deaths, Number.POSITIVE_INFINITY].entries()) {
      // Counts only while the run is active, not on later reads.
      let isMortal = true
      const worker: TestWorker = own.worker({ diesAt: (_, count) => isMortal && count === death })
      const settled: Promise<RunResult | undefined> =
        index === 0
          ? worker.start(graph, { trigger: 'chat', runId }).then(run => run.settled)
          : worker.claim(runId).then(task => task.settled)
      const result = await Promise.race([settled.catch(() => undefined), worker.died.then(() => undefined)])
      isMortal = false
      if (!worker.isDead && result) return { worker, result, runId, finished }
      await own.crash(worker)
      const run = await own.store.find(workspace, runId)
      // It crashed before anything was written, or after everything was.
      if (!run) return undefined
      if (run.finishedAt !== undefined) return undefined
      const steps = await own.store.steps(workspace, runId)
      finished.push(new Set(steps.filter(step => step.finishedAt !== undefined).map(step => step.path)))
    }
    return assert.fail('the last worker does not crash')
  }

  const undisturbed = (graph: Graph) =>
    inWorld(async own => {
      const worker = own.worker()
      const { run } = await worker.run(graph, { trigger: 'chat' })
      assert.equal(run.status, 'succeeded', run.error?.message)
      return { run, texts: own.listener.texts, points: worker.points.length }
    })

  function checkStarts(own: RunWorld, finished: readonly Set<string>[]): void {
    for (const { node: id, key } of own.script.starts) {
      const starts = own.script.starts.filter(start => start.node === id && start.attempt === 1)
      assert.ok(starts.length <= 2, `${id} was started ${starts.length} times`)
      assert.ok(starts.every(start => start.key === key && start.key.endsWith(`:${id}`)))
    }
    for (const [index, done] of finished.entries())
      for (const { node: id, worker } of own.script.starts)
        assert.ok(!(done.has(id) && worker > index + 1), `${id} had finished and was started again`)
  }

  test('Rule 6: killed at any point, a loop that changes memory ends in the same round', async () => {
    const body = chain(
      work('w', { once: 'note', give: {} }),
      node('keep', 'variable', { changes: [{ name: 'list', op: 'append', value: '{{#sys.index#}}' }] }),
      work('out', { give: { list: '{{#memory.list#}}' } }),
    )
    const looping = async (own: RunWorld): Promise<Graph> => {
      const when = [{ left: '{{#memory.list#}}', op: 'contains', right: 2 }]
      const data = { workflow_id: await own.save(body), variables: { list: [] }, until: { when } }
      return chain(node('again', 'loop', data))
    }
    const expected = { list: [0, 1, 2], result: { list: [0, 1, 2] }, rounds: 3, text: '' }
    const points = await inWorld(async own => {
      const worker = own.worker()
      const { run } = await worker.run(await looping(own), { trigger: 'chat' })
      assert.deepEqual(JSON.parse(run.outputs!), expected)
      return worker.points.length
    })
    const step = Math.ceil(points / rounds(15))
    for (let death = 2; death < points; death += step)
      await inWorld(async own => {
        const lived = await live(own, await looping(own), [death])
        if (!lived) return
        const { status, outputs, error } = lived.result.run
        assert.equal(status, 'succeeded', `${death}: ${error?.message}`)
        assert.deepEqual(JSON.parse(outputs!), expected, `killed at ${death}`)
        assert.deepEqual(own.listener.memory['list'], [0, 1, 2], `killed at ${death}`)
      })
  })

  test('Rule 6: killed at any point, a run ends as without a crash, and nothing is done twice', async () => {
    await fc.assert(
      fc.asyncProperty(anyFlow(), fc.nat(), async (graph, where) => {
        const expected = await undisturbed(graph)
        await inWorld(async own => {
          const lived = await live(own, graph, [2 + (where % (expected.points - 1))])
          if (!lived) return
          const { result, finished, worker, runId } = lived
          assert.equal(result.run.status, 'succeeded', result.run.error?.message)
          assert.deepEqual(JSON.parse(result.run.outputs!), JSON.parse(expected.run.outputs!))
          assert.equal(result.run.answer, expected.run.answer)
          assert.deepEqual(own.listener.texts, expected.texts)
          assert.equal(result.run.stepCount, expected.run.stepCount)
          checkStarts(own, finished)
          const events = await eventsOf(worker, runId)
          for (const [index, { seq }] of events.entries())
            assert.ok(index === 0 || seq > events[index - 1]!.seq)
          for (const { id, data } of graph.nodes)
            if (data['type'] === 'output') {
              const message = events.find(
                ({ event, line }) => event === 'message' && line.includes(`"node_id":"${id}"`),
              )
              const content = message
                ? String((JSON.parse(message.line) as Record<string, unknown>)['content'])
                : ''
              assert.equal(receivedText(events, id), content)
            }
        })
      }),
      { numRuns: rounds(15) },
    )
  })

  test('Rule 6: killed twice, it ends the same or names the step that was interrupted twice', async () => {
    let refused = 0
    await fc.assert(
      fc.asyncProperty(anyFlow(), fc.nat(), fc.nat({ max: 20 }), async (graph, where, next) => {
        const expected = await undisturbed(graph)
        await inWorld(async own => {
          const lived = await live(own, graph, [2 + (where % (expected.points - 1)), 3 + next])
          if (!lived) return
          const { result, finished } = lived
          checkStarts(own, finished)
          if (result.run.status === 'succeeded') {
            assert.equal(result.run.answer, expected.run.answer)
            assert.deepEqual(own.listener.texts, expected.texts)
            return
          }
          refused += 1
          assert.match(result.run.error!.message, /stopped twice/)
          assert.ok(finished.every(done => !done.has(result.run.error!.step!)))
        })
      }),
      { numRuns: rounds(10) },
    )
    assert.ok(refused < 40)
  })

  test('Rule 6: completed effects are not repeated after a crash', async () => {
    const graph = chain(work('a', { once: 'pay' }), work('b'))
    const first = world.worker()
    world.script.when('a', async step => {
      const paid = await step.once('pay', async () => {
        world.script.effects.push('paid')
        return { receipt: 7 }
      })
      if (world.script.countOf('a') === 1) {
        first.die()
        await new Promise(() => {})
      }
      return { outputs: { paid } }
    })
    const { runId } = await first.start(graph)
    await first.died
    await world.crash(first)
    const { run } = await (await world.worker().claim(runId)).settled
    assert.equal(run.status, 'succeeded')
    assert.deepEqual(world.script.effects, ['paid'])
    const a = (await world.store.steps(workspace, runId)).find(({ path }) => path === 'a')
    assert.equal(a?.outputs, '{"paid":{"receipt":7}}')
  })

  test('Rule 6: messages held back at a crash are sent after recovery, also those of nested workflows', async () => {
    const talker = node('talk', 'sayer', { say: 'spoken early' })
    const inner = await world.save(
      chain(talker, says('o', 'written early'), work('slow', { hold: 'inside' })),
    )
    for (const hold of ['never', 'inside']) {
      const own = new RunWorld(world.database)
      const first = node('first', 'sayer', { hold: 'first', say: 'first' })
      const graph = flow(
        [first, node('w', 'workflow', { workflow_id: inner }), talker],
        ['input first', 'first end', 'input w', 'w end', 'input talk', 'talk end'],
      )
      const worker = own.worker()
      own.script.open(...(hold === 'never' ? ['inside'] : []))
      const { runId } = await worker.start(graph, { trigger: 'chat' })
      const isThere = async (path: string) =>
        (await own.store.steps(workspace, runId)).some(
          step => step.path === path && step.status === 'succeeded',
        )
      const last = hold === 'never' ? ['w', 'talk'] : ['w/child/o', 'talk']
      for (const path of last) while (!(await isThere(path))) await sleep(1)
      assert.deepEqual(own.listener.texts, [])
      await own.crash(worker)
      own.script.open('first', 'inside')
      const { run } = await (await own.worker().claim(runId)).settled
      assert.equal(run.status, 'succeeded', run.error?.message)
      const [one, ...others] = own.listener.texts
      assert.deepEqual([one, others.sort()], ['first', ['spoken early', 'spoken early', 'written early']])
      await own.close()
    }
  })

  /** Starts a run and crashes when node `a` starts, before the journal has recorded it. */
  async function dieOverA(own: RunWorld, runId?: string): Promise<string> {
    const worker = own.worker({ diesAt: point => point === 'start of a' })
    const id = runId ?? (await worker.start(chain(work('a'), work('b')), { trigger: 'chat' })).runId
    if (runId !== undefined) await worker.claim(runId)
    await worker.died
    await own.crash(worker)
    return id
  }

  test('Rule 6: a step that was interrupted by two crashes is not started a third time, and the run fails with the reason', async () => {
    const runId = await dieOverA(world)
    await dieOverA(world, runId)
    const { run } = await (await world.worker().claim(runId)).settled
    assert.equal(run.status, 'failed')
    assert.deepEqual([run.error?.step, run.error?.reason], ['a', 'step_failed'])
    assert.match(run.error!.message, /stopped twice while this step ran\. Start the run again/)
    assert.equal(world.script.countOf('a'), 2)
    assert.deepEqual(
      world.listener.settled_.map(({ status }) => status),
      ['failed'],
    )
    assert.equal((await storedSteps(runId))['a'], 'stopped')
  })

  test('Rule 6: a crash over one step does not count against another', async () => {
    const runId = await dieOverA(world)
    const second = world.worker({ diesAt: point => point === 'start of b' })
    await second.claim(runId)
    await second.died
    await world.crash(second)
    const { run } = await (await world.worker().claim(runId)).settled
    assert.equal(run.status, 'succeeded')
    assert.deepEqual([world.script.countOf('a'), world.script.countOf('b')], [2, 2])
  })

  test('Rule 6: a graceful shutdown releases the runs and does not count as a crash', async () => {
    const graph = chain(model('a', { write: ['half', ' done'], hold: 'never' }), says('o', '{{#a.text#}}'))
    world.script.when('a', async step => {
      step.write('half')
      if (world.script.countOf('a') <= 4) await world.script.gate('never').promise
      step.write(' done')
      return { outputs: { text: 'half done' } }
    })
    let runId = ''
    for (let turn = 1; turn <= 4; turn += 1) {
      const worker = world.worker()
      if (turn === 1) runId = (await worker.start(graph, { trigger: 'chat' })).runId
      await worker.claim(runId)
      while (world.script.countOf('a') < turn) await sleep(1)
      await worker.stop()
      const run = await world.store.find(workspace, runId)
      assert.equal(run?.status, 'queued')
      assert.deepEqual([world.listener.texts, world.listener.settled_], [[], []])
    }
    const last = world.worker()
    const { run } = await (await last.claim(runId)).settled
    assert.deepEqual([run.status, run.answer, run.claims], ['succeeded', 'half done', 5])
    assert.deepEqual(world.listener.texts, ['half done'])
    assert.equal(receivedText(await eventsOf(last, runId), 'o'), 'half done')
    assert.equal(receivedText(await eventsOf(last, runId), 'a', false), 'half done')
  })

  test('Rule 6: a graceful shutdown does not count against queued and nested steps either', async () => {
    const inner = await world.save(chain(work('deep', { hold: 'gate' })))
    const ids = ['x', 'y', 'z']
    const graph = flow(
      [
        node('w', 'workflow', { workflow_id: inner }),
        work('later', { hold: 'later' }),
        ...ids.map(id => work(id, { hold: 'gate' })),
      ],
      ['input w', 'input later', ...ids.map(id => `later ${id}`), 'w end'],
    )
    const first = world.worker({ limits: { parallel: 3 } })
    const { runId } = await first.start(graph)
    first.serve()
    while (world.script.countOf('deep') === 0) await sleep(1)
    world.script.open('later')
    while (world.script.countOf('y') === 0) await sleep(1)
    assert.equal(world.script.countOf('z'), 0)
    await first.stop()
    for (const { path, status, starts } of await world.store.steps(workspace, runId))
      assert.deepEqual([path, starts], [path, status === 'running' ? 0 : 1])
    // One crash is allowed for each of them, including the steps that were queued before.
    const second = world.worker({ limits: { parallel: 16 } })
    await second.claim(runId)
    while (world.script.countOf('deep') < 2 || world.script.countOf('z') === 0) await sleep(1)
    await sleep(20)
    await world.crash(second)
    world.script.open('gate')
    const { run } = await (await world.worker().claim(runId)).settled
    assert.equal(run.status, 'succeeded', run.error?.message)
  })

  test('Rule 6: the first lease holder emits nothing after its lease is lost', async () => {
    const graph = chain(model('a', { hold: 'gate', write: ['x'] }), says('o', '{{#a.text#}}'), work('b'))
    const first = world.worker()
    const { runId, settled } = await first.start(graph, { trigger: 'chat' })
    while (world.script.countOf('a') === 0) await sleep(1)
    world.ahead += 60_000
    const second = world.worker()
    const task = await second.claim(runId)
    while (world.script.countOf('a') < 2) await sleep(1)
    world.script.open('gate')
    await assert.rejects(settled)
    assert.equal((await task.settled).run.status, 'succeeded')
    assert.deepEqual(
      world.script.starts.filter(({ worker }) => worker === 1).map(start => start.node),
      ['input', 'a'],
    )
    assert.deepEqual(
      [world.listener.texts, world.listener.settled_.map(({ status }) => status)],
      [['x'], ['succeeded']],
    )
    const lines = (await world.store.events(workspace, runId, 0, 1000)).flatMap(batch =>
      batch.lines.split('\n'),
    )
    assert.equal(lines.filter(line => line.includes('"event":"run.finished"')).length, 1)
  })

  test('Rule 6: a holder whose lease may have expired checks it before it reports an end', async () => {
    world.script.when('a', async () => {
      const isFirst = world.script.countOf('a') === 1
      await world.script.gate(isFirst ? 'first' : 'second').promise
      if (isFirst) throw new StepFailure('step_failed', 'only the first holder sees this')
      return { outputs: {} }
    })
    const { runId, settled } = await world.worker().start(chain(work('a')), { trigger: 'chat' })
    while (world.script.countOf('a') === 0) await sleep(1)
    world.ahead += 60_000
    const task = await world.worker().claim(runId)
    while (world.script.countOf('a') < 2) await sleep(1)
    world.script.open('first')
    await assert.rejects(settled)
    assert.deepEqual(world.listener.settled_, [])
    world.script.open('second')
    assert.equal((await task.settled).run.status, 'succeeded')
  })

  test('Rule 6: a process that lost the lease does not report a failure of the run', async () => {
    const inner = await world.save(chain(work('deep', { hold: 'gate' }), work('after')))
    const first = world.worker()
    world.script.when('bad', async () => {
      await world.script.gate('gate').promise
      if (world.script.countOf('bad') === 1) throw new Error('only the first holder sees this')
      return { outputs: {} }
    })
    const nodes = [node('w', 'workflow', { workflow_id: inner }), work('bad')]
    const edges = ['input', 'w', 'bad'].map((id, place) => edge(id, ['w', 'end', 'end'][place]!))
    const both = graph(
      [node('input', 'input'), ...nodes, node('end', 'end')],
      [...edges, edge('input', 'bad')],
    )
    const { runId, settled } = await first.start(both, { trigger: 'chat' })
    while (world.script.countOf('deep') === 0 || world.script.countOf('bad') === 0) await sleep(1)
    world.ahead += 60_000
    const task = await world.worker().claim(runId)
    while (world.script.countOf('deep') < 2 || world.script.countOf('bad') < 2) await sleep(1)
    world.script.open('gate')
    await assert.rejects(settled)
    assert.equal((await task.settled).run.status, 'succeeded')
    assert.deepEqual(
      world.listener.settled_.map(({ status }) => status),
      ['succeeded'],
    )
  })
})
