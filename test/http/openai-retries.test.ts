import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { Gates } from '../support/gates.ts'
import { dataOf } from '../support/knowledge.ts'
import { chain, llm, output } from '../support/run-graphs.ts'
import { lastUserText } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { makeAgent, makeWorkflow, messagesOf, runOf, timesAsked } from '../support/talk.ts'
import { operatorToken, startTestServer, type TestServer } from '../support/test-server.ts'
import { until } from '../support/watch.ts'
import { node } from '../workflow/graphs.ts'

type Data = ApiAnswer['json']

const gates = new Gates()
let model: ScriptedModel
let server: TestServer
let api: ApiClient
let agent: string

before(async () => {
  model = await startScriptedModel()
  server = await startTestServer({ ...model.environment, DEMO: 'off' })
  api = server.api
  agent = await makeAgent(api)
})
afterEach(() => {
  gates.open()
  model.reset()
})
after(async () => {
  await server.stop()
  await model.stop()
})

const withKey = (key: string) => ({ headers: { 'idempotency-key': key } })
const complete = (content: string, key: string, more: object = {}, client = api) =>
  client.post(
    '/v1/chat/completions',
    { model: agent, messages: [{ role: 'user', content }], ...more },
    withKey(key),
  )
const respond = (input: string, key: string, more: object = {}) =>
  api.post('/v1/responses', { model: agent, input, ...more }, withKey(key))
const get = (id: string, client = api) => client.get(`/v1/responses/${id}`)
const whole = ({ created: _, created_at: __, ...rest }: Data) => rest

const asking = () =>
  makeWorkflow(
    api,
    chain(
      node('ask', 'question', { question: 'Which size?' }),
      llm('model', 'One {{#ask.text#}}'),
      output('say', '{{#model.text#}}'),
    ),
  )

describe('a request with an Idempotency-Key', () => {
  test('is answered once, and again with the same answer, whole or as a stream', async () => {
    const first = await complete('once', 'k-once')
    const again = await complete('once', 'k-once')
    assert.deepEqual([first.status, again.status], [200, 200], again.text)
    assert.equal(first.headers.get('idempotency-replayed'), null)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.deepEqual(whole(again.json), whole(first.json))
    assert.match((await complete('once', 'k-once', { stream: true })).text, /echo/)
    assert.equal(timesAsked(model, 'once'), 1)
    const talk = { agent_id: agent, conversation_id: first.json.conversation_id }
    assert.equal((await messagesOf(api, talk)).length, 2)
  })

  test('is one turn, however many arrive at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => complete('many', 'k-many')))
    for (const { status, text } of answers) assert.equal(status, 200, text)
    assert.equal(new Set(answers.map(({ json }) => json.id)).size, 1)
    assert.equal(timesAsked(model, 'many'), 1)
  })

  test('is refused for a different body, and keys are scoped to the token', async () => {
    await complete('mine', 'k-other')
    for (const refused of [
      await complete('else', 'k-other'),
      await respond('mine', 'k-other'),
      await complete('mine', 'k-other', { model: await makeAgent(api) }),
    ])
      assert.deepEqual([refused.status, refused.json.error.code], [409, 'version_conflict'], refused.text)
    const { token } = await dataOf(api.post('token/create', { name: 'e', role: 'editor' }))
    const theirs = await complete('else', 'k-other', {}, api.as(token))
    assert.deepEqual([theirs.status, theirs.headers.get('idempotency-replayed')], [200, null])
    const open = await makeAgent(api, {}, { access: 'public' })
    const anonymous = await complete('hi', 'k', { model: open }, api.as(undefined))
    assert.equal(anonymous.status, 400)
    assert.match(anonymous.json.error.message, /Idempotency-Key: requires a token/)
  })

  test('continues a response once', async () => {
    const first = (await respond('begin', 'k-begin')).json
    const next = { previous_response_id: first.id }
    const second = await respond('go on', 'k-next', next)
    const again = await respond('go on', 'k-next', next)
    assert.deepEqual(whole(again.json), whole(second.json))
    assert.equal(again.json.conversation.id, first.conversation.id)
    const branch = await respond('go on', 'k-branch', next)
    assert.notEqual(branch.json.conversation.id, first.conversation.id)
    assert.deepEqual(whole((await respond('go on', 'k-branch', next)).json), whole(branch.json))
    assert.equal(timesAsked(model, 'go on'), 2)
  })

  test('continues a response once, however many arrive at the same moment', async () => {
    const { id } = (await respond('start', 'k-start')).json
    const next = { previous_response_id: id }
    const answers = await Promise.all(Array.from({ length: 8 }, () => respond('onwards', 'k-onwards', next)))
    for (const { status, text } of answers) assert.equal(status, 200, text)
    assert.equal(new Set(answers.map(({ json }) => json.id)).size, 1)
    assert.equal(timesAsked(model, 'onwards'), 1)
  })

  test('runs a workflow once, and answers its question once', async () => {
    const workflow = { model: `workflow/${await asking()}` }
    const asked = await respond('pizza', 'k-run', workflow)
    assert.deepEqual(whole((await respond('pizza', 'k-run', workflow)).json), whole(asked.json))
    const reply = { ...workflow, previous_response_id: asked.json.id }
    const answered = await respond('large', 'k-reply', reply)
    assert.equal(answered.json.output[0].content[0].text, 'echo: One large')
    const again = await respond('large', 'k-reply', reply)
    assert.deepEqual([again.status, timesAsked(model, 'One large')], [409, 1])
    assert.match(again.json.error.message, new RegExp(`GET /v1/responses/${asked.json.id}`))
  })

  test('has the usage of its own response again, also after another one has continued the run', async () => {
    const graph = chain(
      llm('first', 'Before {{#sys.query#}}'),
      node('ask', 'question', { question: 'Which size?', options: ['small', 'large'] }),
      llm('second', 'Then {{#ask.text#}}, at more length'),
      output('say', '{{#second.text#}}'),
    )
    const workflow_id = await makeWorkflow(api, graph)
    const target = await makeAgent(api, { workflow_id })
    for (const [name, to] of [
      ['agent', target],
      ['workflow', `workflow/${workflow_id}`],
    ] as const) {
      const asked = await respond('pizza', `${name}-1`, { model: to })
      const reply = { model: to, previous_response_id: asked.json.id }
      const done = await respond('large', `${name}-2`, reply)
      const usages = [asked, done].map(({ json }) => json.usage.total_tokens)
      assert.ok(usages.every(tokens => tokens > 0) && usages[0] !== usages[1], String(usages))
      const run = (await runOf(api, asked.json.run_id)).usage.total_tokens
      assert.equal(usages[0] + usages[1], run)
      assert.deepEqual(whole((await respond('pizza', `${name}-1`, { model: to })).json), whole(asked.json))
      if (name === 'workflow') continue
      assert.deepEqual(whole((await respond('large', `${name}-2`, reply)).json), whole(done.json))
      for (const { json } of [asked, done]) assert.deepEqual((await get(json.id)).json.usage, json.usage)
    }
  })

  test('continues when its client disconnects, so that a retry gets the answer', async () => {
    gates.hold('middle')
    model.play(body =>
      lastUserText(body) === 'slow'
        ? { beforePiece: piece => (piece === 1 ? gates.pass('middle') : undefined) }
        : undefined,
    )
    const leaving = new AbortController()
    const body = JSON.stringify({ model: agent, messages: [{ role: 'user', content: 'slow' }] })
    const headers = { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' }
    const left = fetch(`${server.base}/v1/chat/completions`, {
      ...{ method: 'POST', body, signal: leaving.signal },
      headers: { ...headers, 'idempotency-key': 'k-slow' },
    })
    await until('the model is asked', async () => timesAsked(model, 'slow') === 1)
    leaving.abort()
    await assert.rejects(left)
    const again = complete('slow', 'k-slow')
    gates.open()
    assert.equal((await again).json.choices[0].message.content, 'echo: slow')
    assert.equal(timesAsked(model, 'slow'), 1)
  })
})

describe('an earlier response', () => {
  test('of an agent is the response that was given', async () => {
    const given = (await respond('hello', 'k-given')).json
    const { status, json, text } = await get(given.id)
    assert.equal(status, 200, text)
    assert.deepEqual(json, { ...given, created_at: json.created_at })
  })

  test('of a workflow has its final answer', async () => {
    const workflow = `workflow/${await asking()}`
    const asked = (await respond('pizza', 'k-get-1', { model: workflow })).json
    const before = (await get(asked.id)).json
    assert.deepEqual([before.status, before.model], ['completed', workflow])
    assert.equal(before.output.at(-1).content[0].text, 'Which size?')
    await respond('large', 'k-get-2', { model: workflow, previous_response_id: asked.id })
    const { output, usage } = (await get(asked.id)).json
    assert.equal(output.at(-1).content[0].text, 'echo: One large')
    assert.equal(usage.total_tokens, (await runOf(api, asked.run_id)).usage.total_tokens)
  })

  test('that failed has the reason, and one in progress has no output yet', async () => {
    model.play(body => (lastUserText(body) === 'fail' ? { status: 400, message: 'no' } : undefined))
    const talk = { agent_id: agent, conversation_id: (await respond('x', 'k-talk')).json.conversation.id }
    const failed = await api.post('conversation/chat', { ...talk, data_type: 'text', content: 'fail' })
    const idOf = (chatId: string) => `resp_${talk.conversation_id.slice(5)}${chatId.slice(5)}`
    const response = (await get(idOf(failed.json.chat_id))).json
    assert.deepEqual([response.status, response.error.code], ['failed', 'model_failed'])
    gates.hold('middle')
    model.play(() => ({ beforePiece: piece => (piece === 1 ? gates.pass('middle') : undefined) }))
    const chat_id = 'chat_aaaaaaaaaaaaaaaaaaaaaa'
    const message = { ...talk, data_type: 'text', content: 'wait', chat_id }
    const turn = api.post('conversation/chat', message)
    await until('it has begun', async () => (await get(idOf(chat_id))).status === 200)
    const { status, output, usage } = (await get(idOf(chat_id))).json
    assert.deepEqual([status, output, usage], ['in_progress', [], null])
    gates.open()
    await turn
    assert.equal((await get(idOf(chat_id))).json.status, 'completed')
  })

  test('that could not start a run has the reason', async () => {
    const workflow_id = await makeWorkflow(api, chain(llm('model', '{{#nowhere.text#}}')))
    const target = await makeAgent(api, { workflow_id })
    const created = (await api.post('conversation/create', { agent_id: target })).json
    const talk = {
      agent_id: target,
      conversation_id: created.conversation_id,
      chat_id: 'chat_bbbbbbbbbbbbbbbbbbbbbb',
    }
    const refused = await api.post('conversation/chat', { ...talk, data_type: 'text', content: 'x' })
    assert.equal(refused.status, 422, refused.text)
    const id = `resp_${talk.conversation_id.slice(5)}${talk.chat_id.slice(5)}`
    const { status, json, text } = await get(id)
    assert.deepEqual([status, json.status, json.usage?.total_tokens], [200, 'failed', 0], text)
  })

  test('of a workflow can be continued when it is complete', async () => {
    gates.hold('middle')
    model.play(() => ({ beforePiece: piece => (piece === 1 ? gates.pass('middle') : undefined) }))
    const id = await makeWorkflow(
      api,
      chain(llm('model', '{{#sys.query#}}'), output('say', '{{#model.text#}}')),
    )
    const { run_id } = await dataOf(api.post('workflow/run', { id, inputs: { query: 'one' }, wait: 0 }))
    const next = { model: `workflow/${id}`, previous_response_id: run_id.replace('run_', 'resp_') }
    const early = await respond('two', 'k-early', next)
    assert.deepEqual([early.status, early.json.error.code], [409, 'version_conflict'], early.text)
    gates.open()
    await until('it is complete', async () => (await runOf(api, run_id)).status === 'succeeded')
    assert.equal((await respond('two', 'k-early', next)).status, 200)
  })

  test('exists only for those who may see its conversation', async () => {
    const { id } = (await respond('secret', 'k-secret')).json
    const run = (await respond('pizza', 'k-secret-run', { model: `workflow/${await asking()}` })).json
    const { token } = await dataOf(api.post('workspace/create', { name: 'elsewhere' }))
    const other = await makeAgent(api)
    const runner = async (more: object) =>
      api.as((await dataOf(api.post('token/create', { name: 'r', role: 'runner', ...more }))).token)
    const others = [
      api.as(token),
      await runner({ agent_ids: [other] }),
      await runner({ agent_ids: [agent], user_id: 'bob' }),
    ]
    for (const client of others)
      for (const each of [id, run.id, `resp_${'a'.repeat(44)}`, `resp_${'a'.repeat(22)}`, 'resp_x']) {
        const { status, json } = await get(each, client)
        assert.deepEqual([status, json.error.code], [404, 'not_found'], each)
        assert.doesNotMatch(json.error.message, /secret/)
      }
    assert.equal((await get(id, await runner({ agent_ids: [agent] }))).status, 200)
    assert.equal((await get(id, api.as(undefined))).status, 401)
    assert.equal((await api.get(`/v1/responses/${id}?stream=true`)).status, 400)
  })
})
