import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { openEvents, repliesOfDeltas, type SentEvent, textOfDeltas } from '../support/event-reader.ts'
import { chain, echoGraph, llm, output } from '../support/run-graphs.ts'
import type { ChatPlan } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import {
  makeAgent,
  makeWorkflow,
  openTalk,
  runOf,
  runWorkflow,
  say,
  send,
  talkWith,
  wordsOf,
} from '../support/talk.ts'
import { startTestServer, operatorToken as token } from '../support/test-server.ts'
import { until } from '../support/watch.ts'
import { extractorKind, node } from '../workflow/graphs.ts'

type Data = ApiAnswer['json']

interface FaultContext {
  api: ApiClient
  base: string
  model: ScriptedModel
}

/** Each test gets its own server and provider, so that circuit breaker state does not leak between tests. */
async function withFaults(work: (context: FaultContext) => Promise<void>): Promise<void> {
  const model = await startScriptedModel()
  const server = await startTestServer({ ...model.environment, DEMO: 'off' })
  try {
    await work({ api: server.api, base: server.base, model })
  } finally {
    await server.stop()
    await model.stop()
  }
}

/** Retries almost immediately, since these tests do not check the delay. */
const quick = { retry: { times: 2, delay_ms: 1 } }

const eventsOf = async ({ base }: FaultContext, runId: string): Promise<SentEvent[]> =>
  (await openEvents(base, `workflow/runs/${runId}/events`, { token })).rest()

const failuresIn = (events: readonly SentEvent[]): Data[] =>
  events.filter(({ event }) => event === 'node.failed').map(({ data }) => data)

/** The first calls follow the given plans, later calls succeed. */
const first =
  (...plans: ChatPlan[]) =>
  (_: unknown, count: number): ChatPlan | undefined =>
    plans[count - 1]

describe('a provider that does not respond', () => {
  test('times out after timeout_ms, retries and then fails the run', () =>
    withFaults(async context => {
      const { api, model } = context
      // Warms up, because the first call of a server takes longer than later ones.
      await runWorkflow(api, await makeWorkflow(api, echoGraph()), 'warm up')
      model.reset()
      model.play(() => ({ hang: true }))
      const id = await makeWorkflow(api, echoGraph({ timeout_ms: 1500, retry: { times: 1, delay_ms: 1 } }))
      const { run_id, status, error } = await runWorkflow(api, id, 'hello')
      assert.deepEqual([status, error.reason, error.node_id], ['failed', 'timed_out', 'model'])
      assert.match(error.message, /1\.5 seconds/)
      assert.equal(model.calls.chat.length, 2)
      for (const { gone } of model.calls.chat) assert.equal(await gone, true, 'no connection is left open')
      const events = await eventsOf(context, run_id)
      assert.deepEqual(
        failuresIn(events).map(({ attempt, will_retry }) => [attempt, will_retry]),
        [
          [1, true],
          [2, false],
        ],
      )
      assert.deepEqual(
        events.slice(-2).map(({ event }) => event),
        ['error', 'run.finished'],
      )
      assert.equal(
        (await runOf(api, run_id)).nodes.find((each: Data) => each.node_id === 'model').attempts,
        2,
      )
    }))

  test('resets the partial output when the response stalls', () =>
    withFaults(async context => {
      const { api, model } = context
      model.play(first({ hangAfter: 2 }))
      const id = await makeWorkflow(api, echoGraph({ timeout_ms: 1500, ...quick }))
      const { run_id, answer } = await runWorkflow(api, id, 'a long question')
      assert.equal(answer, 'A: echo: a long question')
      const events = await eventsOf(context, run_id)
      assert.ok(events.some(({ event, data }) => event === 'node.delta' && data.reset))
      assert.equal(
        textOfDeltas(events, data => data.node_id === 'model'),
        'echo: a long question',
      )
      assert.equal(
        textOfDeltas(events, data => data.node_id === 'say'),
        answer,
      )
    }))

  test('skips the node or uses its default according to on_error', () =>
    withFaults(async ({ api, model }) => {
      model.play(() => ({ status: 500 }))
      const rules = { retry: { times: 0 } }
      const skipping = await makeWorkflow(
        api,
        chain(llm('model', 'x', { ...rules, on_error: 'skip' }), output('say', 'never')),
      )
      assert.deepEqual((await runWorkflow(api, skipping, '')).status, 'succeeded')
      const otherwise = echoGraph({ ...rules, on_error: { default: 'nobody is in, {{#sys.query#}}' } })
      const ran = await runWorkflow(api, await makeWorkflow(api, otherwise), 'Ada')
      assert.deepEqual([ran.status, ran.answer], ['succeeded', 'A: nobody is in, Ada'])
    }))
})

describe('a provider that is rate limited', () => {
  test('pauses the calls of all runs until Retry-After has passed', () =>
    withFaults(async ({ api, model }) => {
      const at: number[] = []
      model.play((_, count) => {
        at.push(performance.now())
        return count === 1 ? { status: 429, headers: { 'retry-after': '1' } } : undefined
      })
      const id = await makeWorkflow(api, echoGraph(quick))
      const one = runWorkflow(api, id, 'one')
      await until('the first call', async () => at.length === 1)
      const answers = await Promise.all([one, runWorkflow(api, id, 'two'), runWorkflow(api, id, 'three')])
      assert.deepEqual(
        answers.map(({ answer }) => answer),
        ['A: echo: one', 'A: echo: two', 'A: echo: three'],
      )
      // Later calls wait for the pause; calls sent at the same moment as the first may miss it.
      assert.ok(at.length <= 6)
      assert.ok(at.slice(1).some(time => time - at[0]! >= 995))
      assert.ok(
        at.at(-1)! - at[0]! >= 995,
        `called again after ${at.map(time => Math.round(time - at[0]!))} ms`,
      )
    }))

  test('fails the run immediately when Retry-After is an hour', () =>
    withFaults(async ({ api, model }) => {
      model.play(() => ({ status: 429, headers: { 'retry-after': '3600' } }))
      const id = await makeWorkflow(api, echoGraph())
      const { status, error } = await runWorkflow(api, id, 'hello')
      assert.deepEqual([status, error.reason, model.calls.chat.length], ['failed', 'model_failed', 1])
    }))
})

describe('a failing provider', () => {
  test('retries the call twice', () =>
    withFaults(async ({ api, model }) => {
      model.play(first({ status: 500 }, { status: 503 }))
      const id = await makeWorkflow(api, echoGraph({ retry: { times: 2, delay_ms: 1 } }))
      assert.equal((await runWorkflow(api, id, 'hello')).answer, 'A: echo: hello')
      assert.equal(model.calls.chat.length, 3)
    }))

  test('stops calling the provider after five failures and reports why', () =>
    withFaults(async ({ api, model }) => {
      model.play(() => ({ status: 500, message: 'out of order' }))
      const id = await makeWorkflow(api, echoGraph(quick))
      const one = await runWorkflow(api, id, 'one')
      assert.deepEqual([one.status, one.error.reason, model.calls.chat.length], ['failed', 'model_failed', 3])
      assert.match(one.error.message, /500/)
      const once = await makeWorkflow(api, echoGraph({ retry: { times: 0 } }))
      await runWorkflow(api, once, 'two')
      await runWorkflow(api, once, 'three')
      assert.equal(model.calls.chat.length, 5)
      const rejected = await runWorkflow(api, once, 'four')
      assert.equal(model.calls.chat.length, 5, 'no further request is sent')
      assert.equal(rejected.status, 'failed')
      assert.match(rejected.error.message, /MODEL_BASE_URL/)
      // Workflows without a model are not affected.
      const plain = await makeWorkflow(api, chain(output('say', 'fine')))
      assert.equal((await runWorkflow(api, plain, '')).answer, 'fine')
    }))

  test('does not retry a permanent error', () =>
    withFaults(async ({ api, model }) => {
      for (const status of [400, 401, 403, 404]) {
        model.reset()
        model.play(() => ({ status, message: `no, because of ${model.apiKey}` }))
        const { text, json } = await api.post('workflow/run', {
          id: await makeWorkflow(api, echoGraph()),
          inputs: { query: 'x' },
        })
        assert.deepEqual([json.data.status, json.data.error.reason], ['failed', 'model_failed'])
        assert.equal(model.calls.chat.length, 1, String(status))
        assert.ok(!text.includes(model.apiKey))
      }
    }))

  for (const [name, plan] of Object.entries({
    'an error in a 200 response': { errorIn200: 'the model is overloaded', code: 'overloaded' },
    'an HTML page of a gateway': { html: true },
  } satisfies Record<string, ChatPlan>))
    test(`fails the run on ${name}`, () =>
      withFaults(async ({ api, model }) => {
        model.play(() => plan)
        const id = await makeWorkflow(api, echoGraph(quick))
        const { status, answer, error } = await runWorkflow(api, id, 'hello')
        assert.deepEqual([status, answer, error.reason], ['failed', '', 'model_failed'])
        assert.ok(model.calls.chat.length <= 3)
      }))
})

const question = 'Wer fragt 榕树 👩‍👩‍👧 été?'

describe('a model stream', () => {
  for (const [name, plan] of Object.entries({
    'cut off between two chunks': { cutAfter: 3 },
    'cut off in the middle of a chunk': { cutInPiece: 3 },
    'ended in the middle of a chunk': { endInPiece: 3 },
    'that contains an error': { errorInStream: { after: 3, message: 'overloaded' } },
    'with a line that is not JSON': { garbageLine: true },
    'with an endless line': { hugeLine: 2 << 20 },
  } satisfies Record<string, ChatPlan>))
    test(`retries a stream ${name} and resets its partial output`, () =>
      withFaults(async context => {
        const { api, model, base } = context
        const id = await makeWorkflow(api, echoGraph(quick))
        model.play(first(plan))
        const ran = await runWorkflow(api, id, question)
        assert.equal(ran.answer, `A: echo: ${question}`, JSON.stringify(ran.error))
        assert.ok(model.calls.chat.length <= 2)
        const events = await eventsOf(context, ran.run_id)
        assert.equal(
          textOfDeltas(events, data => data.node_id === 'model'),
          `echo: ${question}`,
        )
        assert.equal(
          textOfDeltas(events, data => data.node_id === 'say'),
          ran.answer,
        )
        assert.equal(events.filter(({ event }) => event === 'message').length, 1)

        model.reset()
        model.play(first(plan))
        const talk = await openTalk(api, await makeAgent(api, { workflow_id: id }))
        const body = { ...talk, data_type: 'text', content: question, stream: 1 }
        const chatEvents = await (await openEvents(base, 'conversation/chat', { token, body })).rest()
        assert.equal(chatEvents.at(-1)!.event, 'end')
        assert.deepEqual([...repliesOfDeltas(chatEvents).values()], [ran.answer])
        assert.equal(chatEvents.at(-1)!.data.feedback[0].content, ran.answer)
        assert.deepEqual(await wordsOf(api, talk), [
          [0, question],
          [1, ran.answer],
        ])
      }))

  test('fails the run and keeps the messages of the conversation when the stream is always cut off', () =>
    withFaults(async ({ api, model }) => {
      model.play(() => ({ cutAfter: 3 }))
      const id = await makeWorkflow(api, echoGraph({ retry: { times: 1, delay_ms: 1 } }))
      const { run_id, status, error } = await runWorkflow(api, id, question)
      assert.deepEqual([status, error.reason, model.calls.chat.length], ['failed', 'model_failed', 2])
      const { nodes } = await runOf(api, run_id)
      const { status: how, error: why } = nodes.find((each: Data) => each.node_id === 'model')
      assert.deepEqual([how, why.reason], ['failed', 'model_failed'])

      const talk = await openTalk(api, await makeAgent(api, { workflow_id: id }))
      const { status: code, json } = await send(api, talk, question)
      assert.deepEqual([code, json.code], [502, 50201])
      const words = await wordsOf(api, talk)
      assert.deepEqual(words[0], [0, question], 'the message of the user is kept')
      assert.match(words.at(-1)![1], /Sorry, this did not work|抱歉/)
      model.play(() => undefined)
      assert.equal((await say(api, talk, 'again')).feedback[0].content, 'A: echo: again')
    }))

  for (const [name, plan] of Object.entries({
    'sent byte by byte': { splitAt: 'every' },
    'split within characters': {
      splitAt: [1, 2, 3, 5, 8, 190, 191, 192, 193, 350, 351, 352, 353, 354, 700, 701, 702],
    },
    'with Windows line ends, a byte order mark and comments': {
      lineEnd: '\r\n',
      byteOrderMark: true,
      keepAlives: true,
      emptyChoices: true,
    },
    'without a final [DONE]': { withoutDone: true },
    'sent as a single JSON object': { withoutStream: true },
    'that is never closed': { neverClose: true },
  } satisfies Record<string, ChatPlan>))
    test(`reads the whole text on the first attempt from a stream ${name}`, () =>
      withFaults(async context => {
        const { api, model } = context
        model.play(() => plan)
        const { run_id, answer } = await runWorkflow(api, await makeWorkflow(api, echoGraph()), question)
        assert.deepEqual([answer, model.calls.chat.length], [`A: echo: ${question}`, 1])
        const events = await eventsOf(context, run_id)
        assert.ok(!events.some(({ data }) => data.reset))
        assert.equal(
          textOfDeltas(events, data => data.node_id === 'say'),
          answer,
        )
      }))
})

test('limits calls of 200 runs while the provider is down, keeps serving others and lets the runs recover', () =>
  withFaults(async ({ api, model }) => {
    let isDown = true
    model.play(() => (isDown ? { status: 503 } : undefined))
    const id = await makeWorkflow(api, echoGraph())
    const running = Array.from({ length: 200 }, (_, run) => runWorkflow(api, id, `run ${run}`))
    await until('the provider is called', async () => model.calls.chat.length > 0)
    for (const path of ['workflow/runs', '/healthz', '/readyz', `workflow?id=${id}`])
      assert.equal((await api.get(path)).status, 200, path)
    const plain = await makeWorkflow(api, chain(output('say', 'fine')))
    assert.equal((await runWorkflow(api, plain, '')).answer, 'fine')
    isDown = false
    const ended = await Promise.all(running)
    assert.ok(model.calls.chat.length <= 600, `${model.calls.chat.length} attempts`)
    for (const { status, error } of ended)
      if (status !== 'succeeded') assert.deepEqual([status, error.reason], ['failed', 'model_failed'])
    // Some runs may use up their attempts before the provider is back, on a slow machine more of them.
    const recovered = ended.filter(({ status }) => status === 'succeeded').length
    assert.ok(recovered > 100, `only ${recovered} runs recovered`)
  }))

test('a failure for the moment does not cost the values that an extractor has collected', () =>
  withFaults(async ({ api, model }) => {
    const parameters = ['name', 'city'].map(name => ({ name, type: 'string', description: name }))
    const take = node('take', extractorKind, { id: 'take', parameters, retry: { times: 0 } })
    const talk = await talkWith(api, chain(take, output('say', '{{#take.name#}} in {{#take.city#}}')))
    const found = (values: object) => ({ text: JSON.stringify({ values, reply: '' }) })
    model.play(first(found({ name: 'Ada' }), { status: 503 }, found({ city: 'Rome' })))
    const asked = await say(api, talk, 'I am Ada')
    const failed = await send(api, talk, 'Rome')
    assert.deepEqual(
      [failed.status, failed.json.reason, failed.json.waiting],
      [502, 'model_failed', undefined],
    )
    const { status, waiting, error } = await runOf(api, asked.run_id)
    assert.deepEqual([status, waiting.node_id, error], ['waiting', 'take', null])
    const { feedback, run_id } = await say(api, talk, 'Rome')
    assert.deepEqual([feedback[0].content, run_id], ['Ada in Rome', asked.run_id])
  }))
