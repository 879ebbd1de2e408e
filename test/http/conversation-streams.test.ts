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

interface StreamEvent {
  id: number
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: event data differs by event type
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

const eventsIn = (text: string): StreamEvent[] =>
  text
    .split('\n\n')
    .filter(block => block.startsWith('id: '))
    .map(block => {
      const [, id, event, data] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block)!
      return { id: Number(id), event: event!, data: JSON.parse(data!) }
    })

const readEvents = async (body: object = {}, headers = {}): Promise<StreamEvent[]> =>
  eventsIn(await (await open(body, headers)).text())

test('streams deltas in the response format and ends with the full answer', async () => {
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
  const rest = await readEvents({ chat_id: 'chat_s' }, { 'last-event-id': String(ids[1]) })
  assert.deepEqual(rest, events.slice(2))
})

test('sends each delta immediately', async () => {
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

test('ends the stream with the error code when the run fails', async () => {
  server.runs.script = run => run.fail({ reason: 'model_failed', message: 'down' })
  const [end] = await readEvents()
  assert.equal(end?.event, 'end')
  assert.deepEqual([end?.data.code, end?.data.reason, end?.data.feedback.length], [50201, 'model_failed', 1])
})

test('rejects an invalid request with JSON instead of a stream', async () => {
  const response = await open({ content: '' })
  assert.equal(response.status, 400)
  assert.equal(((await response.json()) as { code: number }).code, 40001)
})

test('keeps the run going after a disconnect and resumes the stream on reconnect', async () => {
  const running = new Promise<ScriptedRun>(resolve => {
    server.runs.script = async run => resolve(run)
  })
  const gone = new AbortController()
  const response = await open({ chat_id: 'chat_gone' }, {}, gone.signal)
  const run = await running
  gone.abort()
  await assert.rejects(response.text())
  const back = readEvents({ chat_id: 'chat_gone' }, { 'last-event-id': '1' })
  await run.write('still here')
  await run.succeed()
  assert.deepEqual(
    (await back).map(({ event }) => event),
    ['delta', 'end'],
  )
})

test('ends open streams and returns 503 to waiting requests on shutdown', async () => {
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
  // A full round trip, so the request above is waiting for the turn when the server stops.
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

test('applies Last-Event-ID only to an existing turn and rejects one that is not a number', async () => {
  server.runs.script = async run => {
    await run.write('one ', 'two')
    await run.succeed()
  }
  const first = await readEvents({ chat_id: 'chat_new' }, { 'last-event-id': '99' })
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
    const [ended] = await readEvents({ chat_id: 'chat_new' }, { 'last-event-id': String(beyond) })
    assert.deepEqual([ended?.event, ended?.id], ['end', end + 1])
  }
})

test('ends the stream with not_found when the conversation is deleted', async () => {
  const running = new Promise<ScriptedRun>(resolve => {
    server.runs.script = async run => resolve(run)
  })
  const response = await open({ chat_id: 'chat_deleted' })
  await running
  await server.api.post('conversation/delete', { conversation_id: place.conversation_id })
  const [, data] = /event: end\ndata: (.*)\n\n$/.exec(await response.text()) ?? []
  const ended = JSON.parse(data!)
  assert.deepEqual([ended.code, ended.reason, ended.chat_id], [40401, 'not_found', 'chat_deleted'])
  assert.match(ended.msg, /no conversation/)
})

test('ends the stream when the token is revoked or the agent becomes private', async () => {
  const streamUntilRevoked = async (
    headers: Record<string, string>,
    revoke: () => Promise<unknown>,
  ): Promise<string> => {
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
  const revoked = await streamUntilRevoked({ authorization: `Bearer ${token.token}` }, () =>
    server.api.post('token/delete', { id: token.id }),
  )
  assert.match(revoked, /: access was revoked/)
  const access = (value: string) => server.api.post('agent/update', { id: place.agent_id, access: value })
  await access('public')
  assert.match(await streamUntilRevoked({}, () => access('private')), /: access was revoked/)
})
