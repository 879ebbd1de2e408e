import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenQuestion } from '../../../src/workflow/run/store/run-records.ts'
import { StepFailure } from '../../../src/workflow/step.ts'
import { eachRunWorld, RunWorld, reply, type TestWorker, workspace } from '../../support/run-world.ts'
import { node } from '../graphs.ts'
import { chain, flow, model, says, work } from './run-graphs.ts'

describe('a run that asks the user', () => {
  let world: RunWorld
  let worker: TestWorker
  eachRunWorld(made => {
    world = made
    worker = world.worker()
  })

  const asks = (id: string, question: string) => node(id, 'question', { question })

  /** The current question of a run. */
  const questionOf = (waiting: OpenQuestion | undefined): [string, string] => {
    const { path, question } = waiting!
    return [path, question]
  }

  async function answer(by: TestWorker, runId: string, text: string) {
    return (await by.resume(runId, text, `chat of ${text}`)).settled
  }

  test('waits without a time limit and resumes in any process', async () => {
    const graph = chain(work('before', { give: { x: 1 } }), asks('q', 'Which?'), says('o', '{{#q.answer#}}'))
    const { run } = await worker.run(graph, { trigger: 'chat' })
    assert.deepEqual([run.status, questionOf(run.waiting)], ['waiting', ['q', 'Which?']])
    const other = world.worker()
    const end = await answer(other, run.id, 'tea')
    assert.deepEqual([end.run.status, end.run.answer], ['succeeded', 'tea'])
    assert.deepEqual(world.script.begun, ['input', 'before', 'q', 'q', 'o', 'end'])
    assert.deepEqual(
      world.listener.settled_.map(({ status }) => status),
      ['waiting', 'succeeded'],
    )
    await assert.rejects(other.runs.resume(workspace, run.id, reply('again')), /is not waiting/)
  })

  test('asks two questions one after the other, each for its own step', async () => {
    const graph = flow(
      [asks('a', 'A?'), asks('b', 'B?'), work('join', { give: { all: '{{#a.answer#}}+{{#b.answer#}}' } })],
      ['input a', 'input b', 'a join', 'b join', 'join end'],
    )
    const first = await worker.run(graph)
    assert.deepEqual(questionOf(first.run.waiting), ['a', 'A?'])
    const second = await answer(worker, first.run.id, 'one')
    assert.deepEqual([second.run.status, questionOf(second.run.waiting)], ['waiting', ['b', 'B?']])
    const { run } = await answer(worker, first.run.id, 'two')
    assert.equal(run.outputs, '{"all":"one+two"}')
  })

  test('asks again after an insufficient answer, and keeps its state', async () => {
    world.script.when('a', step => {
      const { state = 0, reply } = (step.resumed ?? {}) as { state?: number; reply?: { text: string } }
      step.spend({ promptTokens: 1, completionTokens: 10, model: 'm' })
      if (state === 2) return { outputs: { got: reply?.text } }
      return { wait: { question: `question ${state + 1}`, state: state + 1 } }
    })
    const first = await worker.run(chain(node('a', 'asker')))
    const second = await answer(worker, first.run.id, 'x')
    assert.deepEqual(questionOf(second.run.waiting), ['a', 'question 2'])
    const { run } = await answer(worker, first.run.id, 'y')
    assert.deepEqual([run.outputs, run.promptTokens, run.completionTokens], ['{"got":"y"}', 3, 30])
  })

  /** Asks once, and fails with the answer as often as told. */
  function failsAfterAsking(times: number): void {
    let left = times
    world.script.when('a', step => {
      if (!step.resumed) return { wait: { question: 'Which?', options: ['x', 'y'], state: { kept: 1 } } }
      if (left-- > 0) throw new StepFailure('model_failed', 'busy', { retryable: true })
      return { outputs: { got: [step.resumed.state, step.resumed.reply.text] } }
    })
  }
  const asker = (more: object = {}) => node('a', 'asker', { retry: { times: 1, delay_ms: 0 }, ...more })
  const chat = { trigger: 'chat' } as const

  test('keeps its state when an answer is tried again', async () => {
    failsAfterAsking(1)
    const first = await worker.run(chain(asker()), chat)
    assert.equal((await answer(worker, first.run.id, 'x')).run.outputs, '{"got":[{"kept":1},"x"]}')
  })

  for (const isNested of [false, true])
    test(`of a conversation waits again when the answer fails for the moment, nested: ${isNested}`, async () => {
      failsAfterAsking(4)
      const inner = chain(asker())
      const graph = isNested ? chain(node('w', 'workflow', { workflow_id: await world.save(inner) })) : inner
      const first = await worker.run(graph, chat)
      for (const text of ['x', 'y']) {
        const { run, messages } = await answer(world.worker(), first.run.id, text)
        assert.deepEqual([run.status, run.waiting?.options, messages], ['waiting', ['x', 'y'], []])
        const { status, waiting } = world.listener.settled_.at(-1)!
        assert.deepEqual([status, waiting?.failure?.reason], ['waiting', 'model_failed'])
      }
      const { run } = await answer(world.worker(), first.run.id, 'z')
      assert.equal(run.status, 'succeeded')
      assert.deepEqual(JSON.parse(run.outputs!).got, [{ kept: 1 }, 'z'])
      assert.deepEqual(world.listener.texts, ['Which?'])
    })

  test('fails with an answer that fails where its rule, or the caller of the run, handles that', async () => {
    for (const [rule, more] of [
      [{ on_error: { default: { got: 'nothing' } } }, chat],
      [{ retry: { times: 0 } }, {}],
    ] as const) {
      failsAfterAsking(2)
      const first = await worker.run(chain(asker(rule)), more)
      const { run } = await answer(worker, first.run.id, 'x')
      assert.notEqual(run.status, 'waiting')
    }
  })

  test('asks from a nested workflow, whose finished steps do not run again', async () => {
    const inner = await world.save(
      chain(says('hi', 'Hi.'), asks('q', 'Deep?'), work('deep', { give: { got: '{{#q.answer#}}' } })),
    )
    const middle = await world.save(chain(node('m', 'workflow', { workflow_id: inner })))
    const graph = chain(node('w', 'workflow', { workflow_id: middle }))
    const first = await worker.run(graph)
    assert.deepEqual(questionOf(first.run.waiting), ['w/child/m/child/q', 'Deep?'])
    assert.equal(first.run.answer, 'Hi.')
    const { run, messages } = await answer(world.worker(), first.run.id, 'yes')
    assert.equal((JSON.parse(run.outputs!) as Record<string, unknown>)['got'], 'yes')
    assert.deepEqual([run.answer, messages, world.script.countOf('hi')], ['Hi.', [], 1])
  })

  test('counts what finished steps have used, also inside another workflow, when it continues or is stopped', async () => {
    const inner = await world.save(chain(node('paid', 'asker')))
    world.script.when('paid', step => {
      step.spend({ promptTokens: 3, completionTokens: 4, cost: 0.5, model: 'm' })
      return { outputs: {} }
    })
    const graph = chain(node('w', 'workflow', { workflow_id: inner }), asks('q', 'Which?'))
    for (const isStopped of [false, true]) {
      const { run } = await worker.run(graph)
      if (isStopped) await worker.runs.stop(workspace, run.id)
      else await answer(world.worker(), run.id, 'tea')
      const end = await worker.runs.get(workspace, run.id)
      assert.deepEqual([end.promptTokens, end.completionTokens, end.cost], [3, 4, 0.5], end.status)
    }
  })

  test('counts what a step inside another workflow used before it was repeated, when it continues', async () => {
    world.script.when('spends', async step => {
      step.spend({ promptTokens: 1, completionTokens: 10, model: 'm' })
      if (world.script.countOf('spends') === 1)
        throw new StepFailure('model_failed', 'busy', { retryable: true })
      return { outputs: {} }
    })
    const inner = await world.save(chain(work('spends')))
    const nested = node('w', 'workflow', { workflow_id: inner, retry: { times: 1, delay_ms: 0 } })
    const first = await worker.run(chain(nested, asks('q', 'Which?')))
    assert.deepEqual(
      [first.run.status, first.run.completionTokens],
      ['waiting', 20],
      first.run.error?.message,
    )
    const { run } = await answer(worker, first.run.id, 'tea')
    assert.deepEqual([run.promptTokens, run.completionTokens], [2, 20])
  })

  test('asks from an iteration, once for every item', async () => {
    const inner = await world.save(
      chain(
        work('w', { give: { item: '{{#sys.item#}}' } }),
        asks('q', '{{#sys.item#}}?'),
        says('o', '{{#sys.item#}}={{#q.answer#}}'),
      ),
    )
    const each = node('each', 'iteration', { items: ['a', 'b', 'c'], workflow_id: inner, parallel: 2 })
    let { run } = await worker.run(chain(each))
    const asked: string[] = []
    while (run.status === 'waiting') {
      const [, question] = questionOf(run.waiting)
      asked.push(question)
      run = (await answer(world.worker(), run.id, question.toUpperCase())).run
    }
    assert.deepEqual(asked.sort(), ['a?', 'b?', 'c?'])
    const { result } = JSON.parse(run.outputs!) as { result: string[] }
    assert.deepEqual(result, ['a=A?', 'b=B?', 'c=C?'])
    assert.equal(world.script.countOf('w'), 3)
  })

  test('asks from several workflows side by side, one question after the other', async () => {
    const inner = await world.save(chain(says('o', 'Hello'), asks('q', '{{#sys.query#}}?')))
    const middle = await world.save(
      chain(
        node('again', 'loop', { workflow_id: inner, inputs: { query: '{{#sys.item#}}' }, max_rounds: 2 }),
      ),
    )
    const graph = flow(
      [
        node('one', 'workflow', { workflow_id: inner, inputs: { query: 'one' } }),
        node('two', 'workflow', { workflow_id: inner, inputs: { query: 'two' } }),
        node('each', 'iteration', { items: ['a', 'b'], workflow_id: middle }),
      ],
      ['input one', 'input two', 'input each', 'one end', 'two end', 'each end'],
    )
    let { run } = await worker.run(graph)
    const asked: string[] = []
    while (run.status === 'waiting') {
      assert.equal(run.answer, 'Hello\n\nHello')
      asked.push(questionOf(run.waiting)[1])
      run = (await answer(world.worker(), run.id, 'yes')).run
    }
    assert.equal(run.status, 'succeeded', run.error?.message)
    assert.deepEqual(asked.sort(), ['a?', 'a?', 'b?', 'b?', 'one?', 'two?'])
  })

  test('does not run a failed item of an iteration again when another one was answered', async () => {
    const inner = await world.save(
      flow(
        [
          node('if', 'branch', { case: '{{#sys.item#}}', cases: ['bad', 'ask'] }),
          work('bad', { fail: 9 }),
          asks('q', '{{#sys.index#}}?'),
        ],
        ['input if', 'if bad bad', 'if q ask', 'bad end', 'q end'],
      ),
    )
    const each = node('each', 'iteration', { items: ['bad', 'ask', 'ask'], workflow_id: inner, parallel: 3 })
    let { run } = await worker.run(chain(each))
    while (run.status === 'waiting') run = (await answer(world.worker(), run.id, 'yes')).run
    assert.equal(run.status, 'succeeded', run.error?.message)
    const { result, errors } = JSON.parse(run.outputs!) as { result: unknown[]; errors: object[] }
    assert.deepEqual([result[0], errors.length, world.script.countOf('bad')], [null, 1, 1])
  })

  test('remembers after an answer that an item succeeded in a later attempt', async () => {
    world.script.when('flaky', () => {
      if (world.script.countOf('flaky') === 1)
        throw new StepFailure('step_failed', 'busy', { retryable: true })
      return { outputs: { result: 'fine' } }
    })
    world.script.when('slow', async step => {
      if (step.resumed) return { outputs: { answer: step.resumed.reply.text } }
      // The node around it times out, and is tried again.
      if (world.script.countOf('slow') === 1) await once(step.signal, 'abort')
      return { wait: { question: 'Which?', state: null } }
    })
    const inner = await world.save(
      flow(
        [
          node('if', 'branch', { case: '{{#sys.item#}}', cases: ['flaky', 'slow'] }),
          work('flaky'),
          node('slow', 'asker'),
        ],
        ['input if', 'if flaky flaky', 'if slow slow', 'flaky end', 'slow end'],
      ),
    )
    const each = node('each', 'iteration', {
      ...{ items: ['flaky', 'slow'], workflow_id: inner, parallel: 2 },
      ...{ timeout_ms: 100, retry: { times: 9, delay_ms: 0 } },
    })
    const first = await worker.run(chain(each))
    assert.equal(first.run.status, 'waiting', first.run.error?.message)
    const { run } = await answer(world.worker(), first.run.id, 'yes')
    assert.deepEqual(JSON.parse(run.outputs!).errors, [])
    assert.equal(world.script.countOf('flaky'), 2)
  })

  test('asks from a loop, and continues with the round that asked', async () => {
    const inner = await world.save(
      chain(
        work('w', { give: { kept: 1 } }),
        asks('q', 'round {{#sys.index#}}?'),
        work('out', {
          give: { said: '{{#sys.inputs.said#}} {{#q.answer#}}' },
        }),
      ),
    )
    const again = node('again', 'loop', {
      workflow_id: inner,
      variables: { said: 'so:' },
      until: { when: [{ left: '{{#loop.said#}}', op: 'ends_with', right: 'stop' }] },
    })
    let { run } = await worker.run(chain(again))
    for (const words of ['one', 'two', 'stop']) {
      assert.equal(run.status, 'waiting')
      run = (await answer(world.worker(), run.id, words)).run
    }
    const { said, rounds } = JSON.parse(run.outputs!) as Record<string, unknown>
    assert.deepEqual([said, rounds], ['so: one two stop', 3])
    assert.equal(world.script.countOf('w'), 3, 'no round is run again')
  })

  test('keeps the answer when the process crashes, whether or not the journal knows of the step', async () => {
    const isKnown = [false, true]
    for (const known of isKnown) {
      const id = known ? 'known' : 'unknown'
      world.script.when(id, async step => {
        if (!step.resumed) return { wait: { question: '?', state: { kept: 1 } } }
        if (world.script.countOf(id) === 2) await world.script.gate('never').promise
        return { outputs: { got: step.resumed.reply.text, state: step.resumed.state } }
      })
      const { run } = await world.worker().run(chain(node(id, 'asker')))
      const dying = world.worker()
      await dying.resume(run.id, 'precious')
      while (world.script.countOf(id) < 2) await sleep(1)
      const stateOf = async () =>
        (await world.store.steps(workspace, run.id)).find(({ path }) => path === id)?.status
      while (known && (await stateOf()) !== 'running') await sleep(5)
      await world.crash(dying)
      const end = await (await world.worker().claim(run.id)).settled
      assert.equal(end.run.outputs, '{"got":"precious","state":{"kept":1}}')
      await world.close()
    }
  })

  test('asks once and resumes when killed while it starts to wait', async () => {
    const graph = chain(
      says('o', 'Hello.'),
      asks('q', 'Which?'),
      work('z', { give: { got: '{{#q.answer#}}' } }),
    )
    const points = world.worker()
    await points.run(graph, { trigger: 'chat' })
    for (let death = 2; death <= points.points.length; death += 1) {
      const own = new RunWorld(world.database)
      const dying = own.worker({ diesAt: (_, count) => count === death })
      const runId = `run_waiting_${death}`
      const begun = dying.start(graph, { trigger: 'chat', runId }).then(run => run.settled)
      await Promise.race([begun.catch(() => {}), dying.died])
      await own.crash(dying)
      if ((await own.store.find(workspace, runId))?.status === 'running')
        await (await own.worker().claim(runId)).settled
      assert.deepEqual(own.listener.texts, ['Hello.', 'Which?'], `killed at ${points.points[death - 1]}`)
      assert.equal((await answer(own.worker(), runId, 'tea')).run.outputs, '{"got":"tea"}')
      await own.close()
    }
  })

  test('asks after a crash while the subscriber was slow to store the question', async () => {
    const { listener } = world
    const stored = listener.messageSent.bind(listener)
    const asked = Promise.withResolvers<void>()
    listener.messageSent = () => {
      asked.resolve()
      return new Promise(() => {})
    }
    const { runId } = await worker.start(chain(asks('q', 'Which?')), { trigger: 'chat' })
    await asked.promise
    // Long enough for the journal to write events that nothing waits for.
    await sleep(300)
    await world.crash(worker)
    listener.messageSent = stored
    const { run } = await (await world.worker().claim(runId)).settled
    assert.deepEqual([run.status, listener.texts], ['waiting', ['Which?']])
  })

  test('can be stopped while it waits: its messages stay, its subscriber is notified, and no step waits any more', async () => {
    const graph = chain(says('o', 'Hello.'), asks('q', 'Which?'), work('z'))
    const { run } = await worker.run(graph, { trigger: 'chat' })
    const stopped = await world.worker().runs.stop(workspace, run.id)
    assert.deepEqual([stopped.status, stopped.answer], ['stopped', 'Hello.'])
    assert.equal(world.listener.settled_.at(-1)?.status, 'stopped')
    assert.equal(world.script.countOf('q'), 1)
    const steps = await worker.runs.steps(workspace, run.id)
    assert.equal(steps.find(({ path }) => path === 'q')?.status, 'stopped')
    await assert.rejects(worker.runs.resume(workspace, run.id, reply('late')), /is not waiting/)
  })

  test('can be stopped while it waits although there is no capacity to continue it', async () => {
    const { run } = await worker.run(chain(asks('q', 'Which?'), work('z')))
    const full = world.worker({ capacity: { live: 2 } })
    const held = await full.start(chain(work('a', { hold: 'gate' })))
    assert.equal((await full.runs.stop(workspace, run.id)).status, 'stopped')
    world.script.open('gate')
    await held.settled
    world.script.when('large', () => ({ outputs: { text: 'x'.repeat(4 << 20) } }))
    const after = work('after', { hold: 'never', give: { x: '{{#large.text#}}' } })
    const graph = chain(work('large'), asks('q', 'Which?'), after)
    const ids = [(await worker.run(graph)).run.id, (await worker.run(graph)).run.id]
    const small = world.worker({ capacity: { memoryBytes: 32 << 20 } })
    small.serve()
    await small.resume(ids[0]!, 'tea')
    assert.equal((await small.runs.stop(workspace, ids[1]!)).status, 'stopped')
    assert.equal((await small.runs.get(workspace, ids[0]!)).status, 'running')
  })

  test('takes an answer although there is no memory to continue, and continues when there is', async () => {
    world.script.when('large', () => ({ outputs: { text: 'x'.repeat(4 << 20), size: 4 } }))
    const after = work('after', { hold: 'gate', give: { x: '{{#large.size#}}' } })
    const graph = chain(work('large'), asks('q', 'Which?'), after, work('last', { give: { x: 1 } }))
    const [first, second] = [(await worker.run(graph)).run.id, (await worker.run(graph)).run.id]
    const small = world.worker({ capacity: { memoryBytes: 32 << 20 } })
    small.serve()
    const { settled } = await small.resume(first, 'tea')
    const queued = await small.resume(second, 'coffee')
    await assert.rejects(queued.settled, { reason: 'rate_limited' })
    assert.equal((await small.runs.get(workspace, second)).status, 'queued')
    world.script.open('gate')
    assert.equal((await settled).run.status, 'succeeded')
    const run = await small.runs.settled(workspace, second, AbortSignal.timeout(60_000))
    assert.equal(run.status, 'succeeded', run.error?.message)
    const steps = await small.runs.steps(workspace, second)
    assert.match(steps.find(({ path }) => path === 'q')?.outputs ?? '', /coffee/)
  })

  test('keeps the answer in the trace when a later step fails, or the run is stopped', async () => {
    const statuses = async (id: string) =>
      (await worker.runs.steps(workspace, id)).map(({ path, status, outputs }) => [path, status, outputs])
    const answered = ['q', 'succeeded', '{"answer":"tea","text":"tea","result":"tea"}']
    const failing = await worker.run(chain(asks('q', 'Which?'), work('bad', { fail: 9 })))
    const { run } = await answer(worker, failing.run.id, 'tea')
    assert.equal(run.error?.step, 'bad')
    assert.deepEqual((await statuses(run.id)).slice(1), [answered, ['bad', 'failed', undefined]])
    const slow = await worker.run(chain(asks('q', 'Which?'), work('slow', { hold: 'never' })))
    const { settled } = await worker.resume(slow.run.id, 'tea', 'chat')
    while (world.script.countOf('slow') === 0) await sleep(1)
    await worker.runs.stop(workspace, slow.run.id)
    assert.equal((await settled).run.status, 'stopped')
    assert.deepEqual((await statuses(slow.run.id)).slice(1), [answered, ['slow', 'stopped', undefined]])
  })

  test('fails when another branch fails, and then no step waits any more', async () => {
    const graph = flow(
      [asks('q', 'Which?'), work('bad', { hold: 'gate', fail: 9 }), model('m')],
      ['input q', 'input bad', 'q end', 'bad m', 'm end'],
    )
    const { settled } = await worker.start(graph)
    while (world.script.countOf('q') === 0) await sleep(1)
    await sleep(10)
    world.script.open('gate')
    const { run } = await settled
    assert.deepEqual([run.status, run.error?.step], ['failed', 'bad'])
    const steps = await worker.runs.steps(workspace, run.id)
    assert.deepEqual(
      steps.map(({ path, status }) => [path, status]),
      [
        ['input', 'succeeded'],
        ['q', 'stopped'],
        ['bad', 'failed'],
      ],
    )
  })

  test('fails when a step waits without a question', async () => {
    world.script.when('a', () => ({ wait: { question: '', state: 0 } }))
    const { run } = await worker.run(chain(node('a', 'asker')))
    assert.deepEqual([run.status, run.error?.reason], ['failed', 'internal'])
  })
})
