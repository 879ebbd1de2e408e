import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { AppError } from '../../src/kernel/app-error.ts'
import { type ConversationServer, startConversationServer } from '../support/conversation-server.ts'

let server: ConversationServer
let place: { agent_id: string; conversation_id: string }
before(async () => {
  server = await startConversationServer()
})
after(() => server.stop())
beforeEach(async () => {
  const agent_id = (await server.api.post('agent/create', { name: 'A', access: 'public' })).json.data.id
  const { conversation_id } = (await server.api.post('conversation/create', { agent_id })).json
  place = { agent_id, conversation_id }
})

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
const body = (content: string, more: object = {}) => ({ ...place, data_type: 'text', content, ...more })
const endOf = (text: string) => JSON.parse(/event: end\ndata: (.*)\n/.exec(text)![1]!)

for (const who of ['with a token', 'without a token'])
  test(`processes a message once per Idempotency-Key, streamed or not, ${who}`, async () => {
    const api = who === 'with a token' ? server.api : server.api.as(undefined)
    const started = server.runs.started.length
    const first = (await api.post('conversation/chat', body('hi'), keyed('k'))).json
    assert.equal(first.code, 0)
    assert.deepEqual((await api.post('conversation/chat', body('hi'), keyed('k'))).json, first)
    const streamed = await api.post('conversation/chat', body('hi', { stream: 1 }), keyed('k'))
    assert.deepEqual(endOf(streamed.text), first)
    assert.equal(server.runs.started.length, started + 1)
    for (const more of [{}, { stream: 1 }]) {
      const { status, json } = await api.post('conversation/chat', body('other', more), keyed('k'))
      assert.deepEqual([status, json.code], [409, 40901])
    }
    assert.notEqual(
      (await api.post('conversation/chat', body('hi'), keyed('k2'))).json.chat_id,
      first.chat_id,
    )
  })

test('scopes the key to its caller and conversation', async () => {
  const chatId = async (api = server.api) =>
    (await api.post('conversation/chat', body('hi'), keyed('k'))).json.chat_id
  const mine = await chatId()
  const other = (await server.api.post('token/create', { name: 'e', role: 'editor' })).json.data.token
  assert.notEqual(await chatId(server.api.as(other)), mine)
  assert.notEqual(await chatId(server.api.as(undefined)), mine)
  place = { ...place, ...(await server.api.post('conversation/create', { agent_id: place.agent_id })).json }
  assert.notEqual(await chatId(), mine)
})

test('prefers chat_id over the key', async () => {
  const { json } = await server.api.post('conversation/chat', body('hi', { chat_id: 'mine' }), keyed('k'))
  assert.equal(json.chat_id, 'mine')
  const again = await server.api.post('conversation/chat', body('hi', { chat_id: 'mine' }), keyed('other'))
  assert.deepEqual(again.json, json)
})

test('rejects a chat_id that was used with another message, and names it', async () => {
  const { json: first } = await server.api.post('conversation/chat', body('one', { chat_id: 'c1' }))
  const started = server.runs.started.length
  for (const other of [{ content: 'two' }, { data_type: 'action' }, { file_list: ['file_x'] }]) {
    const sent = { ...body('one', { chat_id: 'c1' }), ...other }
    for (const stream of [false, true]) {
      const { status, json } = await server.api.post('conversation/chat', { ...sent, stream })
      assert.deepEqual([status, json.code, json.errors[0].path], [409, 40901, '/chat_id'])
      assert.deepEqual([json.chat_id, json.feedback, 'retrieve_data' in json], ['c1', [], false])
    }
  }
  assert.equal(server.runs.started.length, started)
  const again = await server.api.post('conversation/chat', body('one', { chat_id: 'c1', user_id: 'ada' }))
  assert.deepEqual(again.json, first)
})

test('resumes a turn by its chat_id and the message as it is stored, which has no inputs', async () => {
  const sent = body('hi', { chat_id: 'c1', inputs: { city: 'Oslo' } })
  const { json: first } = await server.api.post('conversation/chat', sent)
  const started = server.runs.started.length
  assert.deepEqual((await server.api.post('conversation/chat', body('hi', { chat_id: 'c1' }))).json, first)
  assert.equal(server.runs.started.length, started)
  for (const other of [body('ho', { chat_id: 'c1' }), { ...sent, inputs: { city: 'Rome' } }])
    assert.equal((await server.api.post('conversation/chat', other)).json.code, 40901)
  await server.api.post('conversation/chat', body('hi', { inputs: { city: 'Oslo' } }), keyed('k'))
  const keyReused = await server.api.post('conversation/chat', body('hi'), keyed('k'))
  assert.equal(keyReused.json.code, 40901, 'a key stands for the whole request')
})

test('rejects an Idempotency-Key on conversation creation without a token', async () => {
  const { status, json } = await server.api
    .as(undefined)
    .post('conversation/create', { agent_id: place.agent_id }, keyed('k'))
  assert.deepEqual([status, json.code], [400, 40001])
  assert.match(json.msg, /token/)
})

test('returns Retry-After when rate limited and accepts the same turn again', async () => {
  server.runs.refusal = new AppError('rate_limited', 'Too much', { headers: { 'retry-after': '7' } })
  const refused = await server.api.post('conversation/chat', body('hi', { chat_id: 'z' }))
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '7'])
  const again = await server.api.post('conversation/chat', body('hi', { chat_id: 'z' }))
  assert.deepEqual([again.status, again.json.feedback[0].content], [200, 'echo: hi'])
})
