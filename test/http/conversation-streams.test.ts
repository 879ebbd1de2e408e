import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { ScriptedRun } from '../conversations/scripted-runs.ts'
import { type ConversationServer, startConversationServer } from '../support/conversation-server.ts'

let server: ConversationServer
let place: { agent_id: string; conversation_id: string }
before(async () => {
  server = await startConversationServer()
})
after(() => server.stop())
beforeEach(async () => {
  const agent_id = (await server.api.post('agent/create', { name: 'A' })).json.data.id
  const { conversation_id } = (await server.api.post('conversation/create', { agent_id })).json
  place = { agent_id, conversation_id }
})

interface Told {
  id: number
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: what an event holds is what the tests are there to find out
  data: any
}

function open(body: object, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(`${server.base}/api/v1/conversation/chat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...place, data_type: 'text', content: 'hello', stream: 1, ...body }),
    ...(signal && { signal }),
  })
}

const eventsIn = (text: string): Told[] =>
  text
    .split('\n\n')
    .filter(block => block.startsWith('id: '))
    .map(block => {
      const [, id, event, data] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block)!
      return { id: Number(id), event: event!, data: JSON.parse(data!) }
    })

const listen = async (body: object = {}, headers = {}): Promise<Told[]> =>
  eventsIn(await (await open(body, headers)).text())

test('pieces come as events whose data has the form of an answer, the whole at the end', async () => {
  server.runs.script = async run => {
    await run.write('一', '二', '三')
    await run.say({ dataType: 'action', content: '{}', fileIds: [] })
    await run.succeed()
  }
  const response = await open({ chat_id: 'chat_s' })
  assert.match(response.headers.get('content-type')!, /^text\/event-stream/)
  const events = eventsIn(await response.text())
  assert.deepEqual(
    events.map(({ event, data }) => [event, data.feedback[0].content]),
    [
      ['delta', '一'],
      ['delta', '二'],
      ['delta', '三'],
      ['message', '{}'],
      ['end', '一二三'],
    ],
  )
  for (const { data } of events)
    assert.deepEqual([data.code, data.chat_id, data.msg], [0, 'chat_s', 'success'])
  assert.equal(events[0]!.data.feedback[0].message_id, events.at(-1)!.data.feedback[0].message_id)
  assert.equal(typeof events[0]!.data.feedback[0].timestamp, 'number')
  const ids = events.map(({ id }) => id)
  assert.ok(ids.every((id, at) => at === 0 || id > ids[at - 1]!))
  const rest = await listen({ chat_id: 'chat_s' }, { 'last-event-id': String(ids[1]) })
  assert.deepEqual(rest, events.slice(2))
})

test('each piece is sent at once', async () => {
  const running = new Promise<ScriptedRun>(resolve => {
    server.runs.script = async run => resolve(run)
  })
  const reader = (await open({})).body!.pipeThrough(new TextDecoderStream()).getReader()
  const run = await running
  let seen = ''
  const until = async (words: string): Promise<void> => {
    while (!seen.includes(words)) seen += (await reader.read()).value
  }
  await until(': ')
  run.emit('node.delta', { text: 'first', message_id: 'm' })
  await until('first')
  run.emit('node.delta', { text: 'second', message_id: 'm' })
  await until('second')
  await run.succeed()
  await until('event: end')
})

test('a failure ends the stream with its code', async () => {
  server.runs.script = run => run.fail({ reason: 'model_failed', message: 'down' })
  const [end] = await listen()
  assert.equal(end?.event, 'end')
  assert.deepEqual([end?.data.code, end?.data.reason, end?.data.feedback.length], [50201, 'model_failed', 1])
})

test('what is refused before is no stream', async () => {
  const response = await open({ content: '' })
  assert.equal(response.status, 400)
  assert.equal(((await response.json()) as { code: number }).code, 40001)
})

test('who hangs up does not stop the run, and comes back for the rest', async () => {
  const running = new Promise<ScriptedRun>(resolve => {
    server.runs.script = async run => resolve(run)
  })
  const gone = new AbortController()
  const response = await open({ chat_id: 'chat_gone' }, {}, gone.signal)
  const run = await running
  gone.abort()
  await assert.rejects(response.text())
  const back = listen({ chat_id: 'chat_gone' }, { 'last-event-id': '1' })
  await run.write('still here')
  await run.succeed()
  assert.deepEqual(
    (await back).map(({ event }) => event),
    ['delta', 'end'],
  )
})

test('a server that stops ends its streams, and waits for nobody', async () => {
  const own = await startConversationServer()
  const agent_id = (await own.api.post('agent/create', { name: 'A' })).json.data.id
  const { conversation_id } = (await own.api.post('conversation/create', { agent_id })).json
  let run: ScriptedRun | undefined
  const running = new Promise<void>(resolve => {
    own.runs.script = async each => {
      run = each
      resolve()
    }
  })
  const body = { agent_id, conversation_id, data_type: 'text', content: 'x', chat_id: 'chat_x' }
  const streamed = await fetch(`${own.base}/api/v1/conversation/chat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${own.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, stream: 1 }),
  })
  await running
  const plain = own.api.post('conversation/chat', body)
  // It waits for the same turn by the time the server stops.
  await own.api.post('agent/list', {})
  const stopped = own.close()
  assert.match(
    await streamed.text(),
    /: to receive the rest, send the same request with chat_id chat_x\n: the server is shutting down/,
  )
  const answer = await plain
  assert.deepEqual([answer.status, answer.json.code], [503, 50301])
  assert.deepEqual([answer.json.chat_id, answer.json.run_id], ['chat_x', run!.record.id])
  assert.match(answer.json.msg, /chat_x/)
  assert.deepEqual([answer.headers.get('connection'), answer.headers.get('retry-after')], ['close', '2'])
  await stopped
  await run!.succeed()
  await own.stop()
})

test('Last-Event-ID counts for a turn that was seen before, and is refused when it is no number', async () => {
  server.runs.script = async run => {
    await run.write('one ', 'two')
    await run.succeed()
  }
  const first = await listen({ chat_id: 'chat_new' }, { 'last-event-id': '99' })
  assert.deepEqual(
    first.map(({ event }) => event),
    ['delta', 'delta', 'end'],
  )
  const started = server.runs.started.length
  for (const garbage of ['x', '-1', '9'.repeat(20)]) {
    const response = await open({ chat_id: 'chat_garbage' }, { 'last-event-id': garbage })
    assert.deepEqual([response.status, ((await response.json()) as { code: number }).code], [400, 40001])
  }
  assert.equal(server.runs.started.length, started)
  const end = first.at(-1)!.id
  for (const beyond of [end, end + 1, end + 500]) {
    const [told] = await listen({ chat_id: 'chat_new' }, { 'last-event-id': String(beyond) })
    assert.deepEqual([told?.event, told?.id], ['end', end + 1])
  }
})

test('a conversation that is deleted ends its stream with why', async () => {
  const running = new Promise<ScriptedRun>(resolve => {
    server.runs.script = async run => resolve(run)
  })
  const response = await open({ chat_id: 'chat_deleted' })
  await running
  await server.api.post('conversation/delete', { conversation_id: place.conversation_id })
  const [, data] = /event: end\ndata: (.*)\n\n$/.exec(await response.text()) ?? []
  const told = JSON.parse(data!)
  assert.deepEqual([told.code, told.reason, told.chat_id], [40401, 'not_found', 'chat_deleted'])
  assert.match(told.msg, /no conversation/)
})

test('who may not listen any longer gets no more: a token that is revoked, an agent that is no longer public', async () => {
  const lost = async (headers: Record<string, string>, revoke: () => Promise<unknown>): Promise<string> => {
    const running = new Promise<ScriptedRun>(resolve => {
      server.runs.script = async run => resolve(run)
    })
    place = { ...place, ...(await server.api.post('conversation/create', place)).json }
    const response = await fetch(`${server.base}/api/v1/conversation/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ ...place, data_type: 'text', content: 'hi', stream: 1 }),
    })
    const run = await running
    await revoke()
    const text = await response.text()
    await run.succeed()
    return text
  }
  const token = (await server.api.post('token/create', { name: 't', role: 'editor' })).json.data
  const revoked = await lost({ authorization: `Bearer ${token.token}` }, () =>
    server.api.post('token/delete', { id: token.id }),
  )
  assert.match(revoked, /: access was revoked/)
  const access = (value: string) => server.api.post('agent/update', { id: place.agent_id, access: value })
  await access('public')
  assert.match(await lost({}, () => access('private')), /: access was revoked/)
})
