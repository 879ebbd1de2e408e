import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GraphNode } from '../../../src/workflow/graph.ts'
import { StepFailure } from '../../../src/workflow/step.ts'
import { eachRunWorld, type RunWorld, type TestWorkerOptions, workspace } from '../../support/run-world.ts'
import { node } from '../graphs.ts'
import { chain, work } from './run-graphs.ts'

describe('a step that reaches a limit of its run', () => {
  let world: RunWorld
  eachRunWorld(made => {
    world = made
  })

  const text = (megabytes: number): string => 'x'.repeat(megabytes * 2 ** 20)
  const tooLarge = /outputs are too large/

  /** Runs these nodes, which return such texts. */
  async function run(nodes: GraphNode[], texts: Record<string, string>, options?: TestWorkerOptions) {
    for (const [id, each] of Object.entries(texts))
      world.script.when(id, async () => ({ outputs: { text: each } }))
    const worker = world.worker(options)
    const result = await worker.run(chain(...nodes))
    const steps = await worker.runs.steps(workspace, result.run.id)
    const found = (id: string) => steps.find(({ path }) => path === id)!
    return { run: result.run, step: (id: string) => [found(id).status, found(id).error?.message ?? ''] }
  }

  for (const rule of ['skip', 'branch', { default: 'none' }])
    test(`fails, and its rule ${JSON.stringify(rule)} lets the run continue`, async () => {
      const nodes = [work('a'), work('b'), work('c', { on_error: rule }), work('d')]
      const edges = { a: text(31), b: text(31), c: text(3), d: 'short' }
      const { run: ended, step } = await run(nodes, edges)
      assert.equal(ended.status, 'succeeded')
      assert.equal(step('c')[0], 'failed')
      assert.match(step('c')[1]!, tooLarge)
      assert.equal(step('d')[0], rule === 'skip' || rule === 'branch' ? 'skipped' : 'succeeded')
    })

  test('fails the run where even the error of its rule does not fit', async () => {
    const nodes = [work('a'), work('b', { on_error: 'branch' })]
    // Half of the memory is for one workspace, in blocks of 64 KiB; `a` leaves a few hundred bytes of it.
    const texts = { a: 'x'.repeat((128 << 10) / 2 - 450), b: 'x'.repeat(100_000) }
    const { run: ended } = await run(nodes, texts, { capacity: { memoryBytes: 256 << 10 } })
    assert.deepEqual([ended.status, ended.error?.reason, ended.error?.step], ['failed', 'rate_limited', 'b'])
  })

  test('fails with too many messages, and the rule of an output lets the run continue', async () => {
    const says = (id: string, answer: string, more = {}): GraphNode => node(id, 'output', { answer, ...more })
    const long = '{{#long.text#}}'
    const nodes = [
      work('long'),
      says('one', long),
      says('two', `${long}.`, { on_error: 'skip', voice: 'off' }),
    ]
    const { run: ended, step } = await run(nodes, { long: 'x'.repeat(500_000) })
    assert.equal(ended.status, 'succeeded')
    assert.match(step('two')[1]!, /more than 1 million characters/)
  })
})

describe('an iteration that needs nearly all steps of its run', () => {
  let world: RunWorld
  eachRunWorld(made => {
    world = made
  })

  /** As many steps as there are: two items with four nodes each. */
  const limits = { nestedSteps: 8 }

  async function iterationOver(asks: boolean): Promise<ReturnType<typeof chain>> {
    const inner = await world.save(
      chain(
        work('w'),
        asks ? node('q', 'question', { question: '{{#sys.item#}}?' }) : work('q', { hold: 'gate' }),
      ),
    )
    return chain(node('each', 'iteration', { items: ['a', 'b'], workflow_id: inner, parallel: 2 }))
  }

  test('continues after a question', async () => {
    const worker = world.worker({ limits })
    let { run } = await worker.run(await iterationOver(true))
    for (const text of ['one', 'two']) {
      assert.equal(run.status, 'waiting', run.error?.message)
      run = (await (await worker.resume(run.id, text)).settled).run
    }
    assert.equal(run.status, 'succeeded', run.error?.message)
  })

  test('continues after a shutdown of the server', async () => {
    const worker = world.worker({ limits })
    worker.serve()
    const { runId } = await worker.start(await iterationOver(false))
    while (world.script.countOf('q') < 2) await sleep(1)
    await worker.stop()
    world.script.open('gate')
    const { run } = await (await world.worker({ limits }).claim(runId)).settled
    assert.equal(run.status, 'succeeded', run.error?.message)
  })

  test('fails before its first item where there are fewer', async () => {
    const { run } = await world.worker({ limits: { nestedSteps: 7 } }).run(await iterationOver(true))
    assert.match(run.error?.message ?? '', /may take 8 steps/)
    assert.equal(world.script.countOf('w'), 0)
  })
})

describe('a step with an unexpected end', () => {
  let world: RunWorld
  eachRunWorld(made => {
    world = made
  })

  test('fails where its kind returns something else than an outcome', async () => {
    world.script.when('a', async () => undefined as never)
    const { run } = await world.worker().run(chain(work('a')))
    assert.deepEqual([run.status, run.error?.reason, run.error?.step], ['failed', 'internal', 'a'])
  })

  test('fails where the cause is an error whose message cannot be assigned, which has no secret then', async () => {
    const cause = new DOMException('The key is 0123456789', 'TimeoutError')
    world.script.when('a', async () => {
      throw new StepFailure('step_failed', 'With 0123456789', { cause })
    })
    const worker = world.worker({ secrets: { key: '0123456789' } })
    const { run } = await worker.run(chain(work('a', { header: '{{#secret.key#}}' })))
    assert.deepEqual([run.status, run.error?.message], ['failed', 'With •••'])
    assert.equal(cause.message, 'The key is •••')
    assert.doesNotMatch(cause.stack!, /0123456789/)
  })
})
