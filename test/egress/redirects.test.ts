import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { createEgress } from '../../src/adapters/egress/create-egress.ts'
import { type Egress, readText } from '../../src/adapters/egress/egress.ts'
import { redirectTarget } from '../../src/adapters/egress/hop.ts'
import { type LoopbackServer, startLoopbackServer } from './loopback-server.ts'

describe('redirects', () => {
  let server: LoopbackServer
  let other: LoopbackServer
  let egress: Egress
  before(async () => {
    other = await startLoopbackServer()
    server = await startLoopbackServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://x')
      const to = url.searchParams.get('to')
      const left = Number(url.searchParams.get('left') ?? 0)
      const status = Number(url.searchParams.get('status') ?? 302)
      if (to) response.writeHead(status, { location: to }).end('moved')
      else if (left > 0) response.writeHead(302, { location: `/?left=${left - 1}` }).end('moved')
      else response.end('arrived')
    })
  })
  beforeEach(() => {
    // Two names for two servers; the third is private for every caller.
    egress = createEgress({
      allow: [`one.example:${server.port}`, `two.example:${other.port}`],
      ports: [80, 443, other.port],
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    })
    other.requests.length = 0
    server.requests.length = 0
  })
  afterEach(() => egress.close())
  after(() => Promise.all([server.close(), other.close()]))

  const start = (query: string) => `http://one.example:${server.port}/?${query}`
  const to = (url: string, status = 302) => start(`status=${status}&to=${encodeURIComponent(url)}`)

  it('are followed three times at most', async () => {
    const answer = await egress.request(start('left=3'))
    assert.equal(await readText(answer), 'arrived')
    assert.equal(answer.url, start('left=0'))
    await assert.rejects(egress.request(start('left=4')), {
      kind: 'bad_answer',
      message: /more than 3 times/,
    })
    server.requests.length = 0
    await assert.rejects(egress.request(start('left=20')), { kind: 'bad_answer' })
    assert.equal(server.requests.length, 4)
  })

  for (const status of [301, 302, 303, 307, 308])
    it(`by ${status} are not followed to a private address`, async () => {
      for (const host of ['127.0.0.1', '2130706433', '[::ffff:7f00:1]', 'localhost', 'three.example'])
        await assert.rejects(egress.request(to(`http://${host}:${other.port}/`, status)), {
          kind: /^[a-z]/.test(host) ? 'unreachable' : 'blocked',
          message: /not on the public internet/,
        })
      assert.equal(other.requests.length, 0)
    })

  for (const url of [
    'file:///etc/passwd',
    'gopher://two.example/',
    'data:text/plain,x',
    'javascript:1',
    'ws://two.example/',
  ])
    it(`are not followed to ${url}`, async () => {
      await assert.rejects(egress.request(to(url)), { kind: 'blocked' })
    })

  it('to a closed port are not followed', async () => {
    await assert.rejects(egress.request(to('http://one.example:22/')), { kind: 'blocked' })
  })

  it('of a trusted origin do not make another origin trusted', async () => {
    const trusted = { trusted: true }
    const own = `http://127.0.0.1:${server.port}`
    assert.equal(await readText(await egress.request(`${own}/?left=2`, trusted)), 'arrived')
    const away = `${own}/?to=${encodeURIComponent(`http://127.0.0.1:${other.port}/`)}`
    await assert.rejects(egress.request(away, trusted), { kind: 'blocked' })
    assert.equal(other.requests.length, 0)
  })

  it('send credentials only within their origin', async () => {
    const secrets = {
      Authorization: 'Bearer secret',
      Cookie: 'secret=1',
      'X-API-Key': 'secret',
      'api-key': 'secret',
      'X-Goog-Api-Key': 'secret',
      'Ocp-Apim-Subscription-Key': 'secret',
      'X-Auth-Token': 'secret',
      'Proxy-Authorization': 'secret',
      'X-Auth': 'secret',
      'X-Session': 'secret',
      'X-Jwt': 'secret',
      Authentication: 'secret',
      'X-Credential': 'secret',
      'X-Pass': 'secret',
      'X-Whatever-It-Is-Called': 'secret',
    }
    const headers = { ...secrets, accept: 'text/html', 'Accept-Language': 'de', 'User-Agent': 'bot' }
    await readText(await egress.request(start('left=1'), { headers }))
    assert.equal(server.requests[1]?.headers.authorization, 'Bearer secret')
    await readText(await egress.request(to(`http://two.example:${other.port}/`), { headers }))
    assert.equal(other.requests.length, 1)
    const { accept, 'accept-language': language, 'user-agent': agent } = other.requests[0]?.headers ?? {}
    assert.deepEqual([accept, language, agent], ['text/html', 'de', 'bot'])
    assert.doesNotMatch(JSON.stringify(other.requests[0]?.rawHeaders), /secret/)
  })

  it('do not restore credentials after another origin', async () => {
    const back = encodeURIComponent(start('left=0'))
    const there = await startLoopbackServer((_request, response) =>
      response.writeHead(302, { location: decodeURIComponent(back) }).end(),
    )
    const all = createEgress({
      allow: ['*.example'],
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    })
    const headers = { authorization: 'Bearer secret' }
    await readText(await all.request(to(`http://two.example:${there.port}/`), { headers }))
    assert.equal(server.requests[0]?.headers.authorization, 'Bearer secret')
    assert.equal(server.requests[1]?.headers.authorization, undefined)
    all.close()
    await there.close()
  })

  it('of a POST are returned as responses', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await egress.request(to(`http://two.example:${other.port}/`, 307), { method, body: 'x' })
      assert.equal(answer.status, 307)
      answer.body.destroy()
    }
    assert.equal(other.requests.length, 0)
  })

  it('of other methods are followed on request, as fetch does, with their body on the same server only', async () => {
    const echo = await startLoopbackServer(async (request, response) => {
      const url = new URL(request.url ?? '/', 'http://x')
      const [to, status] = [url.searchParams.get('to'), Number(url.searchParams.get('status'))]
      const body = await text(request)
      if (to !== null) response.writeHead(status, { location: to }).end('moved')
      else response.end([request.method, request.headers['content-type'], body].join(' '))
    })
    const all = createEgress({
      allow: ['*.example'],
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    })
    const send = async (method: string, status: number, host = 'one') => {
      const target = encodeURIComponent(`http://${host}.example:${echo.port}/`)
      const from = `http://one.example:${echo.port}/?status=${status}&to=${target}`
      const body = { size: 1, read: () => Readable.from([Buffer.from('x')]) }
      const headers = { 'content-type': 'text/csv' }
      const answer = await all.request(from, { method, headers, body, redirect: 'follow' })
      return `${answer.status} ${await readText(answer)}`
    }
    try {
      for (const status of [301, 302, 303]) assert.equal(await send('POST', status, 'two'), '200 GET  ')
      assert.equal(await send('PUT', 303), '200 GET  ')
      for (const status of [307, 308]) {
        assert.equal(await send('POST', status), '200 POST text/csv x')
        assert.equal(await send('POST', status, 'two'), `${status} moved`)
      }
      assert.equal(await send('PUT', 302), '200 PUT text/csv x')
      assert.equal(await send('DELETE', 302, 'two'), '302 moved')
      await assert.rejects(
        egress.request(to(`http://three.example:${other.port}/`, 303), {
          method: 'POST',
          redirect: 'follow',
        }),
        { kind: 'unreachable' },
      )
      await assert.rejects(egress.request(start('left=4'), { method: 'POST', redirect: 'follow' }), {
        message: /more than 3 times/,
      })
    } finally {
      all.close()
      await echo.close()
    }
  })

  it('are not followed from https to http', () => {
    const response = { statusCode: 302, headers: { location: 'http://two.example/' } }
    assert.throws(() => redirectTarget(response as never, new URL('https://one.example/')), {
      kind: 'blocked',
    })
    assert.equal(
      redirectTarget(response as never, new URL('http://one.example/'))?.href,
      'http://two.example/',
    )
  })

  it('without a valid target are rejected', async () => {
    await assert.rejects(egress.request(to('http://[bad')), { kind: 'blocked' })
  })
})
