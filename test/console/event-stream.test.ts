import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEvents, type ServerEvent } from '../../console/src/api/stream.ts'

async function eventsOf(...pieces: (string | Uint8Array)[]): Promise<ServerEvent[]> {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces)
        controller.enqueue(typeof piece === 'string' ? encoder.encode(piece) : piece)
      controller.close()
    },
  })
  const events: ServerEvent[] = []
  for await (const event of readEvents(new Response(body))) events.push(event)
  return events
}

test('events have an id, a name and JSON data, and comments between them are skipped', async () => {
  const events = await eventsOf('id: 1\nevent: node\ndata: {"a":1}\n\n: ping\n\ndata: {"b":\ndata: 2}\n\n')
  assert.deepEqual(events, [
    { id: '1', event: 'node', data: { a: 1 } },
    { id: '', event: 'message', data: { b: 2 } },
  ])
})

test('events may be split anywhere, also inside of a character, and lines may end with CRLF', async () => {
  const bytes = new TextEncoder().encode('data: {"text":"你好"}\r\n\r\ndata: {"end":true}\r\n\r\n')
  const events = await eventsOf(...Array.from(bytes, byte => Uint8Array.of(byte)))
  assert.deepEqual(
    events.map(({ data }) => data),
    [{ text: '你好' }, { end: true }],
  )
})

test('an event that was cut off is not delivered', async () => {
  assert.deepEqual(await eventsOf('data: {"whole":1}\n\ndata: {"cut"'), [
    { id: '', event: 'message', data: { whole: 1 } },
  ])
})
