import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { PassThrough, type Readable } from 'node:stream'
import { mock, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { destroyLater, drain } from '../../src/http/errors.ts'
import { uploadBody } from '../../src/http/upload.ts'
import { AppError } from '../../src/kernel/app-error.ts'
import { RawConnection, requestHead } from '../support/raw-connection.ts'
import { operatorToken, startTestServer } from '../support/test-server.ts'

/** Time that the test moves: timers, and the clock that measures how long a body has been silent. */
function heldTime(t: { after(restore: () => void): void }): (milliseconds: number) => Promise<void> {
  let now = 0
  mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  const clock = mock.method(performance, 'now', () => now)
  t.after(() => {
    mock.timers.reset()
    clock.mock.restore()
  })
  return async milliseconds => {
    for (let passed = 0; passed < milliseconds; passed += 1000) {
      now += 1000
      mock.timers.tick(1000)
      for (let turn = 0; turn < 10; turn++) await new Promise(resolve => setImmediate(resolve))
    }
  }
}

const asRequest = (body: Readable): IncomingMessage => body as unknown as IncomingMessage

async function readAll(request: Readable): Promise<number> {
  let size = 0
  for await (const chunk of uploadBody(asRequest(request))) size += chunk.length
  return size
}

const isTimeout = (error: unknown): boolean => error instanceof AppError && error.reason === 'request_timeout'

test('a body that falls silent is given up', async t => {
  const pass = heldTime(t)
  const request = new PassThrough()
  const reading = readAll(request).catch((error: unknown) => error)
  request.write('some')
  await pass(limits.bodyStallMilliseconds + 3000)
  assert.ok(isTimeout(await reading))
  assert.equal(request.destroyed, false, 'the client could not be told')
})

test('a body that drips is given up', async t => {
  const pass = heldTime(t)
  const request = new PassThrough()
  const reading = readAll(request).catch((error: unknown) => error)
  for (let seconds = 0; seconds < 40; seconds += 5) {
    request.write('x')
    await pass(5000)
  }
  assert.ok(isTimeout(await reading))
})

test('a body that flows may take as long as it likes', async t => {
  const pass = heldTime(t)
  const request = new PassThrough()
  const reading = readAll(request)
  for (let seconds = 0; seconds < 300; seconds += 10) {
    request.write(Buffer.alloc(20 << 10))
    await pass(10_000)
  }
  request.end()
  assert.equal(await reading, 30 * (20 << 10))
})

test('a disk that takes its time is not held against the client', async t => {
  const pass = heldTime(t)
  const request = new PassThrough()
  request.end(Buffer.alloc(100))
  let size = 0
  for await (const chunk of uploadBody(asRequest(request))) {
    await pass(limits.bodyStallMilliseconds * 2)
    size += chunk.length
  }
  assert.equal(size, 100)
})

test('a body that breaks off is no fault of the server', async () => {
  const request = new PassThrough()
  const reading = readAll(request).catch((error: unknown) => error)
  request.write('some')
  request.destroy(new Error('aborted'))
  const error = await reading
  assert.ok(error instanceof AppError && error.reason === 'malformed_http')
})

test('whoever stops reading a body early leaves it to be drained', async () => {
  const request = Object.assign(new PassThrough(), { headers: {}, complete: false })
  request.write(Buffer.alloc(1 << 10))
  for await (const chunk of uploadBody(asRequest(request))) {
    assert.ok(chunk.length > 0)
    break
  }
  request.end(Buffer.alloc(1 << 20))
  await drain(asRequest(request))
  assert.equal(request.readableEnded, true)
})

test('draining ends after its time, and after its bytes', async t => {
  const pass = heldTime(t)
  const silent = Object.assign(new PassThrough(), { headers: {}, complete: false })
  const drained = drain(asRequest(silent))
  await pass(limits.drainMilliseconds + 1000)
  await drained
  const declared = { 'content-length': String(limits.drainBytes + 1) }
  await drain(asRequest(Object.assign(new PassThrough(), { headers: declared, complete: false })))
})

test('who goes on sending after the answer is cut off, who stops is not', async t => {
  const pass = heldTime(t)
  const kept = new PassThrough()
  const body = new PassThrough()
  destroyLater(kept as unknown as Socket, body)
  body.destroy()
  const cut = new PassThrough()
  destroyLater(cut as unknown as Socket, cut)
  await pass(limits.drainMilliseconds + 1000)
  assert.deepEqual([kept.destroyed, cut.destroyed], [false, true])
})

test('slow clients hold nobody up', async t => {
  // Not before: whoever moves the time of this process would move that of the server, too.
  const server = await startTestServer()
  t.after(() => server.stop())
  const head = requestHead('POST /api/v1/files/upload?name=a', [
    ['Host', 'x'],
    ['Authorization', `Bearer ${operatorToken}`],
    ['Content-Type', 'text/plain'],
    ['Content-Length', '1000'],
  ])
  const slow = await Promise.all(
    Array.from({ length: 200 }, async (_, at) => {
      const connection = await RawConnection.open(server.base)
      await connection.send(at % 2 === 0 ? head.slice(0, 40) : `${head}x`)
      return connection
    }),
  )
  for (let count = 0; count < 20; count++) assert.equal((await server.api.get('workflow?id=a')).status, 200)
  for (const connection of slow) connection.close()
})
