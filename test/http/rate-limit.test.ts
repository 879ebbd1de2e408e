import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TokenRecord } from '../../src/access/access-store.ts'
import { networkOf, RequestLimiter, type RequestRates } from '../../src/http/request-limiter.ts'
import { apiClient } from '../support/api-client.ts'
import { startTestServer } from '../support/test-server.ts'

const tokenOf = (id: string, workspaceId = 'w', limits = {}): TokenRecord => ({
  ...{ id, workspaceId, limits, name: id, role: 'editor', operator: false },
  ...{ agentIds: [], userId: undefined, createdAt: 0, expiresAt: undefined },
})

describe('the request limiter', () => {
  let now = 0
  const limiterOf = (rates: Partial<RequestRates>) => new RequestLimiter(rates, { now: () => now })
  const allowed = (call: () => void): number => {
    for (let count = 0; ; count++)
      try {
        call()
      } catch (error) {
        assert.match(String(error), /try again in \d+ s/)
        return count
      }
  }

  it('limits each address to a number of calls per minute and refills the budget over time', () => {
    const limiter = limiterOf({ publicCallsPerMinute: 3 })
    const calls = (address: string) => allowed(() => limiter.takeAnonymous(address))
    assert.equal(calls('10.0.0.1'), 3)
    assert.equal(calls('10.0.0.2'), 3, 'each caller has its own budget')
    now += 20_000
    assert.equal(calls('10.0.0.1'), 1, 'a third of a minute refills a third of the budget')
    now += 3_600_000
    assert.equal(calls('10.0.0.1'), 3, 'the budget never exceeds one minute of calls')
    now -= 7_200_000
    assert.equal(calls('10.0.0.1'), 0, 'a clock set back refills nothing')
  })

  it('counts the addresses of an IPv6 network together', () => {
    const limiter = limiterOf({ publicCallsPerMinute: 3 })
    for (let host = 1; host <= 3; host++) limiter.takeAnonymous(`2001:db8:1:2::${host}`)
    assert.equal(
      allowed(() => limiter.takeAnonymous('2001:db8:1:2:ffff::9')),
      0,
    )
    assert.equal(
      allowed(() => limiter.takeAnonymous('2001:db8:1:3::1')),
      3,
    )
    const networks: [string, string][] = [
      ['2001:DB8::1', '2001:db8:0:0::/64'],
      ['2001:db8:0:0:1:2:3:4', '2001:db8:0:0::/64'],
      ['::1', '0:0:0:0::/64'],
      ['1::', '1:0:0:0::/64'],
      ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
      ['fe80::1%eth0', 'fe80:0:0:0::/64'],
      ['64:ff9b::1.2.3.4', '64:ff9b:0:0::/64'],
      ['::ffff:10.1.2.3', '10.1.2.3'],
      ['10.1.2.3', '10.1.2.3'],
      ['10.1.2.3:4711', '10.1.2.3'],
      ['[2001:db8::1]:4711', '2001:db8:0:0::/64'],
      ['[2001:db8::1]', '2001:db8:0:0::/64'],
    ]
    for (const [address, network] of networks) assert.equal(networkOf(address), network, address)
  })

  it('limits the calls of a token and of its workspace, and reports the nearer limit', () => {
    const limiter = limiterOf({ tokenCallsPerMinute: 4, workspaceCallsPerMinute: 6 })
    const [one, two] = [tokenOf('one'), tokenOf('two')]
    assert.deepEqual(limiter.take(one), {
      'ratelimit-limit': '4',
      'ratelimit-remaining': '3',
      'ratelimit-reset': '15',
    })
    assert.equal(
      allowed(() => limiter.take(one)),
      3,
    )
    assert.equal(limiter.take(two)!['ratelimit-remaining'], '1', 'of the workspace')
    assert.equal(
      allowed(() => limiter.take(two)),
      1,
    )
    assert.equal(
      allowed(() => limiter.take(tokenOf('three', 'other'))),
      4,
    )
    assert.equal(
      allowed(() => limiter.take(tokenOf('four', 'small', { callsPerMinute: 2 }))),
      2,
    )
  })

  it('limits nothing where the rate is 0', () => {
    const limiter = limiterOf({ workspaceCallsPerMinute: 5 })
    const free = tokenOf('free', 'unlimited', { callsPerMinute: 0 })
    for (let call = 0; call < 1000; call++) {
      limiter.takeAnonymous('10.0.0.1')
      limiter.countWrongToken('10.0.0.1')
      limiter.refuseGuessing('10.0.0.1')
      assert.equal(limiter.take(free), undefined)
    }
  })
})

it('returns 429 to anonymous callers of a public agent over the limit, not to callers with a token', async t => {
  const server = await startTestServer({ PUBLIC_CALLS_PER_MINUTE: '2' })
  t.after(() => server.stop())
  const made = await server.api.post('agent/create', { name: 'open', access: 'public' })
  const { id } = made.json.data
  const anonymous = server.api.as(undefined)
  const create = () => anonymous.post('conversation/create', { agent_id: id })
  assert.equal((await create()).status, 200)
  assert.equal((await create()).status, 200)
  const refused = await create()
  assert.deepEqual([refused.status, refused.json.code], [429, 42901])
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  const known = await server.api.post('conversation/create', { agent_id: id })
  assert.equal(known.json.code, 0, 'calls with a token are not counted')
})

it('returns 429 with headers to a token over its limit, and lets other tokens work', async t => {
  const server = await startTestServer({ TOKEN_CALLS_PER_MINUTE: '5', DEMO: 'off' })
  t.after(() => server.stop())
  const made = await server.api.post('token/create', { name: 'busy', role: 'viewer' })
  const busy = server.api.as(made.json.data.token)
  for (let left = 4; left >= 0; left--) {
    const { status, headers } = await busy.get('token/self')
    assert.deepEqual(
      [status, headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')],
      [200, '5', String(left)],
    )
    assert.ok(Number(headers.get('ratelimit-reset')) > 0)
  }
  const refused = await busy.get('token/self')
  assert.deepEqual(
    [refused.status, refused.json.code, refused.json.data.reason],
    [429, 42901, 'rate_limited'],
  )
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.equal(refused.headers.get('ratelimit-remaining'), '0')
  assert.equal((await server.api.get('token/self')).status, 200)
})

it('limits the wrong tokens of an address, but not tokens that were valid before', async t => {
  // One more is allowed every twelve seconds.
  const server = await startTestServer({ WRONG_TOKENS_PER_MINUTE: '5', DEMO: 'off' })
  t.after(() => server.stop())
  assert.equal((await server.api.get('token/self')).status, 200)
  const made = await server.api.post('token/create', { name: 'new', role: 'viewer' })
  const statuses: number[] = []
  for (let attempt = 0; attempt < 10; attempt++)
    statuses.push((await apiClient(server.base, `guess-number-${attempt}`).get('token/self')).status)
  assert.deepEqual(statuses.slice(0, 5), Array(5).fill(401))
  assert.ok(
    statuses.slice(6).every(status => status === 429),
    String(statuses),
  )
  const refused = await apiClient(server.base, 'guess').get('token/self')
  assert.deepEqual([refused.status, refused.json.code], [429, 42901])
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.equal((await server.api.as(made.json.data.token).get('token/self')).status, 429, 'never seen before')
  assert.equal((await server.api.get('token/self')).status, 200)
})
