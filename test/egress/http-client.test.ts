import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createEgress } from '../../src/adapters/egress/create-egress.ts'
import type { Egress } from '../../src/adapters/egress/egress.ts'
import { createHttpClient } from '../../src/adapters/egress/egress-http-client.ts'
import type { HttpClient, HttpRequest } from '../../src/tools/http-client.ts'
import { type LoopbackServer, startLoopbackServer } from './loopback-server.ts'

const japanese = Buffer.from([0x93, 0xfa, 0x96, 0x7b])

describe('HTTP client for user-chosen addresses', () => {
  let server: LoopbackServer
  let egress: Egress
  let client: HttpClient
  before(async () => {
    server = await startLoopbackServer((request, response) => {
      const type = new URL(request.url ?? '/', 'http://x').searchParams.get('type')
      if (type) response.setHeader('content-type', type)
      if (request.url?.startsWith('/bytes')) response.end(japanese)
      else if (request.url === '/packed')
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('unpacked'))
      else if (request.url === '/cookies')
        response.writeHead(404, { 'set-cookie': ['a=1', 'b=2'] }).end('not here')
      else if (request.url === '/large') response.end(Buffer.alloc((10 << 20) + 1))
      else if (request.url === '/drop') request.socket.destroy()
      else if (request.url === '/moved') response.writeHead(307, { location: '/' }).end()
      else if (request.url !== '/hang') request.pipe(response)
    })
    egress = createEgress({
      allow: ['127.0.0.1', 'gone.example'],
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    })
    client = createHttpClient(egress)
  })
  after(async () => {
    egress.close()
    await server.close()
  })
  const request = (path: string, more: Partial<HttpRequest> = {}) =>
    client.request({
      method: 'GET',
      url: `${server.origin}${path}`,
      headers: {},
      signal: new AbortController().signal,
      timeoutMilliseconds: 10_000,
      ...more,
    })

  it('sends the given request', async () => {
    const answer = await request('/', { method: 'PUT', headers: { 'X-Own': 'one' }, body: '世界' })
    assert.deepEqual([answer.status, answer.text], [200, '世界'])
    const { method, headers } = server.requests.at(-1)!
    assert.deepEqual([method, headers['x-own']], ['PUT', 'one'])
    assert.equal((await request('/', { method: 'POST', body: new Uint8Array([0x61]) })).text, 'a')
  })

  it('follows redirects, also of a POST', async () => {
    const answer = await request('/moved', { method: 'POST', body: 'again' })
    assert.deepEqual([answer.status, answer.text], [200, 'again'])
  })

  it('sends a streamed body with its size, and reports why its source failed', async () => {
    const body = {
      size: 6,
      async *read() {
        yield Buffer.from('abc')
        yield Buffer.from('def')
      },
    }
    assert.equal((await request('/', { method: 'POST', body })).text, 'abcdef')
    const { headers } = server.requests.at(-1)!
    assert.deepEqual([headers['content-length'], headers['transfer-encoding']], ['6', undefined])
    const broken = {
      size: 6,
      async *read() {
        yield Buffer.from('abc')
        throw new Error('the file is damaged')
      },
    }
    await assert.rejects(request('/', { method: 'POST', body: broken }), { message: 'the file is damaged' })
    const closed = Promise.withResolvers<void>()
    const endless = {
      size: 1 << 30,
      async *read() {
        try {
          for (;;) yield Buffer.alloc(65_536)
        } finally {
          closed.resolve()
        }
      },
    }
    await assert.rejects(request('/drop', { method: 'POST', body: endless }), { message: /broke off/ })
    // The source is closed with the connection.
    await closed.promise
  })

  it('accepts every status as a response, with headers as plain texts', async () => {
    const answer = await request('/cookies')
    assert.deepEqual(
      [answer.status, answer.text, answer.headers['set-cookie']],
      [404, 'not here', 'a=1, b=2'],
    )
    for (const value of Object.values(answer.headers)) assert.equal(typeof value, 'string')
  })

  it('decodes the text in its declared encoding, and decompresses it', async () => {
    const read = async (type: string) => (await request(`/bytes?type=${encodeURIComponent(type)}`)).text
    assert.equal(await read('text/plain; charset=Shift_JIS'), '日本')
    assert.equal(await read('text/html;charset="shift_jis"'), '日本')
    assert.match(await read('text/plain; charset=nobody-knows'), /\ufffd/)
    assert.match(await read('application/json'), /\ufffd/)
    assert.equal((await request('/packed')).text, 'unpacked')
  })

  for (const [path, message, retryable] of [
    ['/large', /larger than 10485760 bytes/, false],
    ['/drop', /broke off/, true],
  ] as const)
    it(`fails as a tool does at ${path}`, () =>
      assert.rejects(request(path), { name: 'ToolFailure', message, retryable }))

  it('fails on a timeout, and when the server is unreachable', async () => {
    await assert.rejects(request('/hang', { timeoutMilliseconds: 50 }), {
      name: 'ToolFailure',
      retryable: true,
    })
    await assert.rejects(request('', { url: 'http://gone.example:1/' }), {
      name: 'ToolFailure',
      retryable: true,
      message: 'gone.example:1 could not be reached (ECONNREFUSED)',
    })
  })

  it('fails with the reason of an aborted signal', async () => {
    const controller = new AbortController()
    const reason = new Error('stopped')
    const hanging = request('/hang', { signal: controller.signal })
    controller.abort(reason)
    await assert.rejects(hanging, error => error === reason)
  })

  it('does not reveal the address of a rejected name', async () => {
    const strict = createHttpClient(
      createEgress({ allow: [], resolve: async () => [{ address: '10.9.8.7', family: 4 }] }),
    )
    await assert.rejects(
      strict.request({
        method: 'GET',
        url: 'http://inner.example/',
        headers: {},
        signal: new AbortController().signal,
        timeoutMilliseconds: 1000,
      }),
      (error: Error) => error.name === 'ToolFailure' && !/10\.9\.8\.7/.test(`${error.message}${error.stack}`),
    )
  })
})
