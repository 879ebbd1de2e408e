import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { StepFailure } from '../../../src/workflow/step.ts'
import { eachRunWorld, type RunWorld, type TestWorker } from '../../support/run-world.ts'
import { node } from '../graphs.ts'
import { chain, flow, says, work } from './run-graphs.ts'

describe('memory that a workflow inside a step has set', () => {
  let world: RunWorld
  let worker: TestWorker
  eachRunWorld(made => {
    world = made
    worker = world.worker()
  })

  const asks = (id: string) => node(id, 'question', { question: `${id}?` })
  const sets = (id: string, x: unknown) => node(id, 'variable', { assign: { x } })
  const runs = (id: string, workflow_id: string, more = {}) => node(id, 'workflow', { workflow_id, ...more })
  const answer = async (runId: string) => (await (await world.worker().resume(runId, 'yes')).settled).run

  /** A step that runs a workflow of a workflow that sets `x`. */
  const kinds: Record<string, () => Promise<ReturnType<typeof node>>> = {
    workflow: async () => {
      const inner = await world.save(chain(sets('deep', 'inner')))
      return runs('w', await world.save(chain(runs('m', inner))))
    },
    iteration: async () => {
      const inner = await world.save(chain(sets('deep', '{{#sys.item#}}')))
      return node('w', 'iteration', { items: ['outer', 'inner'], workflow_id: inner })
    },
    loop: async () => {
      const inner = await world.save(chain(sets('deep', 'inner')))
      return node('w', 'loop', { workflow_id: inner, max_rounds: 2 })
    },
  }
  for (const [kind, make] of Object.entries(kinds))
    for (const trigger of ['run', 'chat'] as const)
      test(`stays after a question and a crash (${kind}, ${trigger})`, async () => {
        const graph = chain(
          sets('v', 'outer'),
          await make(),
          asks('q'),
          work('z', { hold: 'gate' }),
          says('o', '{{#memory.x#}}'),
        )
        const { run } = await worker.run(graph, { trigger })
        const dying = world.worker()
        await dying.resume(run.id, 'yes')
        while (world.script.countOf('z') === 0) await sleep(1)
        await world.crash(dying)
        world.script.open('gate')
        const end = await (await world.worker().claim(run.id)).settled
        assert.equal(end.run.answer, 'inner')
      })

  test('stays while the step around it waits, or continues', async () => {
    const deep = await world.save(chain(sets('deep', 'inner')))
    const inner = await world.save(
      chain(runs('m', deep), asks('q'), work('b', { give: { b: '{{#memory.x#}}' } })),
    )
    const graph = flow(
      [sets('v', 'outer'), asks('p'), runs('w', inner), work('a', { give: { a: '{{#memory.x#}}' } })],
      ['input v', 'v p', 'v w', 'p a', 'a end', 'w end'],
    )
    const { run } = await worker.run(graph)
    assert.equal(run.waiting?.path, 'p')
    assert.equal((await answer(run.id)).waiting?.path, 'w/child/q')
    const outputs = JSON.parse((await answer(run.id)).outputs!) as Record<string, unknown>
    assert.deepEqual([outputs['a'], outputs['b']], ['inner', 'inner'])
  })

  test('is not read by a step around it when that continues', async () => {
    const inner = await world.save(chain(sets('deep', ['c']), asks('q'), says('o', '{{#sys.item#}}')))
    const each = node('each', 'iteration', { items: '{{#memory.x#}}', workflow_id: inner })
    let { run } = await worker.run(chain(sets('v', ['a', 'b']), each))
    while (run.status === 'waiting') run = await answer(run.id)
    assert.equal(run.outputs, '{"result":["a","b"],"errors":[]}')
  })

  test('does not replace a later value when the step around it is retried', async () => {
    world.script.when('flaky', async () => {
      if (world.script.countOf('flaky') > 1) return { outputs: {} }
      await world.script.gate('set').promise
      throw new StepFailure('step_failed', 'busy', { retryable: true })
    })
    world.script.when('late', async () => {
      while (world.script.countOf('flaky') === 0) await sleep(1)
      return { outputs: {} }
    })
    world.script.when('opens', () => {
      world.script.open('set')
      return { outputs: {} }
    })
    const inner = await world.save(chain(sets('deep', 'inner'), work('flaky')))
    const graph = flow(
      [
        runs('w', inner, { retry: { times: 1, delay_ms: 0 } }),
        ...[work('late'), sets('v', 'outer'), work('opens'), says('o', '{{#memory.x#}}')],
      ],
      ['input w', 'input late', 'late v', 'v opens', 'opens o', 'w o', 'o end'],
    )
    const { run } = await worker.run(graph)
    assert.deepEqual([run.status, run.answer], ['succeeded', 'outer'])
    assert.equal(world.script.countOf('flaky'), 2)
  })
})
