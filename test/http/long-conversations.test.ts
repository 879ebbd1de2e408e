import assert from 'node:assert/strict'
import type { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { messagesAnswer } from '../../src/http/routes/conversation-on-wire.ts'
import { type ConversationServer, startConversationServer } from '../support/conversation-server.ts'

const workspaceId = 'default'
const count = 130
let server: ConversationServer
let place: { agent_id: string; conversation_id: string }
before(async () => {
  server = await startConversationServer()
  const agent_id = (await server.api.post('agent/create', { name: 'A' })).json.data.id
  const { conversation_id } = (await server.api.post('conversation/create', { agent_id })).json
  place = { agent_id, conversation_id }
  await server.api.post('conversation/chat', { ...place, data_type: 'text', content: 'hi', chat_id: 'c' })
  // Each of these characters is escaped to six in JSON.
  for (let at = 3; at <= count; at++)
    await server.turns.addReply(
      { workspaceId, conversationId: conversation_id, chatId: 'c' },
      {
        ...{ id: `m${at}`, dataType: 'text', content: `${at} `.padEnd(20_000, '\u0001'), fileIds: [], at },
      },
    )
})
after(() => server.stop())

const retrieve = (body: object) => server.api.post('conversation/retrieve', { ...place, ...body })

test('streams a large page completely and in order', async () => {
  const { status, headers, json } = await retrieve({ limit: 1000 })
  assert.deepEqual([status, headers.get('content-length')], [200, null])
  assert.match(headers.get('content-type')!, /^application\/json/)
  assert.deepEqual(Object.keys(json), ['code', 'msg', 'conversation_id', 'retrieve_data'])
  assert.deepEqual(
    json.retrieve_data.slice(2).map(({ message_id }: { message_id: string }) => message_id),
    Array.from({ length: count - 2 }, (_, at) => `m${at + 3}`),
  )
  assert.equal(json.retrieve_data.at(-1).content.length, 20_000)
})

test('returns the matching slice for any limit and offset', async () => {
  const all = (await retrieve({ limit: 1000 })).json.retrieve_data
  for (const [limit, offset] of [
    [50, 0],
    [51, 0],
    [100, 1],
    [49, 80],
    [1000, 79],
    [1000, 129],
    [1000, 130],
  ] as const)
    assert.deepEqual(
      (await retrieve({ limit, offset })).json.retrieve_data,
      all.slice(Math.max(0, count - offset - limit), count - offset),
    )
})

test('loads long messages in small batches', async () => {
  const { messages } = server.store
  const batchSizes: number[] = []
  server.store.messages = (...request) => {
    batchSizes.push(request[3])
    return messages.apply(server.store, request)
  }
  await retrieve({ limit: 1000 })
  server.store.messages = messages
  assert.equal(batchSizes[0], 4)
  assert.ok(Math.max(...batchSizes) <= 30, String(batchSizes))
  assert.equal(
    batchSizes.reduce((sum, size) => sum + size),
    130,
  )
})

test('yields to the event loop between batches', async () => {
  async function* parts() {
    for (let part = 0; part < 10; part++)
      yield [
        {
          ...({ chatId: 'c', role: 1, dataType: 'text', fileIds: [], at: 1 } as const),
          ...{ id: `m${part}`, content: 'x'.repeat(300_000) },
        },
      ]
  }
  const { body } = await messagesAnswer('conv_x', parts())
  let turns = 0
  let isDone = false
  const count = (): void => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  for await (const _ of body as Readable);
  isDone = true
  assert.ok(turns >= 8, `${turns} event loop turns`)
})

test('returns an error code when loading fails before the first batch', async () => {
  const { messages } = server.store
  server.store.messages = () => Promise.reject(new Error('lost'))
  const { status, json } = await retrieve({})
  server.store.messages = messages
  assert.deepEqual([status, json.code, json.retrieve_data], [500, 50001, []])
})

test('stops active and waiting runs of a deleted agent', async () => {
  const agent_id = (await server.api.post('agent/create', { name: 'B' })).json.data.id
  const talk = async (content: string) => {
    const { conversation_id } = (await server.api.post('conversation/create', { agent_id })).json
    return server.api.post('conversation/chat', { agent_id, conversation_id, data_type: 'text', content })
  }
  server.runs.script = run => run.ask('Which size?')
  await talk('Latte')
  const waiting = server.runs.started.at(-1)!
  const running = new Promise<void>(resolve => {
    server.runs.script = async () => resolve()
  })
  const answer = talk('long')
  await running
  const active = server.runs.started.at(-1)!
  await server.api.post('agent/delete', { id: agent_id })
  await active.write('no subscriber is left')
  await server.conversations.sweep(new AbortController().signal)
  assert.deepEqual([active.record.status, waiting.record.status], ['stopped', 'stopped'])
  assert.equal((await answer).status, 404)
})
