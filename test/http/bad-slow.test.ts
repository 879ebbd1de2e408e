import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { PassThrough, type Readable } from 'node:stream'
import { mock, test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { readJson } from '../../src/http/body.ts'
import { destroyLater, drain } from '../../src/http/errors.ts'
import { uploadBody } from '../../src/http/upload.ts'
import { AppError } from '../../src/kernel/app-error.ts'
import { RawConnection, requestHead } from '../support/raw-connection.ts'
import { operatorToken, startTestServer } from '../support/test-server.ts'

/** Mocks the timers and the clock that measures how long a body has stalled; returns a function that advances both. */
function mockTime(t: { after(restore: () => void): void }): (milliseconds: number) => Promise<void> {
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

test('times out a body that stalls', async t => {
  const advance = mockTime(t)
  const request = new PassThrough()
  const reading = readAll(request).catch((error: unknown) => error)
  request.write('some')
  await advance(limits.bodyStallMilliseconds + 3000)
  assert.ok(isTimeout(await reading))
  assert.equal(request.destroyed, false, 'the connection must stay open for the error response')
})

test('times out a body below the minimum rate', async t => {
  const advance = mockTime(t)
  const request = new PassThrough()
  const reading = readAll(request).catch((error: unknown) => error)
  for (let seconds = 0; seconds < 40; seconds += 5) {
    request.write('x')
    await advance(5000)
  }
  assert.ok(isTimeout(await reading))
})

test('accepts a long upload that keeps the minimum rate', async t => {
  const advance = mockTime(t)
  const request = new PassThrough()
  const reading = readAll(request)
  for (let seconds = 0; seconds < 300; seconds += 10) {
    request.write(Buffer.alloc(20 << 10))
    await advance(10_000)
  }
  request.end()
  assert.equal(await reading, 30 * (20 << 10))
})

test('does not count slow storage against the client', async t => {
  const advance = mockTime(t)
  const request = new PassThrough()
  request.end(Buffer.alloc(100))
  let size = 0
  for await (const chunk of uploadBody(asRequest(request))) {
    await advance(limits.bodyStallMilliseconds * 2)
    size += chunk.length
  }
  assert.equal(size, 100)
})

test('times out a JSON body that stalls', async t => {
  const advance = mockTime(t)
  const stalled = Object.assign(new PassThrough(), { headers: {} })
  const reading = readJson(asRequest(stalled), 1000).catch((error: unknown) => error)
  stalled.write('{')
  await advance(limits.bodyStallMilliseconds + 1000)
  assert.ok(isTimeout(await reading))
})

test('times out a JSON body that takes too long in all', async t => {
  const advance = mockTime(t)
  const slow = Object.assign(new PassThrough(), { headers: {} })
  const reading = readJson(asRequest(slow), 1000).catch((error: unknown) => error)
  for (let passed = 0; passed <= limits.jsonBodyMilliseconds; passed += 10_000) {
    slow.write(' ')
    await advance(10_000)
  }
  slow.write('{}')
  assert.ok(isTimeout(await reading))
})

test('reports an aborted body as malformed_http', async () => {
  const request = new PassThrough()
  const reading = readAll(request).catch((error: unknown) => error)
  request.write('some')
  request.destroy(new Error('aborted'))
  const error = await reading
  assert.ok(error instanceof AppError && error.reason === 'malformed_http')
})

test('drains the rest of a body that was only partly read', async () => {
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

test('stops draining after a time limit and a byte limit', async t => {
  const advance = mockTime(t)
  const silent = Object.assign(new PassThrough(), { headers: {}, complete: false })
  const drained = drain(asRequest(silent))
  await advance(limits.drainMilliseconds + 1000)
  await drained
  const declared = { 'content-length': String(limits.drainBytes + 1) }
  await drain(asRequest(Object.assign(new PassThrough(), { headers: declared, complete: false })))
})

test('closes the connection only if the client keeps sending after the response', async t => {
  const advance = mockTime(t)
  const kept = new PassThrough()
  const body = new PassThrough()
  destroyLater(kept as unknown as Socket, body)
  body.destroy()
  const cut = new PassThrough()
  destroyLater(cut as unknown as Socket, cut)
  await advance(limits.drainMilliseconds + 1000)
  assert.deepEqual([kept.destroyed, cut.destroyed], [false, true])
})

test('responds at once to a rejected request whose body does not arrive', async t => {
  const server = await startTestServer()
  t.after(() => server.stop())
  for (const more of [[], [['Connection', 'close']]] as [string, string][][]) {
    const connection = await RawConnection.open(server.base)
    await connection.send(
      `${requestHead('POST /api/v1/workflow/list', [['Host', 'x'], ['Content-Type', 'application/json'], ['Content-Length', '100'], ...more])}{`,
    )
    const answer = await connection.answer({ waitMilliseconds: limits.drainMilliseconds / 2 })
    assert.equal(answer?.json.code, 40101)
    connection.close()
  }
})

test('serves other requests while many clients are slow', async t => {
  // Started here and not in a before hook, because mocked time would also affect the server.
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
