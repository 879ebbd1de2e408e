import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import type { Graph } from '../../../src/workflow/graph.ts'
import type { RunEvent } from '../../../src/workflow/run/run-event.ts'
import type { LiveRun } from '../../../src/workflow/run/run-service.ts'
import { StepFailure } from '../../../src/workflow/step.ts'
import { rounds } from '../../support/rounds.ts'
import {
  eachRunWorld,
  eventsOf,
  fieldsOf,
  RunWorld,
  receivedText,
  reply,
  type TestWorker,
  workspace,
} from '../../support/run-world.ts'
import { node } from '../graphs.ts'
import { branch, chain, flow, model, says, work } from './run-graphs.ts'

describe('Rule 8', () => {
  let world: RunWorld
  let worker: TestWorker
  eachRunWorld(made => {
    world = made
    worker = world.worker()
  })

  /** Subscribes to a run from its first event on. */
  async function subscribe(graph: Graph): Promise<{ live: LiveRun; events: RunEvent[] }> {
    const live = await worker.start(graph)
    const events: RunEvent[] = []
    const feed = live.events(new AbortController().signal)
    void (async () => {
      for await (const event of feed) events.push(event)
    })()
    return { live, events }
  }

  const begun = async (id: string): Promise<void> => {
    while (world.script.countOf(id) === 0) await sleep(1)
    await sleep(5)
  }

  const contents = (messages: readonly { content: string }[]): string[] =>
    messages.map(({ content }) => content)

  test('Rule 8: literal text is sent at once, before the values after it are known', async () => {
    const graph = chain(work('a', { hold: 'gate', give: { x: 'X' } }), says('o', 'One moment: {{#a.x#}}.'))
    const { live, events } = await subscribe(graph)
    await begun('a')
    assert.equal(receivedText(events, 'o'), 'One moment: ')
    world.script.open('gate')
    assert.equal((await live.settled).run.answer, 'One moment: X.')
    assert.equal(receivedText(events, 'o'), 'One moment: X.')
  })

  test('Rule 8: a delta of a model is sent in the same tick in which it is written', async () => {
    const deltas: string[] = []
    world.script.when('m', async step => {
      // Subscribers are resumed in this turn of the event loop, so events present now were sent without waiting.
      const task = worker.live.find(step.runId)!
      const feed = task.events(new AbortController().signal)[Symbol.asyncIterator]()
      step.write('piece')
      for (let index = 0; index < 2; index += 1) {
        const next = (await Promise.race([feed.next(), Promise.resolve().then(() => undefined)]))?.value
        const { event, fields } = next as Extract<RunEvent, { event: 'node.delta' }>
        deltas.push(`${event} ${fields.node_id} ${fields.text}`)
      }
      await feed.return(undefined)
      return { outputs: { text: 'piece' } }
    })
    await worker.run(chain(model('m'), says('o', '{{#m.text#}}')))
    assert.deepEqual(deltas, ['node.delta m piece', 'node.delta o piece'])
  })

  test('Rule 8: several outputs are several messages in graph order, whichever is ready first', async () => {
    const graph = flow(
      [
        model('slow', { hold: 'slow', write: ['s', 'low'] }),
        says('first', '1 {{#slow.text#}}'),
        model('fast', { write: ['fast'] }),
        says('second', '2 {{#fast.text#}}'),
        node('act', 'sayer', { say: 'act' }),
      ],
      ['input slow', 'slow first', 'input fast', 'fast second', 'second act', 'first end', 'act end'],
    )
    const { live, events } = await subscribe(graph)
    await begun('act')
    const messageEvents = () => events.filter(({ line }) => line.includes('message_id'))
    assert.equal(receivedText(events, 'second'), '')
    assert.ok(messageEvents().every(({ event }) => event === 'node.delta'))
    world.script.open('slow')
    const { run, messages } = await live.settled
    assert.deepEqual(contents(messages), ['1 slow', '2 fast', 'act'])
    assert.equal(run.answer, '1 slow\n\n2 fast')
    const order = fieldsOf(messageEvents()).map(fields => fields['node_id'])
    assert.ok(order.lastIndexOf('first') < order.indexOf('second'))
  })

  test('Rule 8: the text of a failed attempt is reset, and the next attempt starts over', async () => {
    world.script.when('m', async step => {
      step.write(step.attempt === 1 ? 'wrong' : 'right')
      if (step.attempt === 1) throw new StepFailure('step_failed', 'broken off', { retryable: true })
      return { outputs: { text: 'right' } }
    })
    const graph = chain(model('m', { retry: { times: 1, delay_ms: 0 } }), says('o', '> {{#m.text#}} <'))
    const { run } = await worker.run(graph)
    const events = await eventsOf(worker, run.id)
    assert.deepEqual(
      [receivedText(events, 'o'), receivedText(events, 'm', false), run.answer],
      ['> right <', 'right', '> right <'],
    )
    const resets = events.filter(({ line }) => line.includes('"reset":true'))
    assert.equal(resets.length, 2)
  })

  test('Rule 8: the text of a workflow whose last attempt failed or timed out is kept, once', async () => {
    const inner = await world.save(chain(model('m'), says('o', 'said {{#m.text#}}')))
    for (const [failure, data, attempts] of [
      [new StepFailure('step_failed', 'busy', { retryable: true }), { retry: { times: 1, delay_ms: 0 } }, 2],
      [new StepFailure('step_failed', 'no'), { retry: { times: 1, delay_ms: 0 } }, 1],
      [undefined, { timeout_ms: 300 }, 1],
      [undefined, { timeout_ms: 300, retry: { times: 1, delay_ms: 0 } }, 2],
    ] as const) {
      const own = new RunWorld(world.database)
      own.script.when('m', async step => {
        step.write('half')
        if (failure) throw failure
        return own.script.gate('never').promise as never
      })
      const own1 = own.worker()
      const { run, messages } = await own1.run(chain(node('w', 'workflow', { workflow_id: inner, ...data })))
      assert.deepEqual([run.status, own.script.countOf('m')], ['failed', attempts])
      assert.deepEqual([contents(messages), run.answer], [['said half'], 'said half'])
      assert.equal(receivedText(await eventsOf(own1, run.id), 'w/child/o'), 'said half')
    }
  })

  test('Rule 8: the text of a model whose failure is handled is reset before the default is sent', async () => {
    world.script.when('m', async step => {
      step.write('half of it')
      throw new StepFailure('step_failed', 'broken off')
    })
    for (const [handling, text] of [
      [{ default: 'sorry' }, '> sorry'],
      ['skip', '> '],
    ] as const) {
      const graph = flow(
        [model('m', { on_error: handling }), says('o', '> {{#m.text#}}')],
        ['input m', 'm o', 'input o', 'o end'],
      )
      const { live, events } = await subscribe(graph)
      assert.equal((await live.settled).run.answer, text)
      assert.ok(!events.some(({ line }) => line.includes('"text":"ry"')))
      assert.equal(receivedText(events, 'o'), text)
    }
  })

  test('Rule 8: an output after a condition sends nothing before the case is chosen', async () => {
    const graph = flow(
      [work('a', { hold: 'gate' }), branch('if', 'no', 'yes', 'no'), says('y', 'Yes!'), says('n', 'No!')],
      ['input a', 'a if', 'if y yes', 'if n no', 'y end', 'n end'],
    )
    const { live, events } = await subscribe(graph)
    await begun('a')
    assert.ok(!events.some(({ line }) => line.includes('message_id')))
    world.script.open('gate')
    assert.deepEqual(contents((await live.settled).messages), ['No!'])
    assert.equal(receivedText(events, 'y'), '')
  })

  test('Rule 8: an output after a question sends nothing before the answer, not even where branches join', async () => {
    const graph = flow(
      [node('q', 'question', { question: 'Which?' }), work('b'), says('o', 'You chose {{#q.answer#}}')],
      ['input q', 'input b', 'q o', 'b o', 'o end'],
    )
    const { live, events } = await subscribe(graph)
    const { run, messages } = await live.settled
    assert.deepEqual([run.status, contents(messages)], ['waiting', ['Which?']])
    assert.equal(receivedText(events, 'o'), '')
    const resumed = await worker.runs.resume(workspace, run.id, reply('tea'))
    assert.deepEqual(contents((await resumed.settled).messages), ['You chose tea'])
    assert.equal(receivedText(await eventsOf(worker, run.id), 'o'), 'You chose tea')
  })

  test('Rule 8: messages sent before a question are not sent again after the answer', async () => {
    const graph = chain(
      says('hello', 'Hello.'),
      node('q', 'question', { question: 'Which?' }),
      says('bye', 'So {{#q.answer#}}.'),
    )
    const first = await worker.run(graph)
    assert.deepEqual(contents(first.messages), ['Hello.', 'Which?'])
    const resumed = await worker.runs.resume(workspace, first.run.id, reply('tea'))
    const feed = resumed.events(new AbortController().signal)
    const lines: string[] = []
    for await (const { line } of feed) if (line.includes('message_id')) lines.push(line)
    const { run, messages } = await resumed.settled
    assert.deepEqual(contents(messages), ['So tea.'])
    assert.ok(!lines.some(line => line.includes('"node_id":"hello"')))
    assert.equal(run.answer, 'Hello.\n\nSo tea.')
  })

  test('Rule 8: a model whose tool asks the user discards the text that was streamed after it', async () => {
    world.script.when('m', async step => {
      step.write('let me ask')
      await sleep(1)
      return step.resumed ? { outputs: { text: 'let me ask' } } : { wait: { question: '?', state: 0 } }
    })
    const asking = chain(model('m'), says('o', '> {{#m.text#}}'), says('p', 'Bye.'))
    const inner = await world.save(asking)
    for (const [graph, prefix] of [
      [asking, ''],
      [chain(node('w', 'workflow', { workflow_id: inner }), says('after', 'After.')), 'w/child/'],
    ] as const) {
      const { run } = await worker.run(graph)
      const before = await eventsOf(worker, run.id)
      assert.equal(run.status, 'waiting')
      assert.deepEqual(
        ['o', 'p'].map(id => receivedText(before, `${prefix}${id}`)),
        ['', ''],
      )
      assert.ok(!before.some(({ line }) => line.includes('Bye.')))
      const resumed = await worker.runs.resume(workspace, run.id, reply('yes'))
      assert.equal((await resumed.settled).run.status, 'succeeded')
      const all = await eventsOf(worker, run.id)
      assert.deepEqual(
        ['o', 'p'].map(id => receivedText(all, `${prefix}${id}`)),
        ['> let me ask', 'Bye.'],
      )
    }
  })

  test('Rule 8: messages of a step after its question are new messages', async () => {
    world.script.when('a', step => {
      step.sendMessage({ dataType: 'action', content: step.resumed ? 'after' : 'before', fileIds: [] })
      return step.resumed ? { outputs: {} } : { wait: { question: '?', state: 0 } }
    })
    const { run, messages } = await worker.run(chain(node('a', 'sayer')))
    const resumed = await worker.runs.resume(workspace, run.id, reply('go on'))
    assert.deepEqual(contents(messages), ['before', '?'])
    assert.deepEqual(contents((await resumed.settled).messages), ['after'])
  })

  test('Rule 8: messages of nested workflows are sent in their turn and are part of the answer', async () => {
    const inner = await world.save(chain(model('m', { write: ['in', 'side'] }), says('o', '{{#m.text#}}')))
    const graph = flow(
      [node('w', 'workflow', { workflow_id: inner }), says('after', 'After.')],
      ['input w', 'w after', 'after end'],
    )
    const { run, messages } = await worker.run(graph)
    assert.deepEqual(contents(messages), ['inside', 'After.'])
    assert.equal(run.answer, 'inside\n\nAfter.')
    assert.equal(receivedText(await eventsOf(worker, run.id), 'w/child/o'), 'inside')
    const silent = node('w', 'workflow', { workflow_id: inner, speaks: false })
    assert.deepEqual((await worker.run(chain(silent))).messages, [])
  })

  for (const on_error of ['skip', 'branch']) {
    // What it refers to is no file.
    const failing = { answer: 'It: {{#m.text#}}', file_list: ['{{#sys.inputs#}}'], on_error }
    const nodes = [model('m', { write: ['half of ', 'it'] }), node('o', 'output', failing)]
    const ofOutput = ({ line }: RunEvent) => line.includes('"node_id":"o"')

    test(`Rule 8: the text of a failed output is taken back (${on_error})`, async () => {
      const graph = flow(
        [...nodes, work('s', { hold: 'never' })],
        ['input m', 'm o', 'm s', 'o end', 's end'],
      )
      const { live, events } = await subscribe(graph)
      while (!events.some(each => each.event === 'node.finished' && ofOutput(each))) await sleep(1)
      assert.equal((await worker.runs.stop(workspace, live.runId)).answer, '')
      assert.deepEqual((await live.settled).messages, [])
      const all = await eventsOf(worker, live.runId)
      assert.ok(all.some(each => each.event === 'node.delta' && ofOutput(each)))
      assert.equal(receivedText(all, 'o'), '')
    })

    test(`Rule 8: the text of a failed output is not streamed again after a question (${on_error})`, async () => {
      const asks = node('q', 'question', { question: 'Which?' })
      const graph = flow(
        [...nodes, asks, says('p', 'Bye.')],
        ['input m', 'm o', 'm q', 'o end', 'q p', 'p end'],
      )
      const { run } = await worker.run(graph)
      const before = (await eventsOf(worker, run.id)).length
      const resumed = await worker.runs.resume(workspace, run.id, reply('yes'))
      assert.equal((await resumed.settled).run.answer, 'Bye.')
      assert.deepEqual((await eventsOf(worker, run.id)).slice(before).filter(ofOutput), [])
    })
  }

  test('Rule 8: memory is sent with its value when the output runs', async () => {
    const graph = chain(node('set', 'variable', { assign: { x: 'new' } }), says('o', 'x is {{#memory.x#}}!'))
    world.listener.memory = { x: 'old' }
    const { run } = await worker.run(graph, { trigger: 'chat', conversationId: 'c' })
    assert.equal(run.answer, 'x is new!')
    assert.equal(receivedText(await eventsOf(worker, run.id), 'o'), 'x is new!')
  })

  test('Rule 8: for any template the deltas add up to the text, in any order of arrival', async () => {
    const part = fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.constantFrom('{{#m.text#}}', '{{#n.text#}}', '{{#a.value#}}', '{{#sys.query#}}', '{{#m.other#}}'),
    )
    const pieces = fc.array(fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 4 })
    const anyText = fc.record({
      answer: fc.array(part, { minLength: 1, maxLength: 6 }).map(parts => parts.join('')),
      m: pieces,
      n: pieces,
      given: fc.option(fc.string({ maxLength: 6 }), { nil: undefined }),
      breaks: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(anyText, async ({ answer, m, n, given, breaks }) => {
        fc.pre(answer.trim() !== '')
        const own = new RunWorld(world.database)
        own.script.when('m', async step => {
          for (const piece of m) step.write(piece)
          if (breaks && step.attempt === 1) throw new StepFailure('step_failed', 'no', { retryable: true })
          await new Promise(resolve => setImmediate(resolve))
          // A model may return text that differs from its stream.
          return { outputs: { text: given ?? m.join(''), other: n.length } }
        })
        const graph = flow(
          [
            model('m', { retry: { times: 1, delay_ms: 0 } }),
            model('n', { write: n }),
            work('a', { give: { value: n } }),
            says('o', answer),
          ],
          ['input m', 'input n', 'input a', 'm o', 'n o', 'a o', 'o end'],
        )
        const own1 = own.worker()
        const { run, messages } = await own1.run(graph)
        assert.equal(run.status, 'succeeded', run.error?.message)
        assert.equal(receivedText(await eventsOf(own1, run.id), 'o'), run.answer)
        assert.deepEqual(contents(messages), run.answer === '' ? [] : [run.answer])
      }),
      { numRuns: rounds(10) },
    )
  })
})
