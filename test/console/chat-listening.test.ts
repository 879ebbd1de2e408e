import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiFailure } from '../../console/src/api/api-failure.ts'
import { listenToTurn } from '../../console/src/pages/agents/chat/listen-to-turn.ts'

const delta = (id: string) => ({ id, event: 'delta', data: { code: 0 } })
const end = { id: '9', event: 'end', data: { code: 0, feedback: [] } }
const stopping = { id: '', event: 'end', data: { code: 50301, reason: 'unavailable', feedback: [] } }

type Connection = (ReturnType<typeof delta> | typeof stopping | Error)[]

/** Consecutive connections; an error breaks the one it is in. */
function listen(connections: Connection[], signal = new AbortController().signal) {
  const opened: (string | undefined)[] = []
  const heard: string[] = []
  const listening = listenToTurn({
    open: async function* (lastEventId) {
      const connection = connections[opened.length] ?? []
      opened.push(lastEventId)
      for (const event of connection) {
        if (event instanceof Error) throw event
        yield event
      }
    },
    onEvent: event => heard.push(`${event.event} ${event.id}`),
    pause: () => Promise.resolve(),
    signal,
  })
  return { listening, opened, heard }
}

test('a broken connection is resumed after the last event', async () => {
  const broken = new TypeError('network error')
  const { listening, opened, heard } = listen([[delta('1'), delta('2'), broken], [delta('3')], [end]])
  await listening
  assert.deepEqual(opened, [undefined, '2', '3'])
  assert.deepEqual(heard, ['delta 1', 'delta 2', 'delta 3', 'end 9'])
})

test('a server shutdown is not the end of the turn', async () => {
  const { listening, opened, heard } = listen([[delta('1'), stopping], [end]])
  await listening
  assert.deepEqual(opened, [undefined, '1'])
  assert.deepEqual(heard, ['delta 1', 'end 9'])
})

test('a rejection is reported immediately', async () => {
  const refusal = new ApiFailure('Too many', { reason: 'rate_limited' })
  const { listening, opened } = listen([[refusal], [end]])
  await assert.rejects(listening, refusal)
  assert.equal(opened.length, 1)
})

test('an unreachable server is reported after several attempts, which start over when events arrive', async () => {
  const away = new ApiFailure('The server cannot be reached', { reason: 'unreachable' })
  const silent = listen(Array.from({ length: 20 }, () => [away]))
  await assert.rejects(silent.listening, { reason: 'unreachable' })
  assert.ok(silent.opened.length < 10)
  const slow = listen([...Array.from({ length: 20 }, (_, at) => [delta(String(at)), away]), [end]])
  await slow.listening
  assert.equal(slow.opened.length, 21)
})

test('aborting stops the stream', async () => {
  const left = new AbortController()
  left.abort(new Error('left'))
  const { listening, opened } = listen([[new TypeError('aborted')], [end]], left.signal)
  await assert.rejects(listening, { message: 'left' })
  assert.equal(opened.length, 1)
})
