import assert from 'node:assert/strict'
import { describe, mock, test } from 'node:test'
import type { TokenRecord } from '../../src/access/access-store.ts'
import { EndpointHealths, endpointKey } from '../../src/adapters/model/endpoint-health.ts'
import { LearnedValues } from '../../src/adapters/model/learned-values.ts'
import { MessageBus } from '../../src/cluster/message-bus.ts'
import { RequestLimiter } from '../../src/http/request-limiter.ts'
import type { Exchange } from '../../src/kernel/exchange.ts'
import { ModelFailure } from '../../src/models/model-failure.ts'
import { RunCapacity } from '../../src/workflow/run/run-capacity.ts'
import { heldTime } from '../models/held-time.ts'

/** Two processes that hear each other; with `isCut` they do not. */
function exchanges({ isCut = false } = {}): { pair: [Exchange, Exchange]; sent: string[] } {
  const sent: string[] = []
  const buses = [new MessageBus(), new MessageBus()] as const
  const exchange = (own: MessageBus, other: MessageBus): Exchange => ({
    send: message => {
      sent.push(message)
      if (!isCut) other.deliver('', message)
    },
    receive: handler => void own.subscribe('', handler),
  })
  return { pair: [exchange(buses[0], buses[1]), exchange(buses[1], buses[0])], sent }
}

const token = (id: string, limits = {}): TokenRecord => ({
  ...{ id, workspaceId: 'w', limits, name: id, role: 'editor', operator: false },
  ...{ agentIds: [], userId: undefined, createdAt: 0, expiresAt: undefined },
})

const labels = { label: 'Model', urlSetting: 'URL', keySetting: 'KEY' }
const down = new ModelFailure('down', { retryable: true, status: 500 })

describe('two processes', () => {
  for (const isCut of [false, true])
    test(`${isCut ? 'that receive no messages count separately' : 'count the calls of a caller together'}`, t => {
      mock.timers.enable({ apis: ['setTimeout'] })
      t.after(() => mock.timers.reset())
      const { pair } = exchanges({ isCut })
      let now = 0
      const rates = { publicCallsPerMinute: 10, tokenCallsPerMinute: 10 }
      const [one, other] = pair.map(exchange => new RequestLimiter(rates, { now: () => now }, exchange))
      const allowed = (call: () => unknown): number => {
        for (let count = 0; ; count++)
          try {
            call()
          } catch {
            return count
          }
      }
      const limited = token('t', { callsPerMinute: 6 })
      for (let call = 0; call < 4; call++) one!.take(limited)
      for (let call = 0; call < 7; call++) one!.takeAnonymous('10.0.0.1')
      mock.timers.tick(1000)
      assert.equal(
        allowed(() => other!.take(limited)),
        isCut ? 6 : 2,
        'of the workspace',
      )
      assert.equal(
        allowed(() => other!.takeAnonymous('10.0.0.1')),
        isCut ? 10 : 3,
      )
      mock.timers.tick(1000)
      assert.equal(
        allowed(() => one!.take(limited)),
        isCut ? 2 : 0,
      )
      now += 60_000
      assert.equal(
        allowed(() => one!.take(limited)),
        6,
        'refilled',
      )
    })

  test('share whether an endpoint is down, rate limited or available again, per workspace and without its key', async () => {
    const { pair, sent } = exchanges()
    const time = heldTime()
    const [one, other] = pair.map(exchange => new EndpointHealths(time.timing, exchange))
    const key = endpointKey('w', 'https://provider/v1/', 'the secret key')
    assert.equal(key, endpointKey('w', 'https://provider/v1', 'the secret key'))
    const call = (healths = other!, of = key, work: () => Promise<unknown> = async () => 'fine') =>
      healths.of(of).attempt(labels, work)
    for (let failure = 0; failure < 5; failure++)
      await assert.rejects(call(one, key, () => Promise.reject(down)))
    await assert.rejects(call(), /calls are paused for a moment/)
    assert.equal(await call(other, endpointKey('another', 'https://provider/v1', 'the secret key')), 'fine')
    time.pass(16_000)
    assert.equal(await call(), 'fine', 'the probe')
    assert.equal(await call(one), 'fine', 'the other one has probed it')
    const busy = new ModelFailure('busy', { retryable: true, status: 429, retryAfterMilliseconds: 9000 })
    await assert.rejects(call(one, key, () => Promise.reject(busy)))
    await assert.rejects(other!.of(key).waitOutPause(labels, 1000, undefined), /asked to wait 9 more seconds/)
    assert.doesNotMatch(sent.join(), /secret|provider/)
  })

  test('share which parameters a provider rejects, for a limited time', () => {
    const { pair } = exchanges()
    const time = heldTime()
    const [one, other] = pair.map(exchange => new LearnedValues<number>(time.timing.clock, exchange))
    one!.set('w embedder', 16)
    assert.deepEqual([one!.get('w embedder'), other!.get('w embedder')], [16, 16])
    assert.equal(other!.get('another embedder'), undefined)
    time.pass(7 * 86_400_000)
    assert.equal(other!.get('w embedder'), undefined)
  })

  test('count the runs of a workspace together', () => {
    const capacity = new RunCapacity(
      { live: 100, memoryBytes: 2 ** 30 },
      { mint: () => 'lease', drop: () => {} },
    )
    capacity.limit('w', 3, 2)
    capacity.reserve('w')
    assert.throws(() => capacity.reserve('w'), /may have 3 runs in progress/)
    capacity.limit('w', 3, 1)
    capacity.reserve('w')
    capacity.reserve('another')
  })
})
