import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { atOnce } from '../../../src/kernel/slices.ts'
import type { Graph } from '../../../src/workflow/graph.ts'
import { type GraphLinks, type Link, linkGraph } from '../../../src/workflow/graph-links.ts'
import { Execution } from '../../../src/workflow/run/execution.ts'
import { planGraph } from '../../../src/workflow/run/plan.ts'
import { PreviousAttempt, type RunContext } from '../../../src/workflow/run/run-context.ts'
import { GraphState, Slots } from '../../../src/workflow/run/scheduler.ts'
import { RunSweep } from '../../../src/workflow/run/store/run-sweep.ts'
import type { SystemValues } from '../../../src/workflow/step.ts'
import { noJournal } from '../../support/no-journal.ts'
import { eachRunWorld, eventsOf, type RunWorld, type TestWorker, workspace } from '../../support/run-world.ts'
import { Script, scriptedKinds } from '../../support/scripted-kinds.ts'
import { chain, flow, model, says, work } from './run-graphs.ts'

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `n${index}`)
const long = (count: number): Graph => chain(...ids(count).map(id => work(id)), says('o', 'done'))
const wide = (count: number): Graph =>
  flow(
    [...ids(count).map(id => work(id)), says('o', 'done')],
    [...ids(count).flatMap(id => [`input ${id}`, `${id} o`]), 'o end'],
  )

describe('Rule 10', () => {
  let world: RunWorld
  let worker: TestWorker
  eachRunWorld(made => {
    world = made
    worker = world.worker()
  })

  /** Links that count accesses to lists of links and to single links. */
  function counted(links: GraphLinks): { links: GraphLinks; count: () => number } {
    let looks = 0
    const watched = (lists: readonly (readonly Link[])[]) =>
      lists.map(
        list =>
          new Proxy(list, {
            get: (target, name, receiver) => {
              looks += 1
              return Reflect.get(target, name, receiver) as unknown
            },
          }),
      )
    return {
      links: { size: links.size, outgoing: watched(links.outgoing), incoming: watched(links.incoming) },
      count: () => looks,
    }
  }

  async function looksOf(graph: Graph): Promise<number> {
    const script = new Script()
    const kinds = scriptedKinds(script, { number: 1, isDead: false, passes: () => {} })
    const plan = atOnce(planGraph(graph, kinds))
    const { links, count } = counted(plan.links)
    const context = {
      workspaceId: 'w',
      runId: 'r',
      clock: { now: () => 0 },
      journal: noJournal,
      slots: new Slots(16),
      previous: new PreviousAttempt(),
      unsent: new Map(),
      answered: undefined,
      questions: [],
      memory: {},
      remember: () => undefined,
      usage: { steps: 0, nestedSteps: 0 },
      limits: { nestedSteps: 0 },
    } as unknown as RunContext
    const noneInside = () => assert.fail('no workflow inside')
    const execution = new Execution({ ...plan, links }, context, {
      system: { query: '' } as SystemValues,
      prefix: '',
      deliver: emit => emit(),
      secrets: undefined,
      nested: { findPlan: noneInside, run: noneInside },
    })
    const end = await execution.run()
    assert.equal(end.status, 'succeeded')
    assert.equal(script.starts.length, graph.nodes.length)
    return count()
  }

  test('Rule 10: every edge is visited a constant number of times, in long and in wide graphs', async () => {
    for (const shape of [long, wide]) {
      const perEdge: number[] = []
      for (const size of [100, 1000, 2000]) {
        const graph = shape(size)
        perEdge.push((await looksOf(graph)) / (graph.nodes.length + graph.edges.length))
      }
      for (const each of perEdge) assert.ok(Math.abs(each - perEdge[0]!) < 0.2, perEdge.join(' '))
    }
  })

  test('Rule 10: skipping a long branch visits every edge once', () => {
    for (const size of [100, 2000]) {
      const graph = long(size)
      const places = new Map(graph.nodes.map((each, place) => [each.id, place]))
      const { links, count } = counted(linkGraph(graph, places))
      const state = new GraphState({ links, readers: [] })
      const before = count()
      assert.equal(state.settleEdges(0, null).skipped.length, size + 2)
      assert.ok((count() - before) / size < 8)
    }
  })

  test('Rule 10: the amount written per step does not grow with the number of steps', async () => {
    const perStep: number[] = []
    for (const size of [20, 200]) {
      const own = world.worker()
      assert.equal((await own.run(long(size))).run.status, 'succeeded')
      perStep.push(own.points.filter(point => point === 'commit').length / size)
    }
    assert.ok(perStep[1]! <= perStep[0]!, perStep.join(' '))
  })

  test('Rule 10: an output over 1 MiB is stored outside the journal and restored after a crash', async () => {
    const large = 'x'.repeat((1 << 20) + 1)
    world.script.when('a', () => ({ outputs: { text: large } }))
    const graph = chain(work('a'), work('b', { hold: 'gate' }), work('c', { give: { same: '{{#a.text#}}' } }))
    const { runId } = await worker.start(graph)
    while (world.script.countOf('b') === 0) await sleep(1)
    const stored = (await world.store.steps(workspace, runId)).find(({ path }) => path === 'a')
    assert.ok(stored!.outputs!.length < 100)
    await world.crash(worker)
    world.script.open('gate')
    const next = world.worker()
    const { run } = await (await next.claim(runId)).settled
    assert.deepEqual(JSON.parse(run.outputs!), { same: large })
    assert.ok((await world.store.find(workspace, runId))!.outputs!.length < 100)
    assert.deepEqual(JSON.parse((await next.runs.get(workspace, runId)).outputs!), { same: large })
    for (const { line } of await eventsOf(next, runId)) assert.ok(line.length < 20_000)
  })

  test('Rule 10: an output that looks like a reference to a large one is restored unchanged', async () => {
    const graph = chain(
      work('a', { give: { $kept: 'zzz' } }),
      work('b', { hold: 'gate', give: { x: '{{#a.$kept#}}' } }),
    )
    const { runId } = await worker.start(graph)
    while (world.script.countOf('b') === 0) await sleep(1)
    await world.crash(worker)
    world.script.open('gate')
    assert.equal((await (await world.worker().claim(runId)).settled).run.outputs, '{"x":"zzz"}')
  })

  test('Rule 10: deltas beyond 4 MiB are sent but not stored, and the step stores the whole text', async () => {
    const piece = 'y'.repeat(1 << 20)
    world.script.when('m', async step => {
      for (let index = 0; index < 6; index += 1) step.write(piece)
      return { outputs: { text: 'short' } }
    })
    const live = await worker.start(chain(model('m'), says('o', 'end')))
    let deltas = 0
    for await (const { event } of live.events(new AbortController().signal))
      if (event === 'node.delta') deltas += 1
    const { run } = await live.settled
    const kept = (await eventsOf(worker, run.id)).filter(({ line }) => line.includes('yyy'))
    assert.deepEqual([deltas >= 6, kept.length], [true, 3])
    assert.equal(run.outputs, '{"text":"end","result":"end"}')
  })

  test('Rule 10: old runs are deleted with all their rows, and active ones stay', async () => {
    const large = 'x'.repeat((1 << 20) + 1)
    world.script.when('a', step => ({ outputs: { text: large, once: step.attempt } }))
    const ended = await worker.run(chain(work('a'), work('b', { once: 'effect' })))
    const { runId, settled } = await worker.start(chain(work('c', { hold: 'gate' })))
    while (world.script.countOf('c') === 0) await sleep(1)
    const sweep = new RunSweep(world.database)
    while ((await sweep.sweepRuns(world.clock.now() + 1000, 100)) > 0);
    assert.equal(await world.store.find(workspace, ended.run.id), undefined)
    for (const table of ['run_steps', 'run_effects', 'run_events', 'run_contents'])
      assert.deepEqual(
        await world.database.all(`SELECT 1 AS one FROM ${table} WHERE run_id = ?`, ended.run.id),
        [],
        table,
      )
    world.script.open('gate')
    assert.equal((await settled).run.status, 'succeeded')
    assert.ok(await world.store.find(workspace, runId))
  })
})
