import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import type { Agent } from '../../src/agents/agent.ts'
import { consoleRoutes } from '../../src/http/routes/console-routes.ts'
import { type RouteServer, startRouteServer } from '../support/route-server.ts'

const page = '<!doctype html><title>Banyan</title>'
const chatPage = '<!doctype html><title>Chat</title>'
const script = 'console.log("banyan")'

const origins: Record<string, string[]> = {
  agent_closed: [],
  agent_shop: ['https://shop.example', 'https://*.shop.example'],
  agent_all: ['*'],
}
const publicAgents = {
  findPublic: async (id: string) => {
    const allowedOrigins = origins[id]
    return allowedOrigins && { workspaceId: 'w', agent: { id, allowedOrigins } as unknown as Agent }
  },
}

interface RawResponse {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Returns the raw response: fetch would decompress it and normalize the path. */
const fetchRaw = (base: string, path: string, headers: Record<string, string> = {}): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base)
    get({ hostname, port, path, headers }, answer => {
      const pieces: Buffer[] = []
      answer.on('data', piece => pieces.push(piece))
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, headers: answer.headers, body: Buffer.concat(pieces) }),
      )
    }).on('error', reject)
  })

describe('console files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'banyan-console-'))
  let server: RouteServer
  before(async () => {
    mkdirSync(join(folder, 'assets'))
    writeFileSync(join(folder, 'index.html'), page)
    writeFileSync(join(folder, '.sources'), 'secret')
    writeFileSync(join(folder, 'chat.html'), chatPage)
    writeFileSync(join(folder, 'embed.js'), script)
    writeFileSync(join(folder, 'assets/main-1.js'), script)
    writeFileSync(join(folder, 'assets/main-1.js.br'), brotliCompressSync(script))
    writeFileSync(join(folder, 'assets/main-1.js.gz'), gzipSync(script))
    server = await startRouteServer(() => consoleRoutes(folder, publicAgents))
  })
  after(async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  })

  it('serves the page without a token under a strict content security policy', async () => {
    const { status, headers, body } = await fetchRaw(server.base, '/')
    assert.equal(status, 200)
    assert.equal(body.toString(), page)
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /script-src 'self';/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.equal(headers['cache-control'], 'no-cache')
    assert.equal(headers['referrer-policy'], 'no-referrer')
  })

  it('serves the chat page of an agent, in frames of its allowed origins alone', async () => {
    for (const [agent, frames] of [
      ['agent_closed', "frame-ancestors 'self'"],
      ['agent_shop', "frame-ancestors 'self' https://shop.example https://*.shop.example"],
      ['agent_all', 'frame-ancestors *'],
    ] as const) {
      const { status, headers, body } = await fetchRaw(server.base, `/chat/${agent}`)
      assert.deepEqual([status, body.toString()], [200, chatPage])
      const policy = String(headers['content-security-policy'])
      assert.ok(policy.split('; ').includes(frames), policy)
      assert.match(policy, /script-src 'self';.*style-src 'self';/)
    }
    const { status, headers, body } = await fetchRaw(server.base, '/chat/agent_unknown')
    assert.deepEqual([status, body.toString()], [404, chatPage])
    assert.match(String(headers['content-security-policy']), /frame-ancestors 'self'$/)
  })

  it('serves the script that websites embed', async () => {
    const { status, headers, body } = await fetchRaw(server.base, '/embed.js')
    assert.deepEqual([status, body.toString()], [200, script])
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin')
  })

  it('serves the smallest encoding the client accepts', async () => {
    const smallest = await fetchRaw(server.base, '/assets/main-1.js', { 'accept-encoding': 'gzip, br' })
    assert.equal(smallest.headers['content-encoding'], 'br')
    assert.equal(brotliDecompressSync(smallest.body).toString(), script)
    const zipped = await fetchRaw(server.base, '/assets/main-1.js', { 'accept-encoding': 'gzip;q=1.0' })
    assert.equal(gunzipSync(zipped.body).toString(), script)
    const plain = await fetchRaw(server.base, '/assets/main-1.js')
    assert.equal(plain.headers['content-encoding'], undefined)
    assert.equal(plain.body.toString(), script)
    for (const { headers } of [smallest, zipped, plain]) {
      assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
      assert.equal(headers['vary'], 'Accept-Encoding')
    }
  })

  it('returns 304 for a matching ETag', async () => {
    const first = await fetchRaw(server.base, '/')
    const second = await fetchRaw(server.base, '/', { 'if-none-match': String(first.headers.etag) })
    assert.equal(second.status, 304)
    assert.equal(second.body.length, 0)
  })

  it('returns 404 for any other path', async () => {
    for (const path of [
      '/assets/nothing.js',
      '/assets/..%2findex.html',
      '/assets/..%2f.sources',
      '/assets/../../package.json',
      '/assets/main-1.js.br',
      '/.sources',
      '/index.html',
    ])
      assert.equal((await fetchRaw(server.base, path)).status, 404, path)
  })
})

describe('console that is not built', () => {
  let server: RouteServer
  before(async () => {
    server = await startRouteServer(() => consoleRoutes('/nowhere', publicAgents))
  })
  after(() => server.stop())

  it('shows how to build it', async () => {
    const { status, body } = await fetchRaw(server.base, '/')
    assert.equal(status, 200)
    assert.match(body.toString(), /npm run build/)
  })
})
