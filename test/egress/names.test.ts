import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { createEgress } from '../../src/adapters/egress/create-egress.ts'
import { type Egress, readText } from '../../src/adapters/egress/egress.ts'
import type { Resolve } from '../../src/adapters/egress/hop.ts'
import { type LoopbackServer, startLoopbackServer } from './loopback-server.ts'

const at = (address: string) => ({ address, family: address.includes(':') ? 6 : 4 })

describe('names', () => {
  let server: LoopbackServer
  let egress: Egress
  before(async () => {
    server = await startLoopbackServer((request, response) => {
      request.headers['x-reached'] = request.socket.localAddress
      response.end('reached')
    })
  })
  after(() => server.close())
  afterEach(() => egress.close())

  const open = (resolve: Resolve, allow: string[] = []): void => {
    egress = createEgress({ allow, ports: [server.port], resolve })
  }
  const lookupFailure = (code: string) =>
    Promise.reject(Object.assign(new Error(`getaddrinfo ${code}`), { code }))
  /** The one answer to all names that may not be called, whether or not they exist. */
  const unknown = (name = 'rebind.example') => ({
    kind: 'unreachable',
    message: `${name}:${server.port} cannot be reached: there is no such host, or it is not on the public internet. Check its spelling; the operator can allow an internal host with EGRESS_ALLOW`,
  })
  const call = (name = 'rebind.example', trusted = false) =>
    egress.request(`http://${name}:${server.port}/`, {
      trusted,
      timeouts: { connectMilliseconds: 300, totalMilliseconds: 5000 },
    })

  it('are resolved once per connection, so that DNS rebinding to a private address has no effect', async () => {
    let asked = 0
    // The first answer is a permitted host; the second is where a rebinding attack would strike.
    open(async () => [at(asked++ === 0 ? '127.0.0.1' : '127.0.0.2')], ['127.0.0.1/32'])
    assert.equal(await readText(await call()), 'reached')
    assert.equal(asked, 1)
    egress.close()
    const connected = server.connections
    await assert.rejects(call(), unknown())
    assert.equal(asked, 2)
    assert.equal(server.connections, connected)
  })

  it('that change on every lookup reach the permitted address only', async () => {
    let asked = 0
    open(async () => [at(asked++ % 2 === 0 ? '127.0.0.1' : '127.0.0.2')], ['127.0.0.1/32'])
    server.requests.length = 0
    let blocked = 0
    for (let count = 0; count < 200; count++) {
      await call().then(readText, error => {
        assert.deepEqual({ kind: error.kind, message: error.message }, unknown())
        blocked++
      })
      egress.close()
    }
    assert.equal(blocked, 100)
    assert.deepEqual(
      [...new Set(server.requests.map(request => request.headers['x-reached']))],
      ['127.0.0.1'],
    )
  })

  for (const [label, addresses] of [
    ['a private address behind a public one', ['93.184.215.14', '127.0.0.1']],
    ['a private address before a public one', ['127.0.0.1', '93.184.215.14']],
    ['a private IPv6 address beside public IPv4', ['93.184.215.14', '::1']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['a link-local address with a zone', ['fe80::1%lo']],
    ['something that is no address', ['example.org']],
  ] as const)
    it(`are rejected for ${label}`, async () => {
      open(async () => addresses.map(at))
      const connected = server.connections
      await assert.rejects(call(), unknown())
      assert.equal(server.connections, connected)
    })

  for (const [label, resolve] of [
    ['exist in the internal network', async () => [at('10.0.0.1')]],
    ['do not exist', () => lookupFailure('ENOTFOUND')],
    ['the name server does not answer for', () => lookupFailure('EAI_AGAIN')],
    ['have no address', async () => []],
  ] as [string, Resolve][])
    it(`that ${label} are reported like all others, on open and closed ports`, async () => {
      open(resolve)
      await assert.rejects(call('inner.example'), unknown('inner.example'))
      await assert.rejects(egress.request('http://inner.example:2222/'), {
        kind: 'blocked',
        message: /only the ports/,
      })
      egress.close()
      // An allowed range makes the lookup decide about closed ports, too.
      open(resolve, ['192.168.0.0/16'])
      await assert.rejects(egress.request('http://inner.example:2222/'), {
        ...unknown('inner.example'),
        message: unknown('inner.example').message.replace(`:${server.port}`, ':2222'),
      })
    })

  it('that resolve too slowly hit the connect timeout', async () => {
    open(() => new Promise(() => {}))
    await assert.rejects(call(), { kind: 'timed_out' })
  })

  it('of the operator may be private, and do not share their connections', async () => {
    open(async () => [at('127.0.0.1')])
    assert.equal(await readText(await call('models.example', true)), 'reached')
    await assert.rejects(call('models.example'), unknown('models.example'))
    assert.equal(await readText(await call('models.example', true)), 'reached')
  })

  it('reuse their connection for the next call', async () => {
    open(async () => [at('127.0.0.1')], ['*.example'])
    const connected = server.connections
    for (let count = 0; count < 3; count++)
      assert.equal(await readText(await call('kept.example')), 'reached')
    assert.equal(server.connections, connected + 1)
  })
})
