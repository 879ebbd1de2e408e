import assert from 'node:assert/strict'
import { it } from 'node:test'
import { RateLimit } from '../../src/http/rate-limit.ts'
import { startTestServer } from '../support/test-server.ts'

it('limits each caller to a number of calls per minute and refills the budget over time', () => {
  let now = 0
  const limit = new RateLimit(3, { now: () => now })
  const allowedCalls = (caller: string): number => {
    let count = 0
    for (;;) {
      try {
        limit.take(caller)
        count += 1
      } catch (error) {
        assert.match(String(error), /try again in \d+ s/)
        return count
      }
    }
  }
  assert.equal(allowedCalls('one'), 3)
  assert.equal(allowedCalls('other'), 3, 'each caller has its own budget')
  now += 20_000
  assert.equal(allowedCalls('one'), 1, 'a third of a minute refills a third of the budget')
  now += 3_600_000
  assert.equal(allowedCalls('one'), 3, 'the budget never exceeds one minute of calls')
  now -= 7_200_000
  assert.equal(allowedCalls('one'), 0, 'a clock set back refills nothing')
})

it('does not limit calls when the limit is 0', () => {
  const limit = new RateLimit(0, { now: () => 0 })
  for (let call = 0; call < 1000; call += 1) limit.take('one')
})

it('returns 429 to anonymous callers of a public agent over the limit, not to callers with a token', async t => {
  const server = await startTestServer({ PUBLIC_CALLS_PER_MINUTE: '2' })
  t.after(() => server.stop())
  const made = await server.api.post('/api/v1/agent/create', { name: 'open', access: 'public' })
  const { id } = made.json.data
  const create = (headers: Record<string, string> = {}) =>
    fetch(`${server.base}/api/v1/conversation/create`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ agent_id: id }),
    })
  assert.equal((await create()).status, 200)
  assert.equal((await create()).status, 200)
  const refused = await create()
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  const body = (await refused.json()) as { code: number; msg: string }
  assert.equal(body.code, 42901)
  const known = await server.api.post('/api/v1/conversation/create', { agent_id: id })
  assert.equal(known.json.code, 0, 'calls with a token are not counted')
})
