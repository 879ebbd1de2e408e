import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, describe, it } from 'node:test'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { createEgress } from '../../src/adapters/egress/create-egress.ts'
import { parseJson, readText } from '../../src/adapters/egress/egress.ts'
import { unlessAborted } from '../../src/kernel/unless-aborted.ts'
import { type LoopbackServer, startLoopbackServer } from './loopback-server.ts'

const packBrotli = (content: string | Buffer): Buffer =>
  brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } })

const waitUntil = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise(resolve => setTimeout(resolve, 5))
}

describe('responses', () => {
  const egress = createEgress({ allow: ['127.0.0.1'] })
  let server: LoopbackServer | undefined
  afterEach(async () => {
    egress.close()
    await server?.close()
    server = undefined
  })
  const serve = async (answer: RequestListener): Promise<string> => {
    server = await startLoopbackServer(answer)
    return server.origin
  }

  it('are returned with their status and headers, whatever the status', async () => {
    const origin = await serve((_request, response) =>
      response.writeHead(418, { 'x-kind': 'pot' }).end('short'),
    )
    const answer = await egress.request(origin)
    assert.equal(answer.status, 418)
    assert.equal(answer.headers['x-kind'], 'pot')
    assert.equal(await readText(answer), 'short')
  })

  it('are parsed as JSON, or reported as invalid JSON', async () => {
    const origin = await serve((request, response) =>
      response.end(request.url === '/good' ? '{"a":1}' : '<html>'),
    )
    assert.deepEqual(await parseJson(await readText(await egress.request(`${origin}/good`))), { a: 1 })
    assert.equal(await parseJson(await readText(await egress.request(`${origin}/bad`))), undefined)
  })

  for (const [encoding, pack] of [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', packBrotli],
  ] as const) {
    it(`compressed with ${encoding} are decompressed`, async () => {
      const origin = await serve((_request, response) =>
        response.writeHead(200, { 'content-encoding': encoding }).end(pack('packed words')),
      )
      const answer = await egress.request(origin)
      assert.equal(await readText(answer), 'packed words')
      assert.equal(answer.headers['content-encoding'], undefined)
    })

    it(`compressed with ${encoding} are limited by their decompressed size: a bomb is aborted`, async () => {
      const bomb = pack(Buffer.alloc(20 << 20))
      assert.ok(bomb.length < 100_000)
      const origin = await serve((_request, response) =>
        response.writeHead(200, { 'content-encoding': encoding }).end(bomb),
      )
      let seen = 0
      await assert.rejects(
        async () => {
          for await (const chunk of (await egress.request(origin, { maxBytes: 100_000 })).body)
            seen += chunk.length
        },
        { kind: 'too_large' },
      )
      assert.ok(seen <= 100_000)
    })

    it(`compressed with ${encoding} and damaged are rejected`, async () => {
      const whole = pack(randomBytes(10_000))
      const origin = await serve((_request, response) =>
        response.writeHead(200, { 'content-encoding': encoding }).end(whole.subarray(0, 5000)),
      )
      await assert.rejects(async () => readText(await egress.request(origin)), { kind: 'bad_answer' })
    })
  }

  it('compressed twice or in an unknown encoding are rejected', async () => {
    const origin = await serve((request, response) =>
      response
        .writeHead(200, { 'content-encoding': request.url === '/twice' ? 'gzip, gzip' : 'weird' })
        .end('x'),
    )
    for (const path of ['/twice', '/weird'])
      await assert.rejects(egress.request(origin + path), { kind: 'bad_answer' })
  })

  it('are requested uncompressed unless the caller accepts compression', async () => {
    const origin = await serve((request, response) => response.end(request.headers['accept-encoding']))
    assert.equal(await readText(await egress.request(origin)), 'identity')
    const headers = { 'Accept-Encoding': 'gzip, br' }
    assert.equal(await readText(await egress.request(origin, { headers })), 'gzip, br')
  })

  it('of exactly the limit are accepted, and one byte more is too large, declared or not', async () => {
    const origin = await serve((request, response) => {
      if (request.url === '/declared') response.end(Buffer.alloc(1001))
      else if (request.url === '/exact') response.end(Buffer.alloc(1000))
      else {
        response.write(Buffer.alloc(600))
        response.end(Buffer.alloc(401))
      }
    })
    const limit = { maxBytes: 1000 }
    assert.equal((await readText(await egress.request(`${origin}/exact`, limit))).length, 1000)
    await assert.rejects(egress.request(`${origin}/declared`, limit), { kind: 'too_large' })
    await assert.rejects(async () => readText(await egress.request(`${origin}/flowing`, limit)), {
      kind: 'too_large',
    })
  })

  it('without end are aborted with their connection', async () => {
    const origin = await serve((_request, response) => {
      const flood = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      }
      response.on('drain', flood)
      flood()
    })
    await assert.rejects(async () => readText(await egress.request(origin, { maxBytes: 1 << 20 })), {
      kind: 'too_large',
    })
    await waitUntil(() => server?.open === 0)
  })

  it('with headers without end are aborted', async () => {
    const origin = await serve((_request, response) => {
      for (let index = 0; index < 100; index++) response.setHeader(`x-${index}`, 'x'.repeat(1000))
      response.end()
    })
    await assert.rejects(egress.request(origin), { kind: 'too_large' })
  })

  it('that never start, stall or trickle time out', async () => {
    const origin = await serve((request, response) => {
      if (request.url === '/stop') response.write('a')
      if (request.url !== '/trickle') return
      const timer = setInterval(() => response.write('a'), 10)
      response.on('close', () => clearInterval(timer))
    })
    const idle = { timeouts: { idleMilliseconds: 60, totalMilliseconds: 60_000 } }
    const total = { timeouts: { idleMilliseconds: 60_000, totalMilliseconds: 120 } }
    await assert.rejects(egress.request(`${origin}/never`, idle), { kind: 'timed_out' })
    await assert.rejects(egress.request(`${origin}/never`, total), { kind: 'timed_out' })
    for (const [path, limits] of [
      ['/stop', idle],
      ['/stop', total],
      ['/trickle', total],
    ] as const)
      await assert.rejects(async () => readText(await egress.request(origin + path, limits)), {
        kind: 'timed_out',
      })
    await waitUntil(() => server?.open === 0)
  })

  it('that are not consumed end with the timeout without side effects', async () => {
    const origin = await serve((_request, response) => void response.write('a'))
    const answer = await egress.request(origin, { timeouts: { totalMilliseconds: 1000 } })
    await waitUntil(() => server?.open === 0)
    await assert.rejects(readText(answer), { kind: 'timed_out' })
  })

  it('do not time out as silent while their reader is slow', async () => {
    const origin = await serve((_request, response) => void response.end(Buffer.alloc(300_000)))
    const answer = await egress.request(origin, { timeouts: { idleMilliseconds: 1000 } })
    await new Promise(resolve => setTimeout(resolve, 1500))
    assert.equal((await readText(answer)).length, 300_000)
  })

  it('that break off are reported as incomplete', async () => {
    const origin = await serve((request, response) => {
      if (request.url === '/declared') response.writeHead(200, { 'content-length': '100' })
      response.write('half', () => response.destroy())
    })
    for (const path of ['/declared', '/flowing'])
      await assert.rejects(async () => readText(await egress.request(origin + path)), { kind: 'unreachable' })
  })

  it('that are not HTTP are rejected', async () => {
    const odd = createServer(socket => void socket.resume().end('SSH-2.0-OpenSSH\r\n\r\n'))
    odd.listen(0, '127.0.0.1')
    await once(odd, 'listening')
    const { port } = odd.address() as AddressInfo
    await assert.rejects(egress.request(`http://127.0.0.1:${port}/`), { kind: 'bad_answer' })
    odd.close()
    await once(odd, 'close')
    await assert.rejects(egress.request(`http://127.0.0.1:${port}/`), {
      kind: 'unreachable',
      message: /ECONNREFUSED/,
    })
  })

  it('that switch to another protocol, which was not asked for, are rejected', async () => {
    const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
    const odd = createServer(socket => void socket.once('data', () => socket.end(head)))
    odd.listen(0, '127.0.0.1')
    await once(odd, 'listening')
    const { port } = odd.address() as AddressInfo
    const late = AbortSignal.timeout(10_000)
    const answer = egress.request(`http://127.0.0.1:${port}/`)
    await assert.rejects(unlessAborted(answer, late), { kind: 'bad_answer' })
    odd.close()
  })
})
