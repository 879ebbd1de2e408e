import assert from 'node:assert/strict'
import { it } from 'node:test'
import { RateLimit } from '../../src/http/rate-limit.ts'
import { startTestServer } from '../support/test-server.ts'

it('lets each caller have so many calls a minute, and more as time goes by', () => {
  let now = 0
  const limit = new RateLimit(3, { now: () => now })
  const tries = (caller: string): number => {
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
  assert.equal(tries('one'), 3)
  assert.equal(tries('other'), 3, 'callers do not share')
  now += 20_000
  assert.equal(tries('one'), 1, 'a third of the minute brings a third of the calls')
  now += 3_600_000
  assert.equal(tries('one'), 3, 'and never more than those of a minute')
  now -= 7_200_000
  assert.equal(tries('one'), 0, 'a clock that is set back gives nothing')
})

it('has no limit at 0', () => {
  const limit = new RateLimit(0, { now: () => 0 })
  for (let call = 0; call < 1000; call += 1) limit.take('one')
})

it('answers who calls a public agent too often without a token, and nobody else', async t => {
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
  assert.equal(known.json.code, 0, 'a token is not counted')
})
