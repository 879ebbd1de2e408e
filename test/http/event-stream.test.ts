import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { type EventSource, eventStream, lastEventId } from '../../src/http/event-stream.ts'

const stopping = new AbortController().signal

function bodyOf(source: EventSource, stops = stopping): Readable {
  const request = { method: 'GET', server: { stopping: stops } } as unknown as FastifyRequest
  return eventStream(request, source).body as Readable
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
  assert.match(await text, /: the server stops; come back with Last-Event-ID\n\n$/)
  assert.match(await textOf(bodyOf(silence, stops.signal)), /: the server stops/)
})

test('a source that fails breaks the stream off', async () => {
  // biome-ignore lint/correctness/useYield: it fails before it could
  const body = bodyOf(async function* () {
    throw new Error('lost')
  })
  await assert.rejects(textOf(body), /lost/)
})

test('a HEAD asks for nothing', () => {
  const request = { method: 'HEAD', server: { stopping } } as unknown as FastifyRequest
  const answer = eventStream(request, () => assert.fail('it was asked'))
  assert.equal(answer.body, undefined)
})

test('Last-Event-ID is a number, or it does not count', () => {
  const read = (value: unknown) =>
    lastEventId({ headers: { 'last-event-id': value } } as unknown as FastifyRequest)
  assert.deepEqual(['7', '0', '', 'x', '-1', '1.5', '9'.repeat(20), undefined].map(read), [
    7,
    0,
    ...Array(6).fill(undefined),
  ])
})
