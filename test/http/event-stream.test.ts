import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { limits } from '../../src/contract/limits.ts'
import { asAppError } from '../../src/http/errors.ts'
import {
  type EventSource,
  eventStream,
  lastEventId,
  type StreamOptions,
  withComments,
} from '../../src/http/event-stream.ts'
import { RequestsInProgress } from '../../src/http/requests-in-progress.ts'
import { AppError } from '../../src/kernel/app-error.ts'

const stopping = new AbortController().signal

let generation: number | undefined
const serverStub = {
  inProgress: new RequestsInProgress(),
  errorOf: (error: unknown) => asAppError(error),
  isStillAuthorized: async () => true,
  accessGeneration: () => generation,
}

function bodyOf(source: EventSource, stops = stopping, options: StreamOptions = {}): Readable {
  const request = { method: 'GET', server: { stopping: stops, ...serverStub } } as unknown as FastifyRequest
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

/** Emits no events and ends when the signal aborts. */
// biome-ignore lint/correctness/useYield: a source without events is what the tests need
async function* emptySource(signal: AbortSignal) {
  if (!signal.aborted) await once(signal, 'abort')
}

test('formats events with their ids and names in order', async () => {
  const body = bodyOf(async function* () {
    yield { id: 1, event: 'a', data: '{"x":"\\n"}' }
    yield { id: 5, event: 'b', data: '{}' }
  })
  assert.equal(
    await textOf(body),
    ': events follow\n\nid: 1\nevent: a\ndata: {"x":"\\n"}\n\nid: 5\nevent: b\ndata: {}\n\n',
  )
})

test('pulls events only as fast as the client reads', async () => {
  let produced = 0
  const body = bodyOf(async function* () {
    for (;;) yield { id: ++produced, event: 'a', data: 'x'.repeat(1000) }
  })
  body.read()
  await settle()
  const first = produced
  assert.ok(first <= 2, `${first} events for a client that reads none`)
  body.read()
  await settle()
  assert.ok(produced > first, 'reading resumes the source')
  body.destroy()
})

test('closes the source when the client disconnects', async () => {
  let signal: AbortSignal | undefined
  let isDone = false
  const body = bodyOf(async function* (gone) {
    signal = gone
    try {
      yield* emptySource(gone)
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

test('ends the stream with a comment when the server stops', async () => {
  const stops = new AbortController()
  const text = textOf(bodyOf(emptySource, stops.signal))
  await settle()
  stops.abort()
  assert.match(await text, /: the server is shutting down; reconnect with Last-Event-ID\n\n$/)
  assert.match(await textOf(bodyOf(emptySource, stops.signal)), /: the server is shutting down/)
})

test('sends an error event when the source fails, without internal details', async () => {
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

test('ends the stream when access is revoked', async t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let isAllowed = true
  let isDone = false
  const body = bodyOf(
    async function* (gone) {
      yield* emptySource(gone)
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

test('checks the access again after the start, and then only when it may have changed', async t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  generation = 1
  t.after(() => {
    generation = undefined
  })
  let checks = 0
  const isAllowed = async () => ++checks < 3
  const text = textOf(bodyOf(emptySource, stopping, { isAllowed }))
  for (let round = 0; round < 3; round++) {
    t.mock.timers.tick(500)
    await settle()
    assert.equal(checks, 1)
  }
  generation = undefined
  t.mock.timers.tick(500)
  await settle()
  assert.equal(checks, 2, 'unknown')
  generation = 2
  t.mock.timers.tick(500)
  assert.match(await text, /: access was revoked/)
})

test('does not open the source for HEAD', () => {
  const request = { method: 'HEAD', server: { stopping } } as unknown as FastifyRequest
  const answer = eventStream(request, () => assert.fail('the source was opened'))
  assert.equal(answer.body, undefined)
})

test('rejects a Last-Event-ID that is not a number', () => {
  const read = (value: unknown) =>
    lastEventId({ headers: { 'last-event-id': value } } as unknown as FastifyRequest)
  assert.deepEqual(['7', '0', undefined].map(read), [7, 0, undefined])
  for (const wrong of ['', 'x', '-1', '1.5', '9'.repeat(20)])
    assert.throws(() => read(wrong), { reason: 'invalid_request' })
})

test('adds comments to the events of another source while it is silent', async context => {
  context.mock.timers.enable({ apis: ['setInterval'] })
  const source = new PassThrough()
  const body = withComments(source)
  let text = ''
  body.on('data', piece => {
    text += String(piece)
  })
  source.write('data: 1\n\n')
  await settle()
  context.mock.timers.tick(limits.eventCommentMilliseconds)
  source.end('data: 2\n\n')
  await once(body, 'end')
  context.mock.timers.tick(limits.eventCommentMilliseconds)
  assert.equal(text, 'data: 1\n\n: still here\n\ndata: 2\n\n')
})
