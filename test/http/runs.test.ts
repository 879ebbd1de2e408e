import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { GraphNode } from '../../src/workflow/graph.ts'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { type EventReader, openEvents, type SentEvent, textOfDeltas } from '../support/event-reader.ts'
import { Gates } from '../support/gates.ts'
import { dataOf } from '../support/knowledge.ts'
import { chain, coffeeGraph, echoGraph, llm, output } from '../support/run-graphs.ts'
import { lastUserText } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { makeAgent, makeWorkflow, openTalk, runOf, runWorkflow, say, timesAsked } from '../support/talk.ts'
import { operatorToken, startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/watch.ts'
import { edge, graph, node } from '../workflow/graphs.ts'

type Data = ApiAnswer['json']

const token = operatorToken
const gates = new Gates()
let model: ScriptedModel
let server: TestServer
let api: ApiClient

before(async () => {
  model = await startScriptedModel()
  server = await startTestServer({ ...model.environment, DEMO: 'off' })
  api = server.api
  model.play(body => ({
    beforePiece: piece => (piece === 2 ? gates.pass(`middle of ${lastUserText(body)}`) : undefined),
  }))
})
afterEach(() => gates.open())
after(async () => {
  await server.stop()
  await model.stop()
})

const stream = (path: string, body?: object, headers: Record<string, string> = {}): Promise<EventReader> =>
  openEvents(server.base, path, { token, body, headers })

const streamRun = async (id: string, query: string): Promise<EventReader> =>
  stream('workflow/run', { id, inputs: { query }, stream: 1 })

const otherWorkspace = async (): Promise<ApiClient> =>
  api.as((await dataOf(api.post('workspace/create', { name: 'Elsewhere' }))).token)

/** Starts a run and blocks the model in the middle of its response. */
async function midway(query: string): Promise<{ runId: string; events: EventReader; seen: SentEvent[] }> {
  gates.hold(`middle of ${query}`)
  const events = await streamRun(await makeWorkflow(api, echoGraph()), query)
  const seen = [(await events.next())!]
  while (seen.at(-1)!.event !== 'node.delta') seen.push((await events.next())!)
  await gates.reached(`middle of ${query}`)
  return { runId: seen[0]!.data.run_id, events, seen }
}

describe('running a workflow', () => {
  test('returns the answer, outputs, token usage and duration', async () => {
    const id = await makeWorkflow(api, echoGraph())
    const { run_id, elapsed_ms, messages, ...rest } = await runWorkflow(api, id, '你好')
    assert.match(run_id, /^run_[A-Za-z0-9_-]{22}$/)
    assert.ok(Number.isInteger(elapsed_ms))
    assert.deepEqual(rest, {
      version: 1,
      status: 'succeeded',
      answer: 'A: echo: 你好',
      outputs: { text: 'A: echo: 你好', result: 'A: echo: 你好' },
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
      error: null,
      waiting: null,
    })
    assert.deepEqual(
      messages.map(({ data_type, content }: Data) => [data_type, content]),
      [['text', 'A: echo: 你好']],
    )
  })

  test('records inputs, outputs and attempts of every node', async () => {
    let calls = 0
    model.play(() => (++calls === 1 ? { status: 503 } : undefined))
    const id = await makeWorkflow(
      api,
      graph(
        [
          node('input', 'input'),
          node('if', 'condition', {
            cases: [
              { id: 'yes', when: [{ left: '{{#sys.query#}}', op: 'equals', right: 'go' }] },
              { id: 'no' },
            ],
          }),
          llm('model', 'Say {{#sys.query#}}', { title: 'The model', retry: { times: 2, delay_ms: 1 } }),
          output('never', 'no'),
          output('say', '{{#model.text#}}'),
          node('end', 'end'),
        ],
        [
          edge('input', 'if'),
          edge('if', 'model', 'yes'),
          edge('if', 'never', 'no'),
          edge('model', 'say'),
          edge('say', 'end'),
          edge('never', 'end'),
        ],
      ),
    )
    const { run_id } = await runWorkflow(api, id, 'go', { user_id: 'ada' })
    const run = await runOf(api, run_id)
    assert.deepEqual(
      [run.workflow_id, run.version, run.trigger, run.user_id, run.status],
      [id, 1, 'run', 'ada', 'succeeded'],
    )
    assert.equal(run.inputs.query, 'go')
    const nodes = new Map<string, Data>(run.nodes.map((each: Data) => [each.node_id, each]))
    assert.deepEqual([...nodes].map(([name, { status }]) => [name, status]).sort(), [
      ['end', 'succeeded'],
      ['if', 'succeeded'],
      ['input', 'succeeded'],
      ['model', 'succeeded'],
      ['never', 'skipped'],
      ['say', 'succeeded'],
    ])
    const { kind, title, attempts, inputs, outputs, tokens, error } = nodes.get('model')
    assert.deepEqual([kind, title, attempts, error], ['llm', 'The model', 2, null])
    assert.deepEqual(inputs, { prompt_template: 'Say go' })
    assert.equal(outputs.text, 'echo: Say go')
    assert.deepEqual(tokens, run.usage)
    assert.equal(nodes.get('if').outputs.case, 'yes')
    const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/
    for (const { started_at, finished_at, elapsed_ms } of nodes.values()) {
      assert.match(started_at, iso)
      assert.match(finished_at, iso)
      assert.ok(elapsed_ms >= 0)
    }
    model.play(body => ({
      beforePiece: piece => (piece === 2 ? gates.pass(`middle of ${lastUserText(body)}`) : undefined),
    }))
  })

  test('streams events in order and resumes after any Last-Event-ID', async () => {
    const events = await streamRun(await makeWorkflow(api, echoGraph()), '一二三四五六七八九十')
    assert.match(events.headers.get('content-type') ?? '', /^text\/event-stream/)
    const all = await events.rest()
    const names = all.map(({ event }) => event)
    assert.deepEqual([names[0], names.at(-1)], ['run.started', 'run.finished'])
    for (const name of ['node.started', 'node.delta', 'node.finished', 'message'])
      assert.ok(names.includes(name), name)
    const runId = all[0]!.data.run_id
    for (const [at, { id, data, event }] of all.entries()) {
      assert.deepEqual([data.run_id, data.seq, data.event], [runId, id, event])
      assert.ok(at === 0 || id > all[at - 1]!.id, 'event ids increase')
    }
    assert.equal(
      textOfDeltas(all, data => data.node_id === 'say'),
      'A: echo: 一二三四五六七八九十',
    )
    const path = `workflow/runs/${runId}/events`
    assert.deepEqual(await (await stream(path)).rest(), all)
    for (const [at, { id }] of all.entries()) {
      const again = await stream(path, undefined, { 'last-event-id': String(id) })
      assert.deepEqual(await again.rest(), all.slice(at + 1), `after ${id}`)
      assert.deepEqual(await (await stream(`${path}?after=${id}`)).rest(), all.slice(at + 1))
    }
  })

  test('delivers every event exactly once to a client that reconnects during the run', async () => {
    const { runId, events, seen } = await midway('who comes back')
    await events.leave()
    const others = await Promise.all(
      seen.map(({ id }) =>
        stream(`workflow/runs/${runId}/events`, undefined, { 'last-event-id': String(id) }),
      ),
    )
    gates.open()
    const rests = await Promise.all(others.map(other => other.rest()))
    const all = await (await stream(`workflow/runs/${runId}/events`)).rest()
    assert.equal(all.at(-1)!.event, 'run.finished')
    for (const [at, { id }] of seen.entries())
      assert.deepEqual(
        rests[at],
        all.filter(event => event.id > id),
        `after ${id}`,
      )
  })

  test('forwards each delta before the provider sends the next one', async () => {
    const pieces = ['one ', 'two ', '三 ', 'four']
    const taken = pieces.map(() => Promise.withResolvers<void>())
    const sent: number[] = []
    model.play(() => ({
      pieces,
      beforePiece: async piece => {
        if (piece > 0) await taken[piece - 1]!.promise
        sent.push(piece)
      },
    }))
    const talk = await openTalk(api, await makeAgent(api, { character_profile: 'You count.' }))
    const id = await makeWorkflow(api, echoGraph())
    for (const [path, body, piecesOf] of [
      [
        'workflow/run',
        { id, inputs: { query: 'count' } },
        ({ event, data }: SentEvent) => (event === 'node.delta' && data.node_id === 'model' ? data.text : ''),
      ],
      [
        'conversation/chat',
        { ...talk, data_type: 'text', content: 'count' },
        ({ event, data }: SentEvent) => (event === 'delta' ? data.feedback[0].content : ''),
      ],
    ] as const) {
      const events = await stream(path, { ...body, stream: 1 })
      sent.length = 0
      for (const [at] of taken.entries()) taken[at] = Promise.withResolvers()
      const got: string[] = []
      while (got.length < pieces.length) {
        const piece = piecesOf((await events.next())!)
        if (piece === '') continue
        got.push(piece)
        assert.deepEqual([got.length, sent.length], [sent.length, got.length], 'deltas are not buffered')
        taken[got.length - 1]!.resolve()
      }
      assert.deepEqual(got, pieces)
      await events.rest()
    }
    model.play(body => ({
      beforePiece: piece => (piece === 2 ? gates.pass(`middle of ${lastUserText(body)}`) : undefined),
    }))
  })

  test('completes the run after the client disconnects', async () => {
    const { runId, events } = await midway('left alone')
    await events.leave()
    gates.open()
    const run = await until('the end of the run', async () => {
      const found = await runOf(api, runId)
      return found.status !== 'running' && found
    })
    assert.deepEqual([run.status, run.answer], ['succeeded', 'A: echo: left alone'])
    assert.equal(timesAsked(model, 'left alone'), 1)
  })

  test('returns the running state when the wait expires', async () => {
    gates.hold('middle of no hurry')
    const id = await makeWorkflow(api, echoGraph())
    const { status, run_id, answer, outputs } = await runWorkflow(api, id, 'no hurry', { wait: 0 })
    assert.deepEqual([status, answer, outputs], ['running', '', null])
    gates.open()
    await until('the end of the run', async () => (await runOf(api, run_id)).status === 'succeeded')
  })

  test('runs the requested version', async () => {
    const id = await makeWorkflow(api, chain(output('say', 'one')))
    await dataOf(api.post('workflow/update', { id, workflow: chain(output('say', 'two')) }))
    assert.equal((await runWorkflow(api, id, '')).answer, 'two')
    assert.equal((await runWorkflow(api, id, '', { version: 1 })).answer, 'one')
    const { status, json } = await api.post('workflow/run', { id, version: 3 })
    assert.deepEqual([status, json.code], [404, 40401])
  })
})

describe('stopping a run', () => {
  test('keeps the partial answer and closes the connection to the provider', async () => {
    const { runId, events } = await midway('a very long story')
    const stopped = await dataOf(api.post(`workflow/runs/${runId}/stop`))
    assert.deepEqual([stopped.run_id, stopped.status], [runId, 'stopped'])
    assert.match(stopped.answer, /^A: echo: ?/)
    assert.ok(stopped.answer.length < 'A: echo: a very long story'.length)
    const call = model.calls.chat.find(({ body }) => lastUserText(body) === 'a very long story')!
    assert.equal(await call.gone, true, 'the model request is aborted')
    const rest = await events.rest()
    assert.deepEqual([rest.at(-1)!.event, rest.at(-1)!.data.status], ['run.finished', 'stopped'])
    const run = await runOf(api, runId)
    assert.equal(run.nodes.find((each: Data) => each.node_id === 'model').status, 'stopped')
    const { prompt_tokens, completion_tokens } = run.usage
    assert.ok(prompt_tokens > 0 && completion_tokens > 0, 'tokens are estimated: they are paid for')
    const again = await dataOf(api.post(`workflow/runs/${runId}/stop`))
    assert.deepEqual([again.status, again.finished_at], ['stopped', stopped.finished_at])
  })

  test('stops a waiting run, which then rejects an answer', async () => {
    const id = await makeWorkflow(api, chain(node('ask', 'question', { question: 'Well?' })))
    const { run_id } = await runWorkflow(api, id, '')
    assert.equal((await dataOf(api.post(`workflow/runs/${run_id}/stop`))).status, 'stopped')
    assert.equal((await api.post(`workflow/runs/${run_id}/resume`, { answer: 'yes' })).json.code, 40901)
  })

  test('leaves a finished run unchanged', async () => {
    const id = await makeWorkflow(api, chain(output('say', 'done')))
    const { run_id } = await runWorkflow(api, id, '')
    const { status, answer } = await dataOf(api.post(`workflow/runs/${run_id}/stop`))
    assert.deepEqual([status, answer], ['succeeded', 'done'])
  })
})

describe('a waiting run', () => {
  const asking = () =>
    chain(
      output('before', 'Hello'),
      node('ask', 'question', { question: 'Which size, {{#sys.query#}}?', options: ['Small', 'Large'] }),
      output('say', 'You took {{#ask.answer#}}'),
    )

  test('resumes with the answer exactly once', async () => {
    const id = await makeWorkflow(api, asking())
    const waiting = await runWorkflow(api, id, 'Ada')
    assert.equal(waiting.status, 'waiting')
    assert.deepEqual(waiting.waiting, {
      node_id: 'ask',
      question: 'Which size, Ada?',
      options: ['Small', 'Large'],
    })
    assert.deepEqual(
      waiting.messages.map(({ content }: Data) => content),
      ['Hello', 'Which size, Ada?'],
    )
    const path = `workflow/runs/${waiting.run_id}/resume`
    const ended = await dataOf(api.post(path, { answer: 'large' }))
    assert.deepEqual([ended.status, ended.waiting], ['succeeded', null])
    assert.deepEqual(
      ended.messages.map(({ content }: Data) => content),
      ['You took Large'],
      'only messages sent after the resume',
    )
    assert.equal((await api.post(path, { answer: 'small' })).json.code, 40901)
    const all = await (await stream(`workflow/runs/${waiting.run_id}/events`)).rest()
    assert.deepEqual(
      all.filter(({ event }) => event === 'message').map(({ data }) => data.content),
      ['Hello', 'Which size, Ada?', 'You took Large'],
    )
    assert.equal(all.filter(({ event }) => event === 'run.started').length, 1)
    assert.equal(all.filter(({ event }) => event === 'run.waiting').length, 1)
  })

  test('accepts only one of several concurrent answers', async () => {
    const { run_id } = await runWorkflow(api, await makeWorkflow(api, asking()), 'Ada')
    const answers = await Promise.all(
      ['small', 'large', 'small', 'large'].map(answer =>
        api.post(`workflow/runs/${run_id}/resume`, { answer }),
      ),
    )
    assert.deepEqual(answers.map(({ json }) => json.code).sort(), [0, 40901, 40901, 40901])
  })

  test('streams only the events after the answer', async () => {
    const { run_id } = await runWorkflow(api, await makeWorkflow(api, asking()), 'Ada')
    const events = await stream(`workflow/runs/${run_id}/resume`, { answer: '1', stream: 1 })
    const rest = await events.rest()
    assert.equal(rest.at(-1)!.event, 'run.finished')
    assert.deepEqual(
      rest.filter(({ event }) => event === 'message').map(({ data }) => data.content),
      ['You took Small'],
    )
    assert.ok(!rest.some(({ event }) => event === 'run.started' || event === 'run.waiting'))
  })

  test('asks again after an invalid answer and completes after a valid one', async () => {
    const one = await runWorkflow(api, await makeWorkflow(api, coffeeGraph()), '我要拿铁（Latte）')
    assert.deepEqual([one.status, one.waiting.options], ['waiting', ['中杯', '大杯']])
    const path = `workflow/runs/${one.run_id}/resume`
    const two = await dataOf(api.post(path, { answer: 'hm, let me think' }))
    assert.equal(two.status, 'waiting')
    const three = await dataOf(api.post(path, { answer: '大杯（large）' }))
    assert.deepEqual([three.status, three.answer], ['succeeded', 'Latte/large'])
    assert.deepEqual(three.outputs, { text: 'Latte/large', result: 'Latte/large' })
  })

  test('rejects a resume of a conversation run, which is answered through the chat', async () => {
    const workflow_id = await makeWorkflow(api, asking())
    const talk = await openTalk(api, await makeAgent(api, { workflow_id }))
    const { run_id, waiting } = await say(api, talk, 'Ada')
    assert.equal(waiting, true)
    const refused = await api.post(`workflow/runs/${run_id}/resume`, { answer: 'Large' })
    assert.equal(refused.json.code, 40902)
    assert.match(refused.json.message, /conversation\/chat/)
    assert.equal((await say(api, talk, 'Large')).feedback[0].content, 'You took Large')
  })
})

describe('run history', () => {
  test('filters and pages runs, newest first', async () => {
    const [one, two] = [
      await makeWorkflow(api, echoGraph()),
      await makeWorkflow(api, chain(node('ask', 'question', { question: 'Well?' }))),
    ]
    const runs: string[] = []
    for (const query of ['a', 'b', 'c', 'd', 'e']) runs.unshift((await runWorkflow(api, one, query)).run_id)
    const { run_id: waiting } = await runWorkflow(api, two, '')
    const talk = await openTalk(api, await makeAgent(api, { workflow_id: one }))
    await say(api, talk, 'hello')
    const list = (query: string): Promise<Data> => dataOf(api.get(`workflow/runs?${query}`))
    const idsOf = async (query: string): Promise<string[]> =>
      (await list(query)).items.map(({ run_id }: Data) => run_id)
    const own = (await idsOf(`id=${one}`)).slice(1)
    assert.deepEqual(own, runs)
    assert.deepEqual(await idsOf(`id=${two}`), [waiting])
    assert.deepEqual(await idsOf(`id=${two}&status=waiting`), [waiting])
    assert.deepEqual(await idsOf(`id=${one}&status=waiting`), [])
    assert.equal((await idsOf(`agent_id=${talk.agent_id}`)).length, 1)
    assert.equal((await idsOf(`conversation_id=${talk.conversation_id}`)).length, 1)
    assert.deepEqual(await idsOf('id=wf_nobody'), [])
    const paged: string[] = []
    for (const page of [1, 2, 3]) {
      const { total, items, next_cursor, ...rest } = await list(`id=${one}&page=${page}&page_size=2`)
      assert.deepEqual([total, rest], [6, { total_capped: false, page, page_size: 2 }])
      assert.equal(next_cursor === null, page === 3)
      paged.push(...items.map(({ run_id }: Data) => run_id))
    }
    assert.deepEqual(paged.slice(1), runs)
    assert.deepEqual((await list(`id=${one}&page=9`)).items, [])
    for (const wrong of ['page=0', 'page_size=101', 'status=lost', 'page=x'])
      assert.equal((await api.get(`workflow/runs?${wrong}`)).json.code, 40001, wrong)
  })
})

describe('debugging a single node', () => {
  const nodes: GraphNode[] = [
    node('text', 'template', { template: '{{#sys.query#}} and {{#far.result.items.1#}}' }),
    node('sum', 'code', {
      code: 'function main({ a, b }) { return { total: a + b } }',
      inputs: { a: '{{#far.a#}}', b: 2 },
    }),
    node('if', 'condition', {
      cases: [{ id: 'big', when: [{ left: '{{#far.a#}}', op: 'gt', right: '3' }] }, { id: 'small' }],
    }),
    llm('model', 'Say {{#far.result#}}'),
    node('ask', 'question', { question: 'Is it {{#far.a#}}?' }),
    node('search', 'web_search', { query: '{{#far.a#}}' }),
    output('say', 'It is {{#far.a#}}'),
  ]
  let id: string
  before(async () => {
    // `far` has an unknown kind, so the whole draft cannot run.
    const all = [node('input', 'input'), node('far', 'teleport'), ...nodes, node('end', 'end')]
    const edges = [
      edge('input', 'far'),
      ...nodes.flatMap(each => [edge('far', each.id), edge(each.id, 'end')]),
    ]
    id = (await dataOf(api.post('workflow/create', { workflow: graph(all, edges) }))).id
  })
  const outputs = { far: { a: 5, result: { items: ['no', 'yes'] } } }
  const attempt = (node_id: string, more: object = {}): Promise<ApiAnswer> =>
    api.post('workflow/debug', { id, node_id, inputs: { query: 'Q' }, outputs, ...more })

  for (const [name, expected] of Object.entries({
    text: { text: 'Q and yes' },
    sum: { total: 7, result: { total: 7 } },
    if: { case: 'big' },
    model: { text: 'echo: Say {"items":["no","yes"]}' },
    say: { text: 'It is 5' },
  }))
    test(`runs ${name} with the given outputs of the other nodes`, async () => {
      const { status, node: ran, outputs } = await dataOf(attempt(name))
      assert.deepEqual(outputs, ran.outputs)
      assert.deepEqual([status, ran.node_id, ran.status], ['succeeded', name, 'succeeded'])
      for (const [output, value] of Object.entries(expected)) assert.deepEqual(ran.outputs[output], value)
    })

  test('runs a search node and waits at a question node', async () => {
    assert.match((await dataOf(attempt('search'))).node.outputs.result, /example\.org\/banyan/)
    const asked = await dataOf(attempt('ask'))
    assert.deepEqual(
      [asked.status, asked.waiting.question, asked.node.status],
      ['waiting', 'Is it 5?', 'waiting'],
    )
    const resumed = await dataOf(api.post(`workflow/runs/${asked.run_id}/resume`, { answer: 'yes' }))
    assert.deepEqual([resumed.status, resumed.outputs.answer], ['succeeded', 'yes'])
    assert.equal((await runOf(api, asked.run_id)).outputs.answer, 'yes')
  })

  test('streams the events of a node', async () => {
    const { text } = await attempt('model', { stream: 1 })
    const events = [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)
    assert.deepEqual([events[0], events.at(-1)], ['run.started', 'run.finished'])
    assert.ok(events.includes('node.delta'))
  })

  test('tries a node once for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'try' }
    const body = { id, node_id: 'text', inputs: { query: 'Q' }, outputs }
    const [first, again] = [
      await api.post('workflow/debug', body, { headers }),
      await api.post('workflow/debug', { ...body, wait: 5 }, { headers }),
    ]
    assert.deepEqual(again.json.data, first.json.data)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    const other = await api.post('workflow/debug', { ...body, node_id: 'say' }, { headers })
    assert.equal(other.json.code, 40901)
    assert.equal((await api.post('workflow/run', { id }, { headers })).json.code, 40901)
  })

  test('streams the outputs of a node that waited', async () => {
    const { run_id } = await dataOf(attempt('ask'))
    const { text } = await api.post(`workflow/runs/${run_id}/resume`, { answer: 'yes', stream: 1 })
    const finished = JSON.parse(/event: run\.finished\ndata: (.*)/.exec(text)![1]!)
    assert.equal(finished.outputs.answer, 'yes')
  })

  test('collects the given outputs of the nodes before an end', async () => {
    const given = { say: { text: 'said' }, sum: { total: 7 }, far: { a: 5 } }
    const { outputs } = await dataOf(attempt('end', { outputs: given }))
    assert.deepEqual(outputs, { say: { text: 'said' }, sum: { total: 7 }, text: 'said', total: 7 })
  })

  test('sends the messages of a node, whatever other nodes would send before it', async () => {
    const inner = await makeWorkflow(api, chain(output('said', 'Three')))
    const graph = chain(
      output('first', 'One'),
      output('second', 'Two'),
      node('inner', 'workflow', { workflow_id: inner }),
    )
    const workflow = await makeWorkflow(api, graph)
    for (const [node_id, content] of [
      ['second', 'Two'],
      ['inner', 'Three'],
    ]) {
      const { messages } = await dataOf(api.post('workflow/debug', { id: workflow, node_id }))
      assert.deepEqual(
        messages.map((each: { content: string }) => each.content),
        [content],
      )
    }
  })

  test('renders a missing output as an empty string', async () => {
    assert.equal((await dataOf(attempt('say', { outputs: {} }))).node.outputs.text, 'It is ')
  })

  test('rejects unknown nodes, kinds and workflows and invalid outputs', async () => {
    assert.equal((await attempt('nobody')).json.code, 40401)
    assert.equal((await attempt('far')).json.code, 40001)
    assert.equal((await attempt('text', { id: 'wf_nobody' })).json.code, 40401)
    assert.equal((await attempt('text', { outputs: { far: 3 } })).json.code, 40001)
    assert.equal((await attempt('', {})).json.code, 40001)
  })

  test('records the run with the debug trigger', async () => {
    const { run_id } = await dataOf(attempt('text'))
    const run = await runOf(api, run_id)
    assert.deepEqual([run.trigger, run.workflow_id, run.nodes.length], ['debug', id, 1])
  })
})

describe('rejected requests', () => {
  test('returns 422 with every reason for a draft that cannot run', async () => {
    const draft = graph(
      [
        llm('lonely', 'x'),
        llm('one', '{{#ghost.text#}} {{#two.text#}} {{#broken'),
        llm('two', '{{#one.nothing#}}'),
        node('strange', 'teleport'),
        node('empty', 'template'),
      ],
      [edge('one', 'two'), edge('two', 'one')],
    )
    const id = await makeWorkflow(api, draft)
    const { status, json } = await api.post('workflow/run', { id, inputs: { query: 'x' } })
    assert.deepEqual([status, json.code, json.data.reason], [422, 42202, 'workflow_not_runnable'])
    assert.match(json.message, /cannot run yet: \/workflow\/nodes: .*input.* \(and \d+ more\)$/)
    const messages = json.data.errors.map(({ message }: Data) => message).join('\n')
    for (const words of [/input/, /end/, /circle/, /ghost/, /nothing/, /teleport/, /template/])
      assert.match(messages, words)
    for (const { path } of json.data.errors) assert.match(path, /^\/workflow\/(nodes|edges)/)
    const checked = await dataOf(api.post('workflow/check', { id }))
    assert.equal(checked.runnable, false)
    assert.equal((await dataOf(api.get(`workflow/runs?id=${id}`))).total, 0, 'nothing ran')
  })

  test('returns 404 for unknown workflows and runs', async () => {
    for (const [method, path, body] of [
      ['POST', 'workflow/run', { id: 'wf_nobody' }],
      ['GET', 'workflow/runs/run_nobody', undefined],
      ['GET', 'workflow/runs/run_nobody/events', undefined],
      ['POST', 'workflow/runs/run_nobody/stop', {}],
      ['POST', 'workflow/runs/run_nobody/resume', { answer: 'x' }],
    ] as const) {
      const { status, json } = await api.call(method, path, body)
      assert.deepEqual([status, json.code], [404, 40401], path)
    }
  })

  test('rejects invalid fields and reports their paths', async () => {
    const id = await makeWorkflow(api, echoGraph())
    for (const [body, field] of [
      [{}, '/id'],
      [{ id: 7 }, '/id'],
      [{ id: '../x' }, '/id'],
      [{ id, stream: 2 }, '/stream'],
      [{ id, stream: '1' }, '/stream'],
      [{ id, version: 0 }, '/version'],
      [{ id, inputs: [] }, '/inputs'],
      [{ id, inputs: { query: 7 } }, '/inputs/query'],
      [{ id, inputs: { files: 'x' } }, '/inputs/files'],
      [{ id, inputs: { files: ['file_nobody'] } }, '/inputs/files/0'],
      [{ id, wait: -1 }, '/wait'],
      [{ id, inputs: { query: 'x'.repeat(100_001) } }, '/inputs/query'],
    ] as const) {
      const { status, json } = await api.post('workflow/run', body)
      assert.deepEqual([status, json.code], [400, 40001], JSON.stringify(body).slice(0, 80))
      assert.equal(json.data.errors[0].path, field)
    }
    const { run_id } = await runWorkflow(api, id, 'x')
    const { json } = await api.get(`workflow/runs/${run_id}/events`, { headers: { 'last-event-id': 'x' } })
    assert.equal(json.code, 40001)
  })

  test('hides runs from other workspaces and protects them from changes', async () => {
    const other = await otherWorkspace()
    const { runId, events } = await midway('a private matter')
    const waitingId = (
      await runWorkflow(api, await makeWorkflow(api, chain(node('ask', 'question', { question: '?' }))), '')
    ).run_id
    const absent = `run_${'0'.repeat(22)}`
    for (const run of [runId, waitingId])
      for (const [method, path, body] of [
        ['GET', 'workflow/runs/ID', undefined],
        ['GET', 'workflow/runs/ID/events', undefined],
        ['POST', 'workflow/runs/ID/stop', {}],
        ['POST', 'workflow/runs/ID/resume', { answer: 'x' }],
      ] as const) {
        const [theirs, none] = [
          await other.call(method, path.replace('ID', run), body),
          await other.call(method, path.replace('ID', absent), body),
        ]
        assert.equal(theirs.status, 404)
        assert.equal(theirs.text.replace(run, absent), none.text, `${path} responds as for an unknown run`)
      }
    const { workflow_id } = await runOf(api, runId)
    assert.equal((await other.post('workflow/run', { id: workflow_id })).status, 404)
    assert.equal((await other.post('workflow/debug', { id: workflow_id, node_id: 'say' })).status, 404)
    assert.deepEqual((await dataOf(other.get(`workflow/runs?id=${workflow_id}`))).items, [])
    assert.equal((await dataOf(other.get('workflow/runs'))).total, 0)
    gates.open()
    assert.equal((await events.rest()).at(-1)!.data.status, 'succeeded')
    assert.equal((await runOf(api, waitingId)).status, 'waiting')
  })

  test('limits a viewer to reading and a runner to the runs of its agents', async () => {
    const tokenFor = async (body: object): Promise<ApiClient> =>
      api.as((await dataOf(api.post('token/create', { name: 't', ...body }))).token)
    const id = await makeWorkflow(api, chain(node('ask', 'question', { question: '?' }), output('say', 'ok')))
    const agent = await makeAgent(api, { workflow_id: id })
    const own = (await say(api, await openTalk(api, agent), 'hello')).run_id
    const foreign = (await runWorkflow(api, id, '')).run_id
    const viewer = await tokenFor({ role: 'viewer' })
    const runner = await tokenFor({ role: 'runner', agent_ids: [agent] })
    const statuses = async (who: ApiClient, calls: [string, string, object?][]): Promise<number[]> => {
      const found: number[] = []
      for (const [method, path, body] of calls) found.push((await who.call(method, path, body)).status)
      return found
    }
    assert.deepEqual(
      await statuses(viewer, [
        ['GET', 'workflow/runs'],
        ['GET', `workflow/runs/${foreign}`],
        ['GET', `workflow/runs/${foreign}/events`],
        ['POST', 'workflow/run', { id }],
        ['POST', 'workflow/debug', { id, node_id: 'say' }],
        ['POST', `workflow/runs/${foreign}/stop`, {}],
        ['POST', `workflow/runs/${foreign}/resume`, { answer: 'x' }],
      ]),
      [200, 200, 200, 403, 403, 403, 403],
    )
    assert.deepEqual(
      await statuses(runner, [
        ['GET', 'workflow/runs'],
        ['GET', `workflow/runs/${own}`],
        ['GET', `workflow/runs/${own}/events`],
        ['GET', `workflow/runs/${foreign}`],
        ['GET', `workflow/runs/${foreign}/events`],
        ['POST', 'workflow/run', { id }],
        ['POST', 'workflow/debug', { id, node_id: 'say' }],
        ['POST', `workflow/runs/${foreign}/stop`, {}],
        ['POST', `workflow/runs/${foreign}/resume`, { answer: 'x' }],
        ['POST', `workflow/runs/${own}/stop`, {}],
      ]),
      [200, 200, 200, 404, 404, 403, 403, 404, 404, 200],
    )
    assert.deepEqual(
      [(await runOf(api, own)).status, (await runOf(api, foreign)).status],
      ['stopped', 'waiting'],
    )
    assert.deepEqual(
      await statuses(api.as(undefined), [
        ['POST', 'workflow/run', { id }],
        ['GET', 'workflow/runs'],
      ]),
      [401, 401],
    )
  })
})

test('names the missing model setting in a run and in a chat', async () => {
  const bare = await startTestServer({ DEMO: 'off' })
  try {
    const id = await makeWorkflow(bare.api, echoGraph())
    const { status, error } = await runWorkflow(bare.api, id, 'hello')
    assert.deepEqual([status, error.reason, error.node_id], ['failed', 'not_configured', 'model'])
    assert.match(error.message, /MODEL_BASE_URL/)
    const talk = await openTalk(bare.api, await makeAgent(bare.api))
    const { status: code, json } = await bare.api.post('conversation/chat', {
      ...talk,
      data_type: 'text',
      content: 'hi',
    })
    assert.ok(code >= 400, 'a failed turn returns an error status')
    assert.match(json.msg, /MODEL_BASE_URL/)
    assert.match(json.feedback.at(-1).content, /MODEL_BASE_URL/)
    // Workflows without a model still run.
    const plain = await makeWorkflow(bare.api, chain(output('say', 'fine')))
    assert.equal((await runWorkflow(bare.api, plain, '')).answer, 'fine')
  } finally {
    await bare.stop()
  }
})
