import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { isPublicAddress } from '../../src/adapters/egress/address-rules.ts'
import { createEgress } from '../../src/adapters/egress/create-egress.ts'
import { type EgressFailure, readText } from '../../src/adapters/egress/egress.ts'
import { checkHop } from '../../src/adapters/egress/hop.ts'
import { parseAllowList } from '../../src/kernel/allow-list.ts'
import { type LoopbackServer, startLoopbackServer } from './loopback-server.ts'
import { privateUrls } from './private-spellings.ts'

const loopback = async () => [{ address: '127.0.0.1', family: 4 }]

/** A name is refused with the answer to absent ones. */
const isRefusal = ({ kind, message }: EgressFailure): boolean =>
  kind === 'blocked' || (kind === 'unreachable' && message.includes('not on the public internet'))

describe('blocked addresses', () => {
  let server: LoopbackServer
  before(async () => {
    server = await startLoopbackServer()
  })
  after(() => server.close())

  it('are rejected in every spelling, without a single connection', async () => {
    const urls = privateUrls(server.port)
    assert.ok(new Set(urls).size >= 200, `${urls.length} spellings`)
    // The port is open, so that only the address can be the reason.
    const egress = createEgress({ allow: [], ports: [server.port], resolve: loopback })
    const connected = server.connections
    const failures = await Promise.all(
      urls.map(url =>
        egress.request(url, { timeouts: { totalMilliseconds: 5000 } }).then(
          answer => `${url}: ${answer.status}`,
          error => (isRefusal(error) ? [] : `${url}: ${error.kind} ${error.message}`),
        ),
      ),
    )
    assert.deepEqual(failures.flat(), [])
    assert.equal(server.connections, connected)
  })

  it('are rejected on the ordinary ports, too', async () => {
    const egress = createEgress({ allow: [], resolve: loopback })
    for (const port of [80, 443])
      for (const url of privateUrls(port)) await assert.rejects(egress.request(url), isRefusal)
  })

  it('are reached when the operator allows them, which proves that the listener counts connections', async () => {
    for (const allow of [
      ['127.0.0.1'],
      [`127.0.0.1:${server.port}`],
      ['127.0.0.0/8'],
      ['::ffff:127.0.0.1', '127.0.0.1'],
    ]) {
      const egress = createEgress({ allow })
      const connected = server.connections
      assert.equal(await readText(await egress.request(`http://2130706433:${server.port}/`)), 'reached')
      assert.equal(server.connections, connected + 1)
      egress.close()
    }
  })

  it('include the name localhost as this machine resolves it', async () => {
    const egress = createEgress({ allow: [], ports: [server.port] })
    const connected = server.connections
    await assert.rejects(egress.request(`http://localhost:${server.port}/`), isRefusal)
    assert.equal(server.connections, connected)
  })

  it('include every port except the open ones, on public hosts too', async () => {
    const asked: string[] = []
    const egress = createEgress({
      allow: [],
      resolve: async name => {
        asked.push(name)
        return [{ address: '93.184.215.14', family: 4 }]
      },
    })
    for (const port of [1, 22, 25, 5432, 6379, 8080, 65_535])
      await assert.rejects(egress.request(`http://public.example:${port}/`), {
        kind: 'blocked',
        message: /only the ports 80, 443 are open/,
      })
    assert.deepEqual(asked, [])
  })

  it('are reported by the given host, never by the resolved address', async () => {
    const egress = createEgress({ allow: [], resolve: async () => [{ address: '10.11.12.13', family: 4 }] })
    await assert.rejects(egress.request('http://intranet.example/'), (error: Error) => {
      assert.match(error.message, /intranet\.example.*EGRESS_ALLOW/)
      assert.doesNotMatch(error.message + String(error.stack) + String(error.cause), /10\.11\.12\.13/)
      return true
    })
  })
})

describe('allow list', () => {
  /** Checks a URL like a call, up to the point where the socket would connect. */
  const judge = async (allow: string[], url: string, address = '10.1.2.3'): Promise<string> => {
    const resolve = async () => [{ address, family: 4 }]
    try {
      const hop = checkHop(new URL(url), false, { allow: parseAllowList(allow), ports: [80, 443], resolve })
      return await new Promise((done, fail) =>
        hop.lookup(hop.host, {}, (error, address) => (error ? fail(error) : done(String(address)))),
      )
    } catch (error) {
      assert.ok(isRefusal(error as EgressFailure))
      return 'refused'
    }
  }

  for (const [allow, url, allowed] of [
    ['intranet.example', 'http://intranet.example:8080/', true],
    ['INTRANET.example', 'http://intranet.example./', true],
    ['intranet.example', 'http://other.example/', false],
    ['intranet.example', 'http://a.intranet.example/', false],
    ['intranet.example:8080', 'http://intranet.example:8080/', true],
    ['intranet.example:8080', 'http://intranet.example/', false],
    ['intranet.example:80', 'http://intranet.example/', true],
    ['*.intranet.example', 'http://a.b.intranet.example/', true],
    ['*.intranet.example', 'http://intranet.example/', false],
    ['*.intranet.example', 'http://evilintranet.example/', false],
    ['10.0.0.0/8', 'http://any.example:9000/', true],
    ['10.2.0.0/16', 'http://any.example:9000/', false],
    ['10.1.2.3', 'http://any.example/', false],
  ] as const)
    it(`with ${allow} ${allowed ? 'opens' : 'does not open'} ${url}`, async () => {
      assert.equal(await judge([allow], url), allowed ? '10.1.2.3' : 'refused')
    })

  for (const entry of [
    '*',
    '*.',
    'a b',
    'http://x/',
    '10.0.0.0/33',
    'x/8',
    'host:99999',
    'a*b',
    'user@host',
    '[::1',
  ])
    it(`rejects the entry ${entry}`, () => {
      assert.throws(() => createEgress({ allow: [entry] }), /cannot be allowed: give a host/)
    })

  it('with a range opens no other port on public hosts', async () => {
    assert.equal(await judge(['10.0.0.0/8'], 'http://public.example/', '8.8.8.8'), '8.8.8.8')
    assert.equal(await judge(['10.0.0.0/8'], 'http://public.example:22/', '8.8.8.8'), 'refused')
  })

  it('ignores blank entries', async () => {
    assert.equal(await judge(['', ' '], 'http://any.example/'), 'refused')
  })
})

describe('public addresses', () => {
  it('are those outside the reserved ranges', () => {
    for (const address of [
      '1.1.1.1',
      '8.8.8.8',
      '100.63.255.255',
      '100.128.0.1',
      '172.15.0.1',
      '172.32.0.1',
      '11.0.0.1',
      '2606:4700::1111',
      '2a00:1450::1',
      '::ffff:8.8.8.8',
      '64:ff9b::808:808',
      '2002:808:808::1',
    ])
      assert.equal(isPublicAddress(address), true, address)
  })

  it('are classified equally as IPv4 and inside IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), address => {
        for (const prefix of ['::ffff:', '::', '64:ff9b::', '::ffff:0:'])
          assert.equal(isPublicAddress(prefix + address), isPublicAddress(address), prefix + address)
      }),
    )
  })

  it('exclude anything that is not an address', () => {
    for (const text of ['', 'localhost', '1.2.3', '::g', '1.1.1.1.1', 'fe80::1%eth0'])
      assert.equal(isPublicAddress(text), false, text)
  })
})
