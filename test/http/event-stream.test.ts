import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { asAppError } from '../../src/http/errors.ts'
import {
  type EventSource,
  eventStream,
  lastEventId,
  type StreamOptions,
} from '../../src/http/event-stream.ts'
import { AppError } from '../../src/kernel/app-error.ts'

const stopping = new AbortController().signal

const noFault = { errorOf: (error: unknown) => asAppError(error), isStillAuthorized: async () => true }

function bodyOf(source: EventSource, stops = stopping, options: StreamOptions = {}): Readable {
  const request = { method: 'GET', server: { stopping: stops, ...noFault } } as unknown as FastifyRequest
  return eventStream(request, source, options).body as Readable
}

async function textOf(body: Readable): Promise<string> {
  let text = ''
  for await (const piece of body) text += String(piece)
  return text
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await setImmediate()
}

/** Gives nothing and ends with its signal. */
// biome-ignore lint/correctness/useYield: that is the point of it
async function* silence(signal: AbortSignal) {
  if (!signal.aborted) await once(signal, 'abort')
}

test('events are printed with their numbers and names, one after the other', async () => {
  const body = bodyOf(async function* () {
    yield { id: 1, event: 'a', data: '{"x":"\\n"}' }
    yield { id: 5, event: 'b', data: '{}' }
  })
  assert.equal(
    await textOf(body),
    ': events follow\n\nid: 1\nevent: a\ndata: {"x":"\\n"}\n\nid: 5\nevent: b\ndata: {}\n\n',
  )
})

test('no more is asked for than the client takes', async () => {
  let asked = 0
  const body = bodyOf(async function* () {
    for (;;) yield { id: ++asked, event: 'a', data: 'x'.repeat(1000) }
  })
  body.read()
  await settle()
  const first = asked
  assert.ok(first <= 2, `${first} events for a client that takes none`)
  body.read()
  await settle()
  assert.ok(asked > first, 'taking goes on')
  body.destroy()
})

test('a client that goes away frees the source', async () => {
  let signal: AbortSignal | undefined
  let isDone = false
  const body = bodyOf(async function* (gone) {
    signal = gone
    try {
      yield* silence(gone)
    } finally {
      isDone = true
    }
  })
  body.resume()
  await settle()
  body.destroy()
  await settle()
  assert.deepEqual([signal?.aborted, isDone], [true, true])
})

test('a server that stops ends the stream with a comment', async () => {
  const stops = new AbortController()
  const text = textOf(bodyOf(silence, stops.signal))
  await settle()
  stops.abort()
  assert.match(await text, /: the server is shutting down; reconnect with Last-Event-ID\n\n$/)
  assert.match(await textOf(bodyOf(silence, stops.signal)), /: the server is shutting down/)
})

test('a source that fails says so, and nothing of a cause that is ours', async () => {
  const failing = (error: Error) =>
    async function* () {
      yield { id: 3, event: 'a', data: '{}' }
      throw error
    }
  const ours = await textOf(bodyOf(failing(new Error('lost in /srv'))))
  assert.match(
    ours,
    /^id: 3\nevent: a\ndata: \{\}\n\nevent: error\ndata: \{"code":50001,.*"reason":"internal"\}\n\n$/m,
  )
  assert.doesNotMatch(ours, /srv/)
  const gone = failing(new AppError('not_found', 'There is no such run'))
  const options = { failure: (error: AppError) => ({ event: 'end', data: JSON.stringify(error.message) }) }
  assert.match(
    await textOf(bodyOf(gone, stopping, options)),
    /\n\nevent: end\ndata: "There is no such run"\n\n$/,
  )
})

test('a client that may not have it any longer gets no more of it', async t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let isAllowed = true
  let isDone = false
  const body = bodyOf(
    async function* (gone) {
      yield* silence(gone)
      isDone = true
    },
    stopping,
    { isAllowed: async () => isAllowed },
  )
  const text = textOf(body)
  t.mock.timers.tick(1000)
  await settle()
  assert.equal(isDone, false)
  isAllowed = false
  t.mock.timers.tick(1000)
  assert.match(await text, /: access was revoked[^\n]*\n\n$/)
  await settle()
  assert.equal(isDone, true)
})

test('a HEAD asks for nothing', () => {
  const request = { method: 'HEAD', server: { stopping } } as unknown as FastifyRequest
  const answer = eventStream(request, () => assert.fail('it was asked'))
  assert.equal(answer.body, undefined)
})

test('Last-Event-ID is a number, or it is refused', () => {
  const read = (value: unknown) =>
    lastEventId({ headers: { 'last-event-id': value } } as unknown as FastifyRequest)
  assert.deepEqual(['7', '0', undefined].map(read), [7, 0, undefined])
  for (const wrong of ['', 'x', '-1', '1.5', '9'.repeat(20)])
    assert.throws(() => read(wrong), { reason: 'invalid_request' })
})
