import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { StepFailure } from '../../../src/workflow/step.ts'
import {
  eachRunWorld,
  eventsOf,
  fieldsOf,
  type RunWorld,
  type TestWorker,
  workspace,
} from '../../support/run-world.ts'
import { node } from '../graphs.ts'
import { chain, flow, model, says, work } from './run-graphs.ts'

const quick = { times: 2, delay_ms: 0 }

describe('Rule 7', () => {
  let world: RunWorld
  let worker: TestWorker
  eachRunWorld(made => {
    world = made
    worker = world.worker()
  })

  const failures = async (runId: string) =>
    fieldsOf(await eventsOf(worker, runId))
      .filter(({ event }) => event === 'node.failed')
      .map(({ attempt, reason, will_retry: willRetry }) => [attempt, reason, willRetry])

  test('Rule 7: a step that exceeds its timeout fails and names the timeout', async () => {
    const { run } = await worker.run(chain(work('a', { hold: 'never', timeout_ms: 20 })))
    assert.deepEqual([run.status, run.error?.reason, run.error?.step], ['failed', 'timed_out', 'a'])
    assert.match(run.error!.message, /0\.02 seconds\. Raise timeout_ms/)
    const { signal } = world.script.stepOf('a')
    assert.ok(signal.aborted && signal.reason instanceof StepFailure)
  })

  test('Rule 7: a retryable failure is retried as often as the node allows', async () => {
    const good = await worker.run(chain(work('a', { fail: 2, retry: quick, give: { x: 1 } })))
    assert.deepEqual([good.run.status, world.script.countOf('a')], ['succeeded', 3])
    assert.deepEqual(await failures(good.run.id), [
      [1, 'step_failed', true],
      [2, 'step_failed', true],
    ])
    assert.equal((await worker.runs.steps(workspace, good.run.id))[1]?.attempts, 3)
    const bad = await worker.run(chain(work('b', { fail: 3, retry: quick })))
    assert.deepEqual([bad.run.status, world.script.countOf('b')], ['failed', 3])
    assert.deepEqual((await failures(bad.run.id)).at(-1), [3, 'step_failed', false])
  })

  test('Rule 7: a failure that is not retryable is not retried', async () => {
    world.script.when('a', () => {
      throw new StepFailure('step_failed', 'no such thing')
    })
    const { run } = await worker.run(chain(work('a', { retry: quick })))
    assert.deepEqual([run.error?.message, world.script.countOf('a')], ['no such thing', 1])
  })

  test('Rule 7: an unexpected error fails the step without its message, and is logged', async () => {
    world.script.when('a', () => {
      throw new TypeError('secret insides')
    })
    const { run } = await worker.run(chain(work('a', { retry: quick })))
    assert.deepEqual([run.error?.reason, world.script.countOf('a')], ['internal', 1])
    assert.ok(!JSON.stringify(run).includes('secret insides'))
    assert.equal(worker.warnings.length, 1)
  })

  test('Rule 7: outputs that are not JSON fail the step and not the server', async () => {
    const endless: Record<string, unknown> = {}
    endless['self'] = endless
    world.script.when('a', () => ({ outputs: endless }))
    world.script.when('b', async () => ({ outputs: endless, assign: { x: 1 } }))
    for (const id of ['a', 'b']) {
      const { run } = await worker.run(chain(work(id)))
      assert.equal(run.status, 'failed', id)
    }
    world.script.when('c', () => ({ outputs: endless }))
    const handled = await worker.run(chain(work('c', { on_error: { default: 'instead' } })))
    assert.equal(handled.run.outputs, '{"text":"instead","result":"instead"}')
  })

  test('Rule 7: Retry-After is honoured up to one minute', async () => {
    const times: number[] = []
    world.script.when('a', () => {
      times.push(performance.now())
      if (times.length > 1) return { outputs: {} }
      throw new StepFailure('step_failed', 'busy', { retryable: true, retryAfterMilliseconds: 60 })
    })
    assert.equal((await worker.run(chain(work('a', { retry: quick })))).run.status, 'succeeded')
    assert.ok(times[1]! - times[0]! >= 59)
    world.script.when('b', () => {
      throw new StepFailure('step_failed', 'busy', { retryable: true, retryAfterMilliseconds: 60_001 })
    })
    const { run } = await worker.run(chain(work('b', { retry: quick })))
    assert.deepEqual([run.status, world.script.countOf('b')], ['failed', 1])
  })

  test('Rule 7: a result that arrives after the timeout of its attempt is ignored', async () => {
    world.script.when('a', async step => {
      if (step.attempt > 1) {
        world.script.open('late')
        await sleep(5)
        step.write('new')
        return { outputs: { text: 'new' } }
      }
      await world.script.gate('late').promise
      step.write('old')
      step.restart()
      step.sendMessage({ dataType: 'action', content: 'old', fileIds: [] })
      return { outputs: { text: 'old' } }
    })
    const graph = chain(model('a', { timeout_ms: 10, retry: quick }), says('o', '{{#a.text#}}'))
    const { run, messages } = await worker.run(graph)
    assert.deepEqual([run.status, run.answer, messages.length], ['succeeded', 'new', 1])
    assert.equal(world.script.countOf('a'), 2)
  })

  test('Rule 7: on_error skip continues as if the step had been skipped', async () => {
    const graph = flow(
      [work('a', { fail: 9, on_error: 'skip' }), work('b'), work('c', { give: { x: '<{{#a.text#}}>' } })],
      ['input a', 'a b', 'b end', 'input c', 'a c', 'c end'],
    )
    const { run } = await worker.run(graph)
    assert.deepEqual([run.status, run.outputs], ['succeeded', '{"x":"<>"}'])
    const steps = await worker.runs.steps(workspace, run.id)
    const statusOf = (path: string) => steps.find(step => step.path === path)?.status
    assert.deepEqual([statusOf('a'), statusOf('b')], ['failed', 'skipped'])
  })

  test('Rule 7: on_error default replaces the outputs: a text, an object, a case, with references', async () => {
    const failing = (value: unknown) => work('a', { fail: 9, on_error: { default: value } })
    const text = await worker.run(chain(failing('sorry, {{#sys.query#}}')))
    assert.deepEqual(JSON.parse(text.run.outputs!), { text: 'sorry, hello', result: 'sorry, hello' })
    const object = await worker.run(chain(failing({ list: ['{{#sys.query#}}', 1], plain: true })))
    assert.deepEqual(JSON.parse(object.run.outputs!), { list: ['hello', 1], plain: true })
    const forked = flow(
      [
        node('if', 'branch', { fail: 9, cases: ['x', 'y'], on_error: { default: { case: 'y' } } }),
        work('x', { give: { took: 'x' } }),
        work('y', { give: { took: 'y' } }),
      ],
      ['input if', 'if x x', 'if y y', 'x end', 'y end'],
    )
    assert.deepEqual(JSON.parse((await worker.run(forked)).run.outputs!), { took: 'y' })
  })

  test('Rule 7: on_error branch takes the error edges, and only them, after a failure', async () => {
    const graph = (fail: number) =>
      flow(
        [
          work('a', { fail, on_error: 'branch', give: { x: 'fine' } }),
          says('good', 'good {{#a.x#}}'),
          says('bad', 'bad {{#a.error.reason#}}: {{#a.error.message#}}{{#a.x#}}'),
          work('always', { give: { both: true } }),
        ],
        ['input a', 'a good', 'a bad error', 'good always', 'bad always', 'always end'],
      )
    const failed = await worker.run(graph(9))
    assert.equal(failed.run.status, 'succeeded')
    assert.match(failed.run.answer!, /^bad step_failed: .+/)
    assert.equal(failed.run.outputs, '{"both":true}')
    const steps = await worker.runs.steps(workspace, failed.run.id)
    const statusOf = (path: string) => steps.find(step => step.path === path)?.status
    assert.deepEqual([statusOf('a'), statusOf('good'), statusOf('bad')], ['failed', 'skipped', 'succeeded'])
    assert.equal((await worker.run(graph(0))).run.answer, 'good fine')
    const forked = flow(
      [
        node('if', 'branch', { fail: 9, cases: ['x'], on_error: 'branch' }),
        work('x', { give: { took: 'x' } }),
        work('any', { give: { took: 'any' } }),
        work('e', { give: { took: 'error' } }),
      ],
      ['input if', 'if x x', 'if any', 'if e error', 'x end', 'any end', 'e end'],
    )
    assert.deepEqual(JSON.parse((await worker.run(forked)).run.outputs!), { took: 'error' })
  })

  test('A disabled node is passed over, and what follows it runs', async () => {
    const graph = flow(
      [
        work('a', { disabled: true, fail: 9, give: { x: 'never' } }),
        node('said', 'output', { answer: 'never', disabled: true }),
        node('if', 'branch', { disabled: true, case: 'x', cases: ['x'] }),
        work('x', { give: { took: 'x' } }),
        work('b', { give: { x: '<{{#a.x#}}>' } }),
      ],
      ['input a', 'a said', 'said b', 'b end', 'a if', 'if x x', 'x end'],
    )
    const { run } = await worker.run(graph)
    assert.deepEqual([run.status, run.outputs, run.answer ?? ''], ['succeeded', '{"x":"<>"}', ''])
    const steps = await worker.runs.steps(workspace, run.id)
    const statuses = Object.fromEntries(steps.map(({ path, status }) => [path, status]))
    assert.deepEqual(statuses, {
      input: 'succeeded',
      a: 'skipped',
      said: 'skipped',
      if: 'skipped',
      x: 'skipped',
      b: 'succeeded',
      end: 'succeeded',
    })
    assert.equal(world.script.countOf('a'), 0)
  })

  test('Rule 7: a run fails beyond the maximum number of nested steps; its own nodes do not count', async () => {
    const small = world.worker({ limits: { nestedSteps: 6 } })
    const inner = await world.save(chain(work('x')))
    const calls = (count: number) =>
      chain(
        ...Array.from({ length: count }, (_, at) => node(`w${at}`, 'workflow', { workflow_id: inner })),
        ...Array.from({ length: 10 }, (_, at) => work(`own${at}`)),
      )
    assert.equal((await small.run(calls(2))).run.status, 'succeeded')
    const more = await small.run(calls(3))
    assert.deepEqual([more.run.status, more.run.error?.step], ['failed', 'w2'])
    assert.match(more.run.error!.message, /took 6 steps/)
  })

  test('Rule 7: an iteration that may exceed the maximum fails before its first item', async () => {
    const small = world.worker({ limits: { nestedSteps: 30 } })
    const inner = await world.save(chain(work('x')))
    const items = Array.from({ length: 11 }, (_, index) => index)
    const each = (some: number[]) => chain(node('each', 'iteration', { items: some, workflow_id: inner }))
    const { run } = await small.run(each(items))
    assert.match(run.error!.message, /11 items of a workflow with 3 nodes may take 33 steps.*only 30 left/)
    assert.equal(world.script.countOf('x'), 0)
    assert.equal((await small.run(each(items.slice(1)))).run.status, 'succeeded')
  })

  test('Rule 7: a loop fails in the round that exceeds the maximum, and may end before it', async () => {
    const small = world.worker({ limits: { nestedSteps: 9 } })
    const inner = await world.save(chain(work('x')))
    const until = (index: number) => ({ when: [{ left: '{{#loop.index#}}', op: 'equals', right: index }] })
    const again = (index: number) =>
      chain(node('again', 'loop', { workflow_id: inner, max_rounds: 100, until: until(index) }))
    assert.equal((await small.run(again(2))).run.status, 'succeeded')
    const { run } = await small.run(again(3))
    assert.deepEqual([run.status, run.error?.step], ['failed', 'again'])
    assert.match(run.error!.message, /took 9 steps/)
  })

  test('Rule 7: a step that asks several times counts as one step', async () => {
    const small = world.worker({ limits: { nestedSteps: 0 } })
    world.script.when('a', step =>
      world.script.countOf('a') < 5
        ? { wait: { question: 'again?', state: 1 } }
        : { outputs: { heard: step.resumed?.reply.text } },
    )
    let { run } = await small.run(chain(node('a', 'asker')))
    for (let turn = 1; run.status === 'waiting'; turn += 1) {
      const live = await small.runs.resume(workspace, run.id, { text: `r${turn}`, files: [], action: '' })
      run = (await live.settled).run
    }
    assert.deepEqual([run.status, run.stepCount, run.outputs], ['succeeded', 3, '{"heard":"r4"}'])
  })

  test('Rule 7: a run fails at its time limit and keeps the text that a model had written', async () => {
    const small = world.worker({ limits: { milliseconds: 2000 } })
    world.script.when('a', async step => {
      step.write('so far')
      await world.script.gate('never').promise
      return { outputs: {} }
    })
    const graph = chain(model('a'), says('o', 'It says: {{#a.text#}}'))
    const { run, messages } = await small.run(graph)
    assert.deepEqual([run.status, run.error?.reason], ['failed', 'timed_out'])
    assert.equal(run.answer, 'It says: so far')
    assert.equal(messages[0]?.content, run.answer)
    const a = (await small.runs.steps(workspace, run.id)).find(({ path }) => path === 'a')
    assert.deepEqual([a?.status, a?.outputs], ['stopped', '{"text":"so far","result":"so far"}'])
  })

  test('Rule 7: nested workflows that fail release their slots', async () => {
    const inner = await world.save(
      flow(
        [work('bad', { fail: 9 }), work('slow', { hold: 'never' })],
        ['input bad', 'input slow', 'bad end', 'slow end'],
      ),
    )
    const items = Array.from({ length: 40 }, (_, index) => index)
    const each = node('each', 'iteration', { items, workflow_id: inner, on_error: 'skip', parallel: 3 })
    const { run } = await worker.run(
      flow([each, work('b', { give: { x: 1 } })], ['input each', 'input b', 'each b', 'b end']),
    )
    assert.deepEqual([run.status, run.outputs], ['succeeded', '{"x":1}'])
    assert.equal(world.script.countOf('bad'), 40)
  })

  test('Rule 7: a retried nested workflow continues after its finished steps', async () => {
    const inner = await world.save(
      chain(work('done', { give: { x: 1 } }), says('o', 'done {{#done.x#}}'), work('slow', { hold: 'slow' })),
    )
    const outer = chain(
      node('w', 'workflow', { workflow_id: inner, timeout_ms: 2000, retry: { times: 5, delay_ms: 0 } }),
    )
    world.script.when('slow', async () => {
      if (world.script.countOf('slow') === 1) await world.script.gate('never').promise
      return { outputs: { y: 2 } }
    })
    const { run, messages } = await worker.run(outer)
    assert.equal(run.status, 'succeeded', run.error?.message)
    assert.equal(world.script.countOf('done'), 1)
    // On a slow machine, the second attempt may reach the timeout, too.
    assert.ok(world.script.countOf('slow') >= 2)
    assert.deepEqual([run.answer, messages.map(({ content }) => content)], ['done 1', ['done 1']])
  })

  test('Rule 7: a temporary failure inside a workflow is retried by the node around it', async () => {
    for (const kind of ['workflow', 'iteration', 'loop']) {
      const inner = await world.save(
        chain(work(`done-${kind}`), model(`bad-${kind}`), says('o', `said {{#bad-${kind}.text#}}`)),
      )
      world.script.when(`bad-${kind}`, async step => {
        step.write('half')
        if (world.script.countOf(`bad-${kind}`) < 3)
          throw new StepFailure('step_failed', 'busy', { retryable: true })
        step.restart()
        step.write('all')
        return { outputs: { text: 'all' } }
      })
      const data = { workflow_id: inner, items: ['x'], max_rounds: 1, retry: quick }
      const { run, messages } = await worker.run(chain(node('w', kind, data)))
      assert.equal(run.status, 'succeeded', run.error?.message)
      const counts = [world.script.countOf(`done-${kind}`), world.script.countOf(`bad-${kind}`)]
      assert.deepEqual(counts, [1, 3], kind)
      const sent = kind === 'workflow' ? ['said all'] : []
      assert.deepEqual(
        messages.map(({ content }) => content),
        sent,
      )
    }
  })
})
