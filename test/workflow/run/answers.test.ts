import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Reply } from '../../../src/workflow/step.ts'
import { eachRunWorld, type RunWorld, reply, type TestWorker, workspace } from '../../support/run-world.ts'
import { node } from '../graphs.ts'
import { chain, says, work } from './run-graphs.ts'

describe('an answer with files or an action', () => {
  let world: RunWorld
  let worker: TestWorker
  eachRunWorld(made => {
    world = made
    worker = world.worker()
  })

  const file = (id: string) => ({ file_id: id, name: `${id}.png`, mime_type: 'image/png', size: 1 })
  const sent = (id: string): Reply => ({ text: '', files: [file(id)], action: `do ${id}` })
  const asks = (id: string) => node(id, 'question', { question: 'Which?' })
  const inputs = { query: 'hello', files: [file('one')], action: 'do one', more: {} }

  async function answer(runId: string, given: Reply, by = world.worker()) {
    return (await (await by.runs.resume(workspace, runId, given)).settled).run
  }

  /** The action and the files that every start of a node found in `sys`. */
  const seenBy = (id: string) =>
    world.script.starts
      .filter(start => start.node === id)
      .map(({ step: { system } }) => [system.action, ...system.files.map(each => each.file_id)].join(' '))

  test('is in the outputs of the question, and in sys from the question on', async () => {
    const graph = chain(
      work('a'),
      asks('q'),
      says('o', '{{#q.action#}}, {{#q.files.0.name#}}, {{#sys.action#}}, {{#sys.files.0.name#}}'),
      asks('r'),
      work('b'),
    )
    const { run } = await worker.run(graph, { inputs })
    const second = await answer(run.id, sent('two'))
    assert.equal(second.answer, 'do two, two.png, do two, two.png')
    assert.equal((await answer(run.id, reply('text'))).status, 'succeeded')
    assert.deepEqual(
      [...seenBy('a'), ...seenBy('o'), ...seenBy('b')],
      ['do one one', 'do two two one', 'do one one'],
    )
  })

  test('is still there after a crash', async () => {
    const { run } = await worker.run(chain(asks('q'), work('a', { hold: 'gate' })), { inputs })
    const dying = world.worker()
    await dying.runs.resume(workspace, run.id, sent('two'))
    while (world.script.countOf('a') === 0) await sleep(1)
    await world.crash(dying)
    world.script.open('gate')
    await (await world.worker().claim(run.id)).settled
    assert.deepEqual(seenBy('a'), ['do two two one', 'do two two one'])
  })

  test('reaches the workflow that asked, while the steps around it continue with what they began with', async () => {
    const inner = await world.save(chain(asks('q'), work('deep', { give: { of: '{{#sys.item.name#}}' } })))
    const plain = await world.save(chain(work('given')))
    const each = node('each', 'iteration', { items: '{{#sys.files#}}', workflow_id: inner, output: 'of' })
    const own = { workflow_id: plain, inputs: { files: '{{#sys.inputs.files#}}' } }
    const graph = chain(each, work('after'), node('w', 'workflow', own))
    const { run } = await worker.run(graph, { inputs: { ...inputs, files: [file('one'), file('1')] } })
    await answer(run.id, sent('two'))
    const end = await answer(run.id, sent('three'))
    assert.equal(end.status, 'succeeded', end.error?.message)
    const steps = await worker.runs.steps(workspace, run.id)
    const { outputs } = steps.find(({ path }) => path === 'each')!
    assert.deepEqual(JSON.parse(outputs!), { result: ['one.png', '1.png'], errors: [] })
    assert.deepEqual(seenBy('deep'), ['do two two one 1', 'do three three one 1'])
    assert.deepEqual(seenBy('after'), ['do three three one 1'])
    assert.deepEqual(seenBy('given'), ['do three one 1'])
  })
})
