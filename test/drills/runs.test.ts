import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import type { Graph } from '../../src/workflow/graph.ts'
import type { ApiAnswer } from '../support/api-client.ts'
import {
  type EventReader,
  openEvents,
  repliesOfDeltas,
  type SentEvent,
  textOfDeltas,
} from '../support/event-reader.ts'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { Gates } from '../support/gates.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { rounds } from '../support/rounds.ts'
import { chain, coffeeGraph, echoGraph, llm, output } from '../support/run-graphs.ts'
import { type ChatBody, type ChatPlan, lastUserText } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { type ServerProcess, spawnServer } from '../support/server-process.ts'
import { type SinkServer, startSinkServer } from '../support/sink-server.ts'
import {
  makeAgent,
  makeWorkflow,
  openTalk,
  runOf,
  runWorkflow,
  say,
  send,
  type Talk,
  talkWith,
  timesAsked,
  wordsOf,
} from '../support/talk.ts'
import { until } from '../support/watch.ts'
import { node } from '../workflow/graphs.ts'

type Data = ApiAnswer['json']

const token = 'operator-token-of-the-drills'
/** Time limit for a run to continue after the server has restarted. */
const recoverySeconds = 30
const kills = rounds(1)

let database: FreshDatabase
let model: ScriptedModel
let sink: SinkServer
let server: ServerProcess
const gates = new Gates()

const start = (): Promise<ServerProcess> =>
  spawnServer(database, { ...model.environment, BOOTSTRAP_TOKEN: token, LOG_LEVEL: 'warn', DEMO: 'off' })

async function killAndRestart(): Promise<void> {
  assert.equal(await server.kill('SIGKILL'), 'SIGKILL')
  gates.open()
  server = await start()
}

const usesTool = ({ messages }: ChatBody): boolean => messages.some(({ role }) => role === 'tool')

/** Echoes the question. A call can be held before or in the middle of its answer. */
async function answer(body: ChatBody): Promise<ChatPlan | undefined> {
  const asked = lastUserText(body)
  if (body.tools && !usesTool(body))
    return { toolCalls: [{ name: 'note', arguments: { words: `noted ${asked}` } }] }
  await gates.pass(usesTool(body) ? `${asked} after its tool` : asked)
  return { beforePiece: piece => (piece === 2 ? gates.pass(`middle of ${asked}`) : undefined) }
}

/** Starts a run, disconnects once it has started, and returns its id. */
async function begin(graph: Graph, query: string): Promise<string> {
  const events = await openStream(graph, query)
  const first = await events.next()
  await events.leave()
  return first!.data.run_id
}

const openStream = async (graph: Graph, query: string): Promise<EventReader> =>
  openEvents(server.base, 'workflow/run', {
    token,
    body: { id: await makeWorkflow(server.api, graph), inputs: { query }, stream: 1 },
  })

const settled = (runId: string): Promise<Data> =>
  until(
    `the end of ${runId}`,
    async () => {
      const run = await runOf(server.api, runId)
      return ['queued', 'running'].includes(run.status) ? undefined : run
    },
    recoverySeconds,
  )

async function succeeded(runId: string): Promise<Data> {
  const run = await settled(runId)
  assert.equal(run.status, 'succeeded', JSON.stringify(run.error))
  return run
}

/** Starts a turn whose client disconnects before the answer. */
function sendAndForget(talk: Talk, content: string, more: object = {}): void {
  send(server.api, talk, content, more).catch(() => {})
}

const runsOf = async (talk: Talk): Promise<Data[]> =>
  (await server.api.get(`workflow/runs?conversation_id=${talk.conversation_id}`)).json.data.items

async function lastRunOf(talk: Talk): Promise<string> {
  const [run] = await until('a run of the conversation', async () => {
    const runs = await runsOf(talk)
    return runs.length > 0 && runs
  })
  return run.run_id
}

describe('crash recovery of runs', () => {
  before(async () => {
    database = await migratedDatabase()
    model = await startScriptedModel()
    sink = await startSinkServer()
    model.play(answer)
    sink.answer(async ({ path }) => {
      await gates.pass(path)
      return undefined
    })
    server = await start()
  })
  afterEach(() => gates.open())
  after(async () => {
    assert.equal(await server.kill('SIGTERM'), 0)
    await model.stop()
    await sink.stop()
    await database.drop()
  })

  test('kill -9 at any point: the run continues, and completed work is not repeated', async () => {
    const inner = await makeWorkflow(server.api, echoGraph())
    const post = (path: string) => ({
      method: 'POST',
      url: `${sink.origin}${path}`,
      body: { for: '{{#sys.query#}}' },
    })
    const note = {
      type: 'http',
      name: 'note',
      method: 'POST',
      url: `${sink.origin}/note`,
      parameters: { words: '' },
    }
    const held = [
      'middle of streamed',
      'looping after its tool',
      'second of steps',
      '/order',
      'item three',
      'item four',
      'round 1 of circling',
    ]
    gates.hold(...held)

    const streamed = await openStream(echoGraph(), 'streamed')
    const looping = await begin(echoGraph({ '数据源/API工具': [note] }), 'looping')
    const steps = await begin(
      chain(
        llm('one', 'first of {{#sys.query#}}'),
        llm('two', 'second of {{#sys.query#}}'),
        output('say', '{{#one.text#}}, {{#two.text#}}'),
      ),
      'steps',
    )
    const posting = await begin(
      chain(
        node('pay', 'http_request', post('/paid')),
        node('order', 'http_request', post('/order')),
        output('say', '{{#order.status#}}'),
      ),
      'posting',
    )
    const iterating = await begin(
      chain(
        node('each', 'iteration', {
          items: ['item one', 'item two', 'item three', 'item four'],
          workflow_id: inner,
          parallel: 4,
        }),
        output('say', '{{#each.result#}}'),
      ),
      'iterating',
    )
    const round = await makeWorkflow(
      server.api,
      chain(
        llm('model', 'round {{#sys.index#}} of circling'),
        node('add', 'code', {
          code: 'function main({ list, word }) { return { list: [...list, word] } }',
          inputs: { list: '{{#sys.inputs.list#}}', word: '{{#model.text#}}' },
        }),
      ),
    )
    const circling = await begin(
      chain(
        node('again', 'loop', {
          workflow_id: round,
          variables: { list: [] },
          until: { when: [{ left: '{{#loop.index#}}', op: 'equals', right: 2 }] },
        }),
        output('say', '{{#again.list#}}'),
      ),
      'circling',
    )
    const seen: SentEvent[] = []
    while (!seen.some(({ event }) => event === 'node.delta')) seen.push((await streamed.next())!)
    await gates.reached(...held)
    await until('the other items', async () => {
      const { nodes } = await runOf(server.api, iterating)
      return (
        nodes.filter(({ path, status }: Data) => path.endsWith('/say') && status === 'succeeded').length === 2
      )
    })
    // These steps have barely started.
    const late = await Promise.all(
      ['late one', 'late two', 'late three'].map(async query => {
        const events = await openEvents(server.base, 'workflow/run', {
          token,
          body: { id: inner, inputs: { query }, stream: 1 },
        })
        return { query, events }
      }),
    )
    const rest = Promise.all([streamed.rest(), ...late.map(({ events }) => events.rest())])
    await killAndRestart()
    seen.push(...(await rest)[0]!)
    assert.equal(streamed.isWhole(), false)

    assert.equal((await succeeded(looping)).answer, 'A: echo: looping')
    assert.equal(timesAsked(model, 'looping'), 3, 'the first call was made once, the second one twice')
    assert.equal(sink.received.filter(({ path }) => path === '/note').length, 1, 'the tool was called once')

    assert.equal((await succeeded(steps)).answer, 'echo: first of steps, echo: second of steps')
    assert.deepEqual([timesAsked(model, 'first of steps'), timesAsked(model, 'second of steps')], [1, 2])

    assert.equal((await succeeded(posting)).answer, '200')
    const orders = sink.received.filter(({ path }) => path === '/order')
    const [first, second] = orders.map(({ headers }) => headers['idempotency-key'])
    assert.equal(orders.length, 2)
    assert.ok(first && first === second, `the idempotency key stays the same: ${first}, ${second}`)
    assert.deepEqual(orders[0]!.body, orders[1]!.body)
    assert.equal(sink.received.filter(({ path }) => path === '/paid').length, 1)

    const items = ['one', 'two', 'three', 'four'].map(name => `item ${name}`)
    assert.deepEqual(
      JSON.parse((await succeeded(iterating)).answer),
      items.map(item => `A: echo: ${item}`),
    )
    assert.deepEqual(
      items.map(item => timesAsked(model, item)),
      [1, 1, 2, 2],
    )

    const circles = [0, 1, 2].map(number => `round ${number} of circling`)
    assert.deepEqual(
      JSON.parse((await succeeded(circling)).answer),
      circles.map(text => `echo: ${text}`),
    )
    assert.deepEqual(
      circles.map(text => timesAsked(model, text)),
      [1, 2, 1],
      'the first round is not run again',
    )

    const runId = seen[0]!.data.run_id
    assert.equal((await succeeded(runId)).answer, 'A: echo: streamed')
    assert.equal(timesAsked(model, 'streamed'), 2)
    const again = await openEvents(server.base, `workflow/runs/${runId}/events`, {
      token,
      headers: { 'last-event-id': String(seen.at(-1)!.id) },
    })
    seen.push(...(await again.rest()))
    assert.ok(
      seen.every(({ id }, at) => at === 0 || id > seen[at - 1]!.id),
      'event numbers only increase',
    )
    assert.equal(seen.at(-1)!.event, 'run.finished')
    assert.equal(
      textOfDeltas(seen, data => data.node_id === 'model'),
      'echo: streamed',
    )
    assert.equal(
      textOfDeltas(seen, data => data.node_id === 'say'),
      'A: echo: streamed',
    )

    const { items: all } = (await server.api.get(`workflow/runs?id=${inner}&page_size=100`)).json.data
    for (const { query } of late) assert.ok(timesAsked(model, query) <= 2, query)
    for (const { run_id } of all) assert.match((await succeeded(run_id)).answer, /^A: echo: (late|item)/)
  })

  test('kill -9 in a turn: the message is kept, and every reply is sent once', async () => {
    const graph = chain(
      llm('one', 'one {{#sys.query#}}'),
      output('first', 'First: {{#one.text#}}'),
      node('remember', 'variable', { assign: { told: '{{#one.text#}}' } }),
      llm('two', 'two {{#sys.query#}} {{#memory.told#}}'),
      output('second', 'Second: {{#two.text#}}'),
    )
    const talk = await talkWith(server.api, graph)
    const streaming = await talkWith(server.api, graph)
    const prompt = (query: string): string => `two ${query} echo: one ${query}`
    gates.hold(prompt('plain'), `middle of ${prompt('streamed')}`)
    sendAndForget(talk, 'plain', { chat_id: 'chat_plain' })
    const body = { ...streaming, data_type: 'text', content: 'streamed', stream: 1, chat_id: 'chat_streamed' }
    const events = await openEvents(server.base, 'conversation/chat', { token, body })
    const seen: SentEvent[] = []
    while (!seen.some(({ data }) => data.feedback[0].content.startsWith('Second')))
      seen.push((await events.next())!)
    await gates.reached(prompt('plain'), `middle of ${prompt('streamed')}`)
    const rest = events.rest()
    await killAndRestart()
    seen.push(...(await rest))

    const runId = await lastRunOf(talk)
    assert.equal((await runsOf(talk)).length, 1)
    await succeeded(runId)
    assert.deepEqual(await wordsOf(server.api, talk), [
      [0, 'plain'],
      [1, 'First: echo: one plain'],
      [1, `Second: echo: ${prompt('plain')}`],
    ])
    assert.deepEqual([timesAsked(model, 'one plain'), timesAsked(model, prompt('plain'))], [1, 2])
    const again = await say(server.api, talk, 'plain', { chat_id: 'chat_plain' })
    assert.deepEqual(
      again.feedback.map(({ content }: Data) => content),
      ['First: echo: one plain', `Second: echo: ${prompt('plain')}`],
    )
    assert.equal((await runsOf(talk)).length, 1, 'a turn of the previous process runs nothing')

    const back = await openEvents(server.base, 'conversation/chat', {
      token,
      body,
      headers: { 'last-event-id': String(seen.at(-1)!.id) },
    })
    seen.push(...(await back.rest()))
    assert.equal(seen.at(-1)!.event, 'end')
    assert.ok(
      seen.every(({ id }, at) => at === 0 || id > seen[at - 1]!.id),
      'event numbers only increase',
    )
    const replies = ['First: echo: one streamed', `Second: echo: ${prompt('streamed')}`]
    assert.deepEqual([...repliesOfDeltas(seen).values()], replies)
    assert.deepEqual(
      seen.at(-1)!.data.feedback.map(({ content }: Data) => content),
      replies,
    )
    assert.deepEqual(await wordsOf(server.api, streaming), [
      [0, 'streamed'],
      ...replies.map(text => [1, text]),
    ])
  })

  test('kill -9 between and within turns: an order over several turns is completed', async () => {
    const [between, within] = [
      await talkWith(server.api, coffeeGraph()),
      await talkWith(server.api, coffeeGraph()),
    ]
    for (const talk of [between, within]) {
      const { waiting, options } = await say(server.api, talk, '我要拿铁（Latte）')
      assert.deepEqual([waiting, options], [true, ['中杯', '大杯']])
    }
    // The answer of the user was accepted, and the model is about to receive it.
    gates.hold('大杯（large），谢谢')
    sendAndForget(within, '大杯（large），谢谢')
    await gates.reached('大杯（large），谢谢')
    await killAndRestart()
    await succeeded(await lastRunOf(within))
    assert.equal(timesAsked(model, '大杯（large），谢谢'), 2)
    assert.equal(timesAsked(model, '我要拿铁（Latte）'), 2, 'once in each conversation')
    const { feedback } = await say(server.api, between, '大杯（large）')
    assert.equal(feedback.at(-1).content, 'Latte/large')
    for (const [talk, reply] of [
      [between, '大杯（large）'],
      [within, '大杯（large），谢谢'],
    ] as const) {
      const words = await wordsOf(server.api, talk)
      assert.deepEqual(
        words.map(([role]) => role),
        [0, 1, 0, 1],
      )
      assert.deepEqual(
        [words[0]![1], words[2]![1], words[3]![1]],
        ['我要拿铁（Latte）', reply, 'Latte/large'],
      )
      assert.equal((await runsOf(talk)).length, 1)
    }
  })

  test('kill -9 during the recovery itself: the next start still recovers', async () => {
    gates.hold('middle of hard times')
    const run = await begin(
      chain(llm('one', 'easy times'), llm('two', '{{#sys.query#}}'), output('say', '{{#two.text#}}')),
      'hard times',
    )
    await gates.reached('middle of hard times')
    await server.kill('SIGKILL')
    // The server is killed right after it starts.
    for (const milliseconds of [0, 20]) {
      server = await start()
      await sleep(milliseconds)
      await server.kill('SIGKILL')
    }
    gates.open()
    server = await start()
    const { status, error, answer: text } = await settled(run)
    assert.equal(timesAsked(model, 'easy times'), 1)
    assert.ok(timesAsked(model, 'hard times') <= 2)
    // The second crash may hit the same call again, which then fails the run.
    if (status === 'succeeded') assert.equal(text, 'echo: hard times')
    else assert.match(error.message, /stopped twice/)
  })

  test('a step that was interrupted twice is not started a third time, and its conversation continues', async () => {
    const talk = await talkWith(server.api, echoGraph())
    const runningStep = async (): Promise<boolean> => {
      const [run] = await runsOf(talk)
      const { nodes } = await runOf(server.api, run.run_id)
      return nodes.some(({ node_id, status }: Data) => node_id === 'model' && status === 'running')
    }
    gates.hold('a fatal question')
    sendAndForget(talk, 'a fatal question')
    await gates.reached('a fatal question')
    await until('the step is in the journal', runningStep)
    await server.kill('SIGKILL')
    server = await start()
    await until('the second call', async () => timesAsked(model, 'a fatal question') === 2, recoverySeconds)
    const stored = await openDatabase(database)
    await until('its second start is in the journal', () =>
      stored.get("SELECT 1 FROM run_steps WHERE status = 'running' AND starts = 2"),
    )
    await stored.close()
    await killAndRestart()
    const { status, error } = await settled(await lastRunOf(talk))
    assert.deepEqual([status, error.node_id], ['failed', 'model'])
    assert.match(error.message, /stopped twice/)
    assert.equal(timesAsked(model, 'a fatal question'), 2)
    const words = await wordsOf(server.api, talk)
    assert.deepEqual(
      words.map(([role]) => role),
      [0, 1],
    )
    assert.match(words[1]![1], /stopped twice/)
    assert.equal((await say(server.api, talk, 'another one')).feedback[0].content, 'A: echo: another one')
  })

  test('kill -9 right after the start: an unfinished call is repeated at most once', async () => {
    gates.hold('asked in vain', '/in-vain')
    const asking = await begin(echoGraph({ retry: { times: 0 } }), 'asked in vain')
    const posting = await begin(
      chain(node('post', 'http_request', { method: 'POST', url: `${sink.origin}/in-vain`, body: 'x' })),
      'posting in vain',
    )
    const posts = (): SinkServer['received'] => sink.received.filter(({ path }) => path === '/in-vain')
    for (const worker of [1, 2]) {
      await until(
        `both calls of worker ${worker}`,
        async () => timesAsked(model, 'asked in vain') === worker && posts().length === worker,
        recoverySeconds,
      )
      await server.kill('SIGKILL')
      server = await start()
    }
    gates.open()
    for (const run of [asking, posting]) assert.match((await settled(run)).error.message, /stopped twice/)
    assert.equal(timesAsked(model, 'asked in vain'), 2)
    assert.equal(posts().length, 2)
    assert.equal(new Set(posts().map(({ headers }) => headers['idempotency-key'])).size, 1)
  })

  test('repeated kill -9 at random moments: nothing is lost, and nothing is repeated too often', async () => {
    const id = await makeWorkflow(
      server.api,
      chain(
        llm('one', 'one {{#sys.query#}}'),
        node('post', 'http_request', {
          method: 'POST',
          url: `${sink.origin}/random/{{#sys.query#}}`,
          body: '{{#one.text#}}',
        }),
        llm('two', 'two {{#sys.query#}}'),
        output('say', '{{#post.status#}}: {{#two.text#}}'),
      ),
    )
    const agent = await makeAgent(server.api, { workflow_id: id })
    const [runs, talks] = [new Map<string, string>(), new Map<string, Talk>()]
    const begun: Promise<unknown>[] = []
    for (let round = 0; round < kills; round += 1) {
      for (let each = 0; each < 6; each += 1) {
        const name = `${round}-${each}`
        const run = runWorkflow(server.api, id, `run-${name}`, { wait: 0 })
        begun.push(run.then(({ run_id }) => runs.set(`run-${name}`, run_id)).catch(() => {}))
        const talk = await openTalk(server.api, agent)
        talks.set(`talk-${name}`, talk)
        sendAndForget(talk, `talk-${name}`, { chat_id: `chat-${name}` })
      }
      await sleep(Math.random() * 500)
      await killAndRestart()
    }
    await Promise.all(begun)
    assert.ok(runs.size > 0, 'some runs were acknowledged')
    const check = ({ status, answer: text, error }: Data, name: string): void => {
      // Two kills may have hit the same step.
      if (status === 'failed') assert.match(error.message, /stopped twice/)
      else assert.deepEqual([status, text], ['succeeded', `200: echo: two ${name}`])
      for (const step of ['one', 'two'])
        assert.ok(timesAsked(model, `${step} ${name}`) <= 2, `${step} ${name}`)
      const posts = sink.received.filter(({ path }) => path === `/random/${name}`)
      assert.ok(
        posts.length <= 2 && new Set(posts.map(({ headers }) => headers['idempotency-key'])).size <= 1,
      )
    }
    for (const [name, runId] of runs) check(await settled(runId), name)
    for (const [name, talk] of talks) {
      const [run, ...others] = await runsOf(talk)
      assert.deepEqual(others, [])
      // A turn with a stored message only ends at the next start, or a minute later.
      const ended: Data = run && (await settled(run.run_id))
      if (run) check(ended, name)
      const words = await wordsOf(server.api, talk)
      const texts = words.map(([, text]) => text)
      // The answer may be sent by the step that is then interrupted twice.
      if (ended?.status === 'failed') assert.match(texts.pop()!, /stopped twice/)
      else if (!run && texts[1]) assert.match(texts.pop()!, /interrupted/)
      const sent = [name, `200: echo: two ${name}`]
      const isComplete = ended?.status === 'succeeded'
      assert.deepEqual(texts, isComplete ? sent : sent.slice(0, texts.length), JSON.stringify(words))
    }
  })

  test('SIGTERM: streams end cleanly, short work is finished, and the rest continues after the restart', async () => {
    gates.hold('middle of short', 'middle of long')
    const readers = await Promise.all(['short', 'long'].map(query => openStream(echoGraph(), query)))
    const seen = await Promise.all(
      readers.map(async reader => {
        const events = [(await reader.next())!]
        while (!events.some(({ event }) => event === 'node.delta')) events.push((await reader.next())!)
        return events
      }),
    )
    const talk = await talkWith(server.api, echoGraph())
    gates.hold('middle of talk')
    const body = { ...talk, data_type: 'text', content: 'talk', stream: 1, chat_id: 'chat_of_the_stop' }
    const chat = await openEvents(server.base, 'conversation/chat', { token, body })
    await gates.reached('middle of short', 'middle of long', 'middle of talk')
    const path = `workflow/runs/${seen[1]![0]!.data.run_id}/events`
    const crowd = await Promise.all(
      Array.from({ length: 60 }, () => openEvents(server.base, path, { token })),
    )
    const ending = server.kill('SIGTERM')
    for (const [at, reader] of [...readers, chat, ...crowd].entries()) {
      const rest = await reader.rest()
      seen[at]?.push(...rest)
      assert.ok(reader.isWhole(), 'no stream is broken off')
      assert.match(reader.text(), /: the server is shutting down; reconnect with Last-Event-ID\n\n$/)
    }
    gates.open('middle of short')
    const late = sleep(30_000, 'too late', { ref: false })
    assert.equal(await Promise.race([ending, late]), 0)
    gates.open()
    server = await start()
    const [short, long] = seen.map(([first]) => first!.data.run_id)
    assert.equal((await succeeded(short)).answer, 'A: echo: short')
    assert.equal((await succeeded(long)).answer, 'A: echo: long')
    assert.deepEqual(
      ['short', 'long'].map(query => timesAsked(model, query)),
      [1, 2],
    )
    for (const [at, query] of ['short', 'long'].entries()) {
      const events = seen[at]!
      const again = await openEvents(server.base, `workflow/runs/${events[0]!.data.run_id}/events`, {
        token,
        headers: { 'last-event-id': String(events.at(-1)!.id) },
      })
      events.push(...(await again.rest()))
      assert.equal(
        textOfDeltas(events, data => data.node_id === 'say'),
        `A: echo: ${query}`,
      )
    }
    const answered = await say(server.api, talk, 'talk', { chat_id: 'chat_of_the_stop' })
    assert.equal(answered.feedback[0].content, 'A: echo: talk')
    assert.deepEqual(await wordsOf(server.api, talk), [
      [0, 'talk'],
      [1, 'A: echo: talk'],
    ])
  })

  test('kill -9 after SIGTERM: the run still continues', async () => {
    gates.hold('middle of doubly stopped')
    const run = await begin(echoGraph(), 'doubly stopped')
    await gates.reached('middle of doubly stopped')
    server.kill('SIGTERM')
    await until('the server is stopping', () =>
      fetch(`${server.base}/readyz`).then(
        answer => !answer.ok,
        () => true,
      ),
    )
    await killAndRestart()
    assert.equal((await succeeded(run)).answer, 'A: echo: doubly stopped')
    assert.equal(timesAsked(model, 'doubly stopped'), 2)
  })
})
