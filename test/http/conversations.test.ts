import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { AppError } from '../../src/kernel/app-error.ts'
import { type ConversationServer, startConversationServer } from '../support/conversation-server.ts'

let server: ConversationServer
let agentId: string
let conversationId: string
before(async () => {
  server = await startConversationServer()
})
after(() => server.stop())
beforeEach(async () => {
  server.runs.script = async run => {
    await run.write('echo: ', run.request.inputs.query)
    await run.succeed()
  }
  agentId = await makeAgent()
  conversationId = await begin(agentId)
})

const makeAgent = async (body: object = {}): Promise<string> =>
  (await server.api.post('agent/create', { name: 'A', ...body })).json.data.id
const begin = async (agent: string, api = server.api): Promise<string> =>
  (await api.post('conversation/create', { agent_id: agent, env_type: 'open_platform' })).json.conversation_id
const chat = (body: object, api = server.api) =>
  api.post('conversation/chat', {
    ...{ agent_id: agentId, conversation_id: conversationId, data_type: 'text' },
    ...body,
  })
const retrieve = (body: object = {}, api = server.api) =>
  api.post('conversation/retrieve', { agent_id: agentId, conversation_id: conversationId, ...body })
const tokenOf = async (body: object): Promise<string> =>
  (await server.api.post('token/create', { name: 't', ...body })).json.data.token

test('returns flat responses and messages with the fields of the contract', async () => {
  const { status, json } = await chat({ content: 'hello', chat_id: 'chat_1', timestamp: 77, file_list: [] })
  assert.equal(status, 200)
  const { feedback, run_id, message_id: sent, ...rest } = json
  assert.deepEqual(rest, {
    ...{ code: 0, msg: 'success', chat_id: 'chat_1', conversation_id: conversationId },
  })
  assert.match(run_id, /^run_/)
  const [{ message_id, timestamp, ...reply }] = feedback
  assert.deepEqual(reply, { data_type: 'text', content: 'echo: hello', file_list: [] })
  const { retrieve_data } = (await retrieve()).json
  const message = { ...reply, message_id, timestamp, role: 1, chat_id: 'chat_1' }
  assert.deepEqual(retrieve_data[1], message)
  const detailed = (await retrieve({ details: 1 })).json.retrieve_data
  assert.deepEqual(detailed[1], { ...message, run_id })
  assert.equal(detailed[0].run_id, run_id)
  assert.deepEqual([retrieve_data[0].role, retrieve_data[0].timestamp], [0, 77])
  assert.equal(retrieve_data[0].message_id, sent)
  assert.deepEqual((await chat({ content: 'hello', chat_id: 'chat_1', timestamp: 78 })).json, json)
})

test('counts limit and offset from the newest message', async () => {
  for (const content of ['a', 'b', 'c']) await chat({ content })
  const contents = async (body: object) =>
    (await retrieve(body)).json.retrieve_data.map(({ content }: { content: string }) => content)
  const all = await contents({})
  assert.deepEqual(all, ['a', 'echo: a', 'b', 'echo: b', 'c', 'echo: c'])
  assert.deepEqual(await contents({ limit: 2, offset: 0 }), all.slice(4))
  assert.deepEqual(await contents({ limit: 3, offset: 2 }), all.slice(1, 4))
  assert.deepEqual(await contents({ limit: 100, offset: 5 }), all.slice(0, 1))
  assert.deepEqual(await contents({ limit: 100, offset: 100 }), [])
})

test('returns errors in the response format of the contract', async () => {
  for (const [body, status] of [
    [{ limit: 0 }, 400],
    [{ limit: 1001 }, 400],
    [{ limit: '10' }, 400],
    [{ offset: -1 }, 400],
    [{ conversation_id: 'conv_nope' }, 404],
    [{ agent_id: await makeAgent() }, 404],
  ] as const) {
    const answer = await retrieve(body)
    assert.equal(answer.status, status, JSON.stringify(body))
    assert.deepEqual(answer.json.retrieve_data, [])
    assert.equal(answer.json.conversation_id, 'conversation_id' in body ? 'conv_nope' : conversationId)
    assert.equal('data' in answer.json, false)
    assert.equal(typeof answer.json.msg, 'string')
  }
  const query = `agent_id=${agentId}&conversation_id=${conversationId}&chat_id=chat_nope`
  const { code, msg, reason, errors, ...turn } = (await server.api.get(`conversation/turn?${query}`)).json
  assert.deepEqual([code, reason, errors, typeof msg], [40401, 'not_found', [], 'string'])
  assert.deepEqual(turn, { conversation_id: conversationId, chat_id: 'chat_nope', feedback: [] })
  const encoded = (await server.api.post('%63onversation/re%74rieve', { conversation_id: 'c' })).json
  assert.deepEqual([encoded.code, encoded.conversation_id, encoded.retrieve_data], [40001, 'c', []])
  const versions = (await server.api.get(`conversation/versions?${query}&version=1`)).json
  assert.deepEqual([versions.conversation_id, versions.retrieve_data], [conversationId, []])
  for (const body of [
    { data_type: 'smell', content: 'x' },
    { content: '' },
    { content: 'x', chat_id: 'no id!' },
    { content: 'x', message_id: 'a b c' },
    { content: 'x', stream: 2 },
    { content: 'x', timestamp: -1 },
    { content: 'x', timestamp: Date.now() + 3 * 86_400_000 },
    { data_type: 'image', file_list: ['file_nope'] },
    { data_type: 'video', file_list: ['file_nope'] },
  ])
    assert.equal((await chat(body)).status, 400, JSON.stringify(body))
})

test('returns the error code and the error message as feedback for a failed turn', async () => {
  server.runs.script = run => run.fail({ reason: 'model_failed', message: 'The model is down' })
  const { status, json } = await chat({ content: 'hello', chat_id: 'chat_bad' })
  assert.equal(status, 502)
  assert.deepEqual([json.code, json.msg, json.reason], [50201, 'The model is down', 'model_failed'])
  assert.equal(json.chat_id, 'chat_bad')
  assert.equal(json.feedback[0].content, 'Sorry, this did not work: The model is down')
  assert.equal((await retrieve()).json.retrieve_data.length, 2)
})

test('returns waiting and options when the run asks a question', async () => {
  server.runs.script = run => run.ask('Which size?', ['small', 'large'])
  const { json } = await chat({ content: 'Latte' })
  assert.deepEqual(
    [json.code, json.waiting, json.options, json.feedback[0].content],
    [0, true, ['small', 'large'], 'Which size?'],
  )
})

test('returns 409 when the previous turn does not finish in time', async () => {
  const running = new Promise<() => Promise<void>>(resolve => {
    server.runs.script = async run => resolve(run.succeed)
  })
  const first = chat({ content: 'long' })
  const finish = await running
  const second = await chat({ content: 'short' })
  assert.deepEqual([second.status, second.json.code], [409, 40901])
  await finish()
  assert.equal((await first).status, 200)
})

test('requires a token for a private agent, none for a public one, and rejects an invalid token for both', async () => {
  const anonymous = server.api.as(undefined)
  const wrong = server.api.as('wrong')
  for (const answer of [
    await retrieve({}, anonymous),
    await chat({ content: 'x' }, anonymous),
    await anonymous.post('conversation/create', { agent_id: agentId }),
    await anonymous.post('conversation/create', { agent_id: 'agent_nope' }),
  ])
    assert.deepEqual([answer.status, answer.json.code], [401, 40101])
  await server.api.post('agent/update', { id: agentId, access: 'public' })
  assert.equal((await retrieve({}, anonymous)).status, 200)
  assert.equal((await retrieve({}, wrong)).status, 401)
  const own = await begin(agentId, anonymous)
  assert.match(own, /^conv_/)
  const said = await chat({ content: 'hi', conversation_id: own }, anonymous)
  assert.equal(said.json.feedback[0].content, 'echo: hi')
  const fields = { conversation_id: own, name: 'x', message_id: 'msg_1', rating: 'like' }
  for (const path of ['list', 'delete', 'rename', 'feedback'])
    assert.equal((await anonymous.post(`conversation/${path}`, fields)).status, 401)
  await server.api.post('agent/update', { id: agentId, access: 'private' })
  assert.equal((await retrieve({ conversation_id: own }, anonymous)).status, 401)
})

test('limits a runner to its own agents and a viewer to reading', async () => {
  const other = await makeAgent()
  const foreign = await begin(other)
  const runner = server.api.as(await tokenOf({ role: 'runner', agent_ids: [agentId] }))
  assert.equal((await chat({ content: 'hi' }, runner)).status, 200)
  assert.equal((await runner.post('conversation/create', { agent_id: other })).status, 403)
  assert.equal((await runner.post('conversation/delete', { conversation_id: foreign })).status, 404)
  const listed = (await runner.post('conversation/list', {})).json.items
  assert.ok(listed.length > 0)
  for (const item of listed) assert.equal(item.agent_id, agentId)
  assert.equal((await runner.post('conversation/list', { agent_id: other })).json.total, 0)
  const viewer = server.api.as(await tokenOf({ role: 'viewer' }))
  assert.equal((await retrieve({}, viewer)).status, 200)
  assert.equal((await viewer.post('conversation/list', {})).status, 200)
  assert.equal((await chat({ content: 'hi' }, viewer)).status, 403)
  assert.equal(
    (await viewer.post('conversation/rename', { conversation_id: foreign, name: 'x' })).status,
    403,
  )
})

test('lists, renames, rates and deletes a conversation', async () => {
  const { json } = await chat({ content: 'What is the secret word?', user_id: 'ada' })
  const list = async (body: object) =>
    (await server.api.post('conversation/list', { agent_id: agentId, ...body })).json
  const page = await list({})
  assert.deepEqual([page.code, page.total, page.items[0].name], [0, 1, 'What is the secret word?'])
  assert.equal(page.items[0].message_count, 2)
  const named = { conversation_id: conversationId, name: 'Words' }
  assert.equal((await server.api.post('conversation/rename', named)).status, 200)
  assert.equal((await list({ keyword: 'words' })).total, 1)
  assert.equal((await server.api.post('conversation/rename', { ...named, name: ' ' })).status, 200)
  assert.equal((await list({})).items[0].name, '')
  const rate = (body: object) =>
    server.api.post('conversation/feedback', { conversation_id: conversationId, ...body })
  const message_id = json.feedback[0].message_id
  const ratings = async () =>
    (await retrieve({ details: 1 })).json.retrieve_data.map(({ rating }: { rating?: string }) => rating)
  assert.equal((await rate({ message_id, rating: 'like', comment: 'good' })).status, 200)
  assert.deepEqual(await ratings(), [undefined, 'like'])
  assert.equal((await rate({ message_id, rating: null })).status, 200)
  assert.deepEqual(await ratings(), [undefined, undefined])
  assert.equal((await rate({ message_id, rating: 'love' })).status, 400)
  assert.equal((await rate({ message_id: 'msg_nope', rating: 'like' })).status, 404)
  const [asked] = (await retrieve()).json.retrieve_data
  assert.equal((await rate({ message_id: asked.message_id, rating: 'like' })).status, 404)
  const gone = { conversation_id: conversationId }
  assert.equal((await server.api.post('conversation/delete', gone)).status, 200)
  assert.equal((await server.api.post('conversation/delete', gone)).status, 404)
  assert.equal((await retrieve()).status, 404)
})

test('returns 404 for the conversations of a deleted agent', async () => {
  await server.api.post('agent/delete', { id: agentId })
  assert.equal((await retrieve()).status, 404)
  assert.equal((await chat({ content: 'x' })).status, 404)
})

test('creates one conversation for repeated requests with the same Idempotency-Key', async () => {
  const send = () =>
    server.api.post(
      'conversation/create',
      { agent_id: agentId },
      { headers: { 'idempotency-key': `k-${agentId}` } },
    )
  const first = await send()
  assert.deepEqual((await send()).json, first.json)
  assert.deepEqual(Object.keys(first.json), ['code', 'msg', 'conversation_id'])
})

test('returns the error when the run cannot start', async () => {
  server.runs.refusal = new AppError('workflow_not_runnable', 'No input node')
  const { status, json } = await chat({ content: 'x' })
  assert.deepEqual([status, json.code, json.feedback.length], [422, 42202, 1])
})
