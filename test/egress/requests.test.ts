import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { createEgress } from '../../src/adapters/egress/create-egress.ts'
import { type EgressRequest, readText } from '../../src/adapters/egress/egress.ts'
import { type LoopbackServer, startLoopbackServer } from './loopback-server.ts'

const egress = createEgress({ allow: ['127.0.0.1'] })
let server: LoopbackServer

before(async () => {
  server = await startLoopbackServer(async (request, response) => {
    if (request.url === '/hang') return
    if (request.url === '/start') return void response.write('first')
    const body = await text(request)
    response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }))
  })
})
after(async () => {
  egress.close()
  await server.close()
})

const closed = async (): Promise<void> => {
  while (server.open > 0) await new Promise(resolve => setTimeout(resolve, 5))
}

describe('requests', () => {
  it('are sent as given', async () => {
    const answer = await egress.request(`${server.origin}/echo?q=%E6%A6%95#part`, {
      method: 'post',
      headers: { 'Content-Type': 'text/plain', 'X-Own': 'yes' },
      body: '榕树',
    })
    const seen = JSON.parse(await readText(answer))
    assert.deepEqual([seen.method, seen.url, seen.body], ['POST', '/echo?q=%E6%A6%95', '榕树'])
    assert.equal(seen.headers['x-own'], 'yes')
    assert.equal(seen.headers['content-length'], '6')
  })

  it('have a length with every method, or the body would be read as the next request', async () => {
    for (const method of ['DELETE', 'OPTIONS', 'PUT']) {
      const answer = await egress.request(`${server.origin}/echo`, { method, body: '榕树' })
      const seen = JSON.parse(await readText(answer))
      assert.deepEqual([seen.method, seen.body, seen.headers['content-length']], [method, '榕树', '6'])
    }
  })

  it('cannot override Host and Content-Length', async () => {
    const headers = {
      Host: 'other.example',
      'Content-Length': '5',
      'Transfer-Encoding': 'chunked',
      Upgrade: 'x',
      Connection: 'upgrade',
    }
    const seen = JSON.parse(await readText(await egress.request(`${server.origin}/echo`, { headers })))
    assert.equal(seen.headers.host, `127.0.0.1:${server.port}`)
    assert.equal(seen.headers['content-length'], undefined)
    assert.equal(seen.headers.upgrade, undefined)
  })

  it('with line breaks in a header or a method are rejected and not quoted', async () => {
    const all: EgressRequest[] = [
      { headers: { 'x-a': 'secret\r\nx-b: 1' } },
      { headers: { 'x\r\n': '1' } },
      { method: 'GET /\r\n' },
    ]
    for (const options of all)
      await assert.rejects(egress.request(server.origin, options), (error: Error & { kind?: string }) => {
        assert.equal(error.kind, 'blocked')
        assert.doesNotMatch(error.message, /secret/)
        return true
      })
  })

  it('that are aborted end with the given reason, and close their connection', async () => {
    const reason = new Error('enough')
    await assert.rejects(egress.request(server.origin, { signal: AbortSignal.abort(reason) }), reason)
    const waiting = new AbortController()
    const call = egress.request(`${server.origin}/hang`, { signal: waiting.signal })
    setTimeout(() => waiting.abort(reason), 20)
    await assert.rejects(call, reason)
    const reading = new AbortController()
    const answer = await egress.request(`${server.origin}/start`, { signal: reading.signal })
    setTimeout(() => reading.abort(reason), 20)
    await assert.rejects(readText(answer), reason)
    egress.close()
    await closed()
  })

  it('are retried when a kept connection proves dead, if they are safe to repeat', async () => {
    const used = new WeakSet<Socket>()
    const fickle = await startLoopbackServer((request, response) => {
      if (used.has(request.socket)) return void request.socket.destroy()
      used.add(request.socket)
      response.end('reached')
    })
    for (let count = 0; count < 3; count++)
      assert.equal(await readText(await egress.request(fickle.origin)), 'reached')
    await assert.rejects(egress.request(fickle.origin, { method: 'POST', body: 'x' }), {
      kind: 'unreachable',
    })
    assert.equal(fickle.connections, 3)
    assert.equal(await readText(await egress.request(fickle.origin)), 'reached')
    const repeatable = { method: 'POST', body: 'x', isRepeatable: true }
    assert.equal(await readText(await egress.request(fickle.origin, repeatable)), 'reached')
    await fickle.close()
  })

  it('whose body is abandoned close their connection', async () => {
    const answer = await egress.request(`${server.origin}/start`)
    for await (const chunk of answer.body) {
      assert.equal(String(chunk), 'first')
      break
    }
    await closed()
  })
})
