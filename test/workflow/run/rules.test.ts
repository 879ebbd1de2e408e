import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { isoTime } from '../../../src/kernel/clock.ts'
import type { Outputs } from '../../../src/workflow/step.ts'
import { VersionSweep } from '../../../src/workflow/version-sweep.ts'
import { rounds } from '../../support/rounds.ts'
import {
  eachRunWorld,
  eventsOf,
  fieldsOf,
  RunWorld,
  type TestWorker,
  workspace,
} from '../../support/run-world.ts'
import { node } from '../graphs.ts'
import { branch, chain, flow, model, says, work } from './run-graphs.ts'

describe('the rules of a run', () => {
  let world: RunWorld
  let worker: TestWorker
  eachRunWorld(made => {
    world = made
    worker = world.worker()
  })

  /** The outputs of a run that succeeds. */
  async function outputsOf(graph: Parameters<TestWorker['run']>[0], more?: Parameters<TestWorker['run']>[1]) {
    const { run } = await worker.run(graph, more)
    assert.equal(run.status, 'succeeded', run.error?.message)
    return JSON.parse(run.outputs!) as Outputs
  }

  const statusesOf = async (runId: string): Promise<Record<string, string>> =>
    Object.fromEntries((await worker.runs.steps(workspace, runId)).map(({ path, status }) => [path, status]))

  describe('Rule 1', () => {
    test('Rule 1: a run continues with the version it started with, whatever is saved meanwhile', async () => {
      const id = await world.save(chain(work('a', { hold: 'gate' }), work('b', { give: { version: 'one' } })))
      const { settled, runId } = await worker.start(id)
      await world.save(chain(work('a'), work('b', { give: { version: 'two' } })), id)
      world.script.open('gate')
      assert.equal((await settled).run.outputs, '{"version":"one"}')
      assert.deepEqual(
        [(await worker.runs.get(workspace, runId)).version, await outputsOf(id)],
        [1, { version: 'two' }],
      )
    })

    test('Rule 1: a run continues with its version after a crash, too', async () => {
      const id = await world.save(chain(work('a', { hold: 'gate' }), work('b', { give: { version: 'one' } })))
      const { runId } = await worker.start(id)
      await sleep(10)
      await world.crash(worker)
      await world.save(chain(work('b', { give: { version: 'two' } })), id)
      world.script.open('gate')
      const task = await world.worker().claim(runId)
      assert.equal((await task.settled).run.outputs, '{"version":"one"}')
    })

    test('Rule 1: a run continues with its graph when the workflow is deleted and created again', async () => {
      const graph = (name: string) => chain(work('a', { hold: 'gate' }), work('b', { give: { name } }))
      const id = await world.save(graph('old'))
      await world.save(graph('newer'), id)
      const { runId } = await worker.start(id, { target: { workflowId: id, version: 1 } })
      await sleep(10)
      await world.crash(worker)
      const now = world.clock.now()
      await world.workflows.remove(workspace, id, now)
      await world.save(graph('new'), id)
      const keptVersions = async () =>
        (await world.database.all('SELECT version FROM kept_versions WHERE workflow_id = ?', id)).length
      // Also the newest, since a run may just be starting.
      assert.equal(await keptVersions(), 2)
      const sweep = new VersionSweep(world.database)
      await sweep.sweepKept(now)
      assert.equal(await keptVersions(), 2, 'not yet')
      await sweep.sweepKept(now + 1)
      assert.equal(await keptVersions(), 1, 'the run is not over')
      world.script.open('gate')
      const { run } = await (await world.worker().claim(runId)).settled
      assert.deepEqual([run.status, run.outputs], ['succeeded', '{"name":"old"}'], run.error?.message)
      await sweep.sweepKept(now + 1)
      assert.equal(await keptVersions(), 0)
    })

    test('Rule 1: a version that is gone fails the run instead of retrying forever', async () => {
      const id = await world.save(chain(work('a', { hold: 'gate' })))
      const { runId } = await worker.start(id, { trigger: 'chat' })
      await sleep(10)
      await world.crash(worker)
      await world.workflows.remove(workspace, id, 0)
      await world.database.transaction(transaction => transaction.run('DELETE FROM kept_versions'))
      const { run } = await (await world.worker().claim(runId)).settled
      assert.deepEqual([run.status, run.error?.reason], ['failed', 'not_found'])
      assert.deepEqual(
        world.listener.settled_.map(({ status }) => status),
        ['failed'],
      )
    })
  })

  describe('Rule 2', () => {
    test('Rule 2: branches start together, and a join waits for all of them', async () => {
      const sides = ['a', 'b', 'c'].map(id => work(id, { hold: id, give: { from: id } }))
      const join = work('join', { give: { all: '{{#a.from#}}{{#b.from#}}{{#c.from#}}' } })
      const edges = ['a', 'b', 'c'].flatMap(id => [`input ${id}`, `${id} join`])
      const { settled } = await worker.start(flow([...sides, join], [...edges, 'join end']))
      while (world.script.starts.length < 4) await sleep(1)
      for (const id of ['c', 'a']) {
        world.script.open(id)
        await sleep(20)
        assert.deepEqual(world.script.begun, ['input', 'a', 'b', 'c'])
      }
      world.script.open('b')
      assert.equal((await settled).run.outputs, '{"all":"abc"}')
      assert.deepEqual(world.script.begun, ['input', 'a', 'b', 'c', 'join', 'end'])
    })

    test('Rule 2: sixteen steps of a run execute at a time, and the next starts when one ends', async () => {
      const ids = Array.from({ length: 40 }, (_, index) => `n${index}`)
      let maxConcurrent = 0
      let now = 0
      for (const id of ids)
        world.script.when(id, async () => {
          now += 1
          maxConcurrent = Math.max(maxConcurrent, now)
          await world.script.gate(id).promise
          now -= 1
          return { outputs: {} }
        })
      const { settled } = await worker.start(
        flow(
          ids.map(id => work(id)),
          ids.flatMap(id => [`input ${id}`, `${id} end`]),
        ),
      )
      while (now < 16) await sleep(1)
      await sleep(20)
      assert.equal(now, 16)
      world.script.open('n3')
      while (world.script.countOf('n16') === 0) await sleep(1)
      assert.equal(now, 16)
      world.script.open(...ids)
      await settled
      assert.deepEqual([maxConcurrent, new Set(world.script.begun).size], [16, 42])
    })

    test('Rule 2: in any graph a node starts once, after its predecessors, if a live edge leads to it', async () => {
      await fc.assert(
        fc.asyncProperty(anyGraph(), async ({ count, links }) => {
          const own = new RunWorld(world.database)
          const ids = Array.from({ length: count }, (_, index) => `n${index}`)
          const graph = flow(
            ids.map(id => work(id)),
            links.map(([from, to]) => `${from} ${to}`),
          )
          const { run } = await own.worker().run(graph)
          assert.equal(run.status, 'succeeded')
          const { begun } = own.script
          assert.equal(new Set(begun).size, begun.length)
          for (const [from, to] of links)
            if (begun.includes(to)) assert.ok(begun.indexOf(from) < begun.indexOf(to) && begun.includes(from))
          assert.equal(begun.length, count + 2)
        }),
        { numRuns: rounds(10) },
      )
    })
  })

  describe('Rule 3', () => {
    const forked = (chosen: string) =>
      flow(
        [
          branch('if', chosen, 'yes', 'no'),
          work('a', { give: { a: 1 } }),
          work('a2', { give: { a2: 1 } }),
          work('b', { give: { b: 1 } }),
          work('join', { give: { text: '[{{#a.a#}}|{{#b.b#}}]' } }),
        ],
        ['input if', 'if a yes', 'a a2', 'if b no', 'a2 join', 'b join', 'join end'],
      )

    test('Rule 3: the chosen case is live; the other case and everything after it are skipped', async () => {
      const { run } = await worker.run(forked('no'))
      assert.deepEqual(await statusesOf(run.id), {
        input: 'succeeded',
        if: 'succeeded',
        a: 'skipped',
        a2: 'skipped',
        b: 'succeeded',
        join: 'succeeded',
        end: 'succeeded',
      })
      const skipped = fieldsOf(await eventsOf(worker, run.id)).filter(({ event }) => event === 'node.skipped')
      assert.deepEqual(
        skipped.map(({ node_id: id }) => id),
        ['a', 'a2'],
      )
    })

    test('Rule 3: a join continues with the branches that ran', async () => {
      assert.deepEqual(await outputsOf(forked('yes')), { text: '[1|]' })
      assert.deepEqual(await outputsOf(forked('no')), { text: '[|1]' })
    })

    test('Rule 3: without a chosen case everything after the node is skipped, the end included', async () => {
      const { run } = await worker.run(forked('neither'))
      assert.deepEqual([run.status, run.outputs], ['succeeded', '{}'])
      assert.deepEqual(world.script.begun, ['input', 'if'])
    })

    test('Rule 3: an edge without a case is live whatever is chosen; several edges of one case are live together', async () => {
      const graph = flow(
        [branch('if', 'x', 'x', 'y'), work('a'), work('b'), work('c'), work('d')],
        ['input if', 'if a x', 'if b x', 'if c y', 'if d', 'a end', 'b end', 'c end', 'd end'],
      )
      await worker.run(graph)
      assert.deepEqual(world.script.begun.sort(), ['a', 'b', 'd', 'end', 'if', 'input'])
    })

    test('Rule 3: a condition node chooses by the message of the user', async () => {
      const when = [{ left: '{{#sys.query#}}', op: 'contains', right: 'tea' }]
      const graph = flow(
        [
          node('if', 'condition', { cases: [{ id: 'tea', when }, { id: 'else' }] }),
          says('a', 'Tea!'),
          says('b', 'What?'),
        ],
        ['input if', 'if a tea', 'if b else', 'a end', 'b end'],
      )
      assert.equal((await worker.run(graph, { query: 'green tea' })).run.answer, 'Tea!')
      assert.equal((await worker.run(graph, { query: 'coffee' })).run.answer, 'What?')
    })
  })

  describe('Rule 4', () => {
    const given = (value: unknown, template: string) =>
      chain(work('a', { give: { value } }), work('b', { give: { text: template } }))

    test('Rule 4: inserted text is never parsed again', async () => {
      const query = '{{#sys.run_id#}} {{#a.value#}}'
      assert.deepEqual(await outputsOf(given('{{#sys.query#}}', 'so: {{#a.value#}}!'), { query }), {
        text: `so: ${query}!`,
      })
    })

    test('Rule 4: a path reads into objects and lists, and is empty where nothing exists', async () => {
      const value = { items: [{ title: 'first' }, { title: 'second' }], 'a.b': 7 }
      const cases: [string, string][] = [
        ['{{#a.value.items.1.title#}}', 'second'],
        ['<{{#a.value.items.2.title#}}>', '<>'],
        ['<{{#a.value.items.first#}}>', '<>'],
        ['<{{#a.value.items.length#}}>', '<>'],
        ['<{{#a.value.constructor.name#}}>', '<>'],
        ['<{{#a.value.items.0.title.0#}}>', '<>'],
      ]
      for (const [template, text] of cases)
        assert.deepEqual(await outputsOf(given(value, template)), { text })
    })

    test('Rule 4: a string is inserted as it is, anything else as JSON', async () => {
      for (const value of [1.5, true, null, [1, 'two'], { deep: { er: [] } }, 'plain "text"'])
        assert.deepEqual(await outputsOf(given(value, '={{#a.value#}}')), {
          text: `=${typeof value === 'string' ? value : JSON.stringify(value)}`,
        })
    })

    test('Rule 4: a single reference keeps the type of its value', async () => {
      assert.deepEqual(await outputsOf(given({ list: [1, { two: 2 }] }, '{{#a.value.list#}}')), {
        text: [1, { two: 2 }],
      })
    })

    test('Rule 4: a reference to a skipped node is an empty text, also inside lists and objects', async () => {
      const give = { text: '<{{#no.x#}}>', tree: { one: '{{#no.x#}}', list: ['{{#no.x#}}', null] } }
      const graph = flow(
        [branch('if', 'on', 'on', 'off'), work('no'), work('a', { give })],
        ['input if', 'if no off', 'if a on', 'no a', 'a end'],
      )
      assert.deepEqual(await outputsOf(graph), { text: '<>', tree: { one: '', list: ['', null] } })
    })

    test('Rule 4: of names with dots the longest existing one wins', async () => {
      const graph = chain(
        work('a', { give: { 'b.c': 'of a' } }),
        work('a.b', { give: { c: 'of a.b', 'd.e': { f: 'deep' } } }),
        work('z', { give: { text: '{{#a.b.c#}} {{#a.b.d.e.f#}}' } }),
      )
      assert.deepEqual(await outputsOf(graph), { text: 'of a.b deep' })
    })
  })

  describe('Rule 5', () => {
    test('Rule 5: sys holds the inputs of the run and its context', async () => {
      const names = [
        'query',
        'files',
        'action',
        'conversation_id',
        'user_id',
        'agent_id',
        'run_id',
        'time',
        'history',
      ]
      const give = Object.fromEntries([...names, 'inputs', 'model'].map(name => [name, `{{#sys.${name}#}}`]))
      world.listener.history = [
        { role: 'user', content: 'before' },
        { role: 'assistant', content: 'yes' },
      ]
      const files = [{ file_id: 'file_1', name: 'a.txt', mime_type: 'text/plain', size: 3 }]
      const { settled, runId } = await worker.start(chain(work('a', { give })), {
        trigger: 'chat',
        agentId: 'agent_1',
        conversationId: 'conv_1',
        userId: 'user_1',
        chatId: 'chat_1',
        inputs: { query: 'q', files, action: '{"do":1}', more: { city: 'Oslo' } },
      })
      const { run } = await settled
      assert.deepEqual(JSON.parse(run.outputs!), {
        query: 'q',
        files,
        action: '{"do":1}',
        conversation_id: 'conv_1',
        user_id: 'user_1',
        agent_id: 'agent_1',
        run_id: runId,
        time: isoTime(run.createdAt),
        history: world.listener.history,
        inputs: { city: 'Oslo', query: 'q', files },
        model: 'the usual model',
      })
    })

    test('Rule 5: memory is loaded, changes during the run, and is saved', async () => {
      world.listener.memory = { name: 'Ada', size: 'small' }
      const graph = chain(
        work('a', { give: { before: '{{#memory.name#}} {{#memory.size#}} {{#memory.none#}}' } }),
        node('set', 'variable', { assign: { size: '{{#sys.query#}}', list: [1, '{{#memory.size#}}'] } }),
        work('b', { give: { before: '{{#a.before#}}', after: '{{#memory.size#}} {{#memory.list.1#}}' } }),
      )
      const outputs = await outputsOf(graph, { trigger: 'chat', conversationId: 'c', query: 'large' })
      assert.deepEqual(outputs, { before: 'Ada small ', after: 'large small' })
      assert.deepEqual(world.listener.remembered, [{ size: 'large', list: [1, 'small'] }])
    })

    test('Rule 5: inside an iteration sys has the item and its index', async () => {
      const inner = await world.save(chain(says('o', '{{#sys.index#}}:{{#sys.item.name#}}:{{#sys.query#}}')))
      const each = node('each', 'iteration', { items: '{{#a.list#}}', workflow_id: inner, parallel: 3 })
      const outputs = await outputsOf(
        chain(work('a', { give: { list: [{ name: 'x' }, { name: 'y' }] } }), each),
      )
      assert.deepEqual(outputs, { result: ['0:x:{"name":"x"}', '1:y:{"name":"y"}'], errors: [] })
    })

    test('Rule 5: inside another workflow sys.query is the query that it is given, as a text', async () => {
      const inner = await world.save(chain(says('o', '<{{#sys.query#}}>')))
      const asked = async (inputs: object) => {
        const given = work('a', { give: { number: 42, list: [1], null: null } })
        const graph = chain(given, node('w', 'workflow', { workflow_id: inner, inputs }))
        return (await worker.run(graph)).run.answer
      }
      assert.equal(await asked({ query: '{{#a.number#}}' }), '<42>')
      assert.equal(await asked({ query: '{{#a.list#}}' }), '<[1]>')
      assert.equal(await asked({ query: '{{#a.nothing#}}' }), '<>')
      assert.equal(await asked({ other: 1 }), '<hello>')
      assert.equal(await asked({ query: null }), '<hello>')
    })
  })

  describe('Rule 9', () => {
    test('Rule 9: the end gathers the outputs of the single node connected to it', async () => {
      assert.deepEqual(
        await outputsOf(chain(work('a', { give: { x: 1 } }), work('b', { give: { y: [2] } }))),
        {
          y: [2],
        },
      )
    })

    test('Rule 9: of several nodes it gathers all, by their names and by their ids', async () => {
      const graph = flow(
        [
          work('a', { give: { x: 1, both: 'a' } }),
          work('b', { give: { y: 2, both: 'b' } }),
          branch('if', 'on', 'on', 'off'),
          work('c', { give: { z: 3 } }),
        ],
        ['input a', 'input b', 'input if', 'if c off', 'a end', 'b end', 'c end'],
      )
      assert.deepEqual(await outputsOf(graph), {
        a: { x: 1, both: 'a' },
        b: { y: 2, both: 'b' },
        x: 1,
        y: 2,
        both: 'b',
      })
    })

    test('Rule 9: of several ends with the same names the later one in the graph counts', async () => {
      const graph = flow(
        [work('a', { give: { x: 'a' }, hold: 'gate' }), work('b', { give: { x: 'b' } }), node('end2', 'end')],
        ['input a', 'input b', 'a end2', 'b end'],
      )
      const { settled } = await worker.start(graph)
      while (!world.script.begun.includes('end')) await sleep(1)
      world.script.open('gate')
      const order = graph.nodes.map(({ id }) => id)
      const last = order.indexOf('end') > order.indexOf('end2') ? 'b' : 'a'
      assert.equal((await settled).run.outputs, `{"x":"${last}"}`)
    })

    test('Rule 9: an end with outputs gives exactly these', async () => {
      const { nodes, edges } = chain(work('a', { give: { x: 1, y: [2], z: null } }))
      const outputs = { list: '{{#a.y#}}', text: 'v{{#a.x#}}', nothing: '{{#memory.z#}}', null: '{{#a.z#}}' }
      const named = nodes.map(each =>
        each.id === 'end' ? { ...each, data: { ...each.data, outputs } } : each,
      )
      assert.deepEqual(await outputsOf({ nodes: named, edges }), {
        list: [2],
        text: 'v1',
        nothing: '',
        null: null,
      })
    })

    test('Rule 9: a branch that is not connected to the end still completes', async () => {
      const graph = flow(
        [work('a', { give: { x: 1 } }), work('slow', { hold: 'gate' }), says('o', 'late'), model('m')],
        ['input a', 'a end', 'input slow', 'slow o', 'o m'],
      )
      const { settled } = await worker.start(graph)
      while (!world.script.begun.includes('end')) await sleep(1)
      world.script.open('gate')
      const { run, messages } = await settled
      assert.deepEqual([run.outputs, run.answer], ['{"x":1}', 'late'])
      assert.deepEqual(
        messages.map(({ content }) => content),
        ['late'],
      )
      assert.ok(world.script.begun.includes('m'))
    })
  })
})

/**
 * Nodes with edges from earlier to later ones; each has an incoming edge, and those without successors lead to the end.
 */
function anyGraph(): fc.Arbitrary<{ count: number; links: [string, string][] }> {
  return fc
    .array(fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 14 })
    .map(rows => {
      const name = (place: number): string => (place === 0 ? 'input' : `n${place - 1}`)
      const links = rows.flatMap((sources, index) =>
        [...new Set(sources.map(source => source % (index + 1)))].map((from): [string, string] => [
          name(from),
          name(index + 1),
        ]),
      )
      const ends = rows.map((_, index) => `n${index}`).filter(id => !links.some(([from]) => from === id))
      return { count: rows.length, links: [...links, ...ends.map((id): [string, string] => [id, 'end'])] }
    })
}
