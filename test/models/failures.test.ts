import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { createEgress } from '../../src/adapters/egress/create-egress.ts'
import { createEmbeddingModel } from '../../src/adapters/model/embedding-model.ts'
import { createReranker } from '../../src/adapters/model/rerank-model.ts'
import { ModelFailure } from '../../src/models/model-failure.ts'
import { type Fault, type ScriptedProvider, startScriptedProvider } from '../support/scripted-provider.ts'
import { heldTime } from './held-time.ts'

const apiKey = 'canary/0123456789'
// Not allowed for callers: the addresses of models are trusted because the operator configured them.
const egress = createEgress({ allow: [] })
after(() => egress.close())

interface Given {
  baseUrl: string
  time: ReturnType<typeof heldTime>
  key?: string
  timeout?: number
}

type Call = (signal?: AbortSignal) => Promise<unknown>

const models: Record<string, { setting: string; open(given: Given): Call }> = {
  embedding: {
    setting: 'EMBEDDING',
    open: ({ baseUrl, time, key = apiKey, timeout = 5000 }) => {
      const options = { egress, baseUrl, apiKey: key, attemptMilliseconds: timeout, ...time.timing }
      const model = createEmbeddingModel(options)
      return signal => model.embed('m', ['one', 'two'], { workspaceId: 'w', signal })
    },
  },
  rerank: {
    setting: 'RERANK',
    open: ({ baseUrl, time, key = apiKey, timeout = 5000 }) => {
      const options = { egress, baseUrl, apiKey: key, totalMilliseconds: timeout, ...time.timing }
      const model = createReranker({ ...options, model: 'm' })
      return signal => model.rerank('query', ['one', 'two'], { workspaceId: 'w', signal })
    },
  },
}

for (const [name, { setting, open }] of Object.entries(models))
  describe(`a failing ${name} endpoint`, () => {
    let provider: ScriptedProvider
    let time: ReturnType<typeof heldTime>
    let call: Call
    before(async () => {
      provider = await startScriptedProvider()
    })
    after(() => provider.close())
    beforeEach(() => {
      provider.calls.length = 0
      time = heldTime()
      call = open({ baseUrl: provider.baseUrl, time })
    })
    afterEach(() => provider.decide(() => undefined))

    const failure = async (doing: Promise<unknown>): Promise<ModelFailure> => {
      const error = await doing.then(
        () => assert.fail('the call did not fail'),
        error => error,
      )
      assert.ok(error instanceof ModelFailure, String(error))
      assert.ok(!error.message.includes(apiKey), 'the message contains the key')
      assert.ok(error.message.toLowerCase().startsWith(`${name} model: `), error.message)
      return error
    }

    const passing: Fault[] = [
      'drop',
      'cut',
      'garbage',
      'html',
      'error_in_200',
      'wrong_count',
      'not_a_number',
      'duplicate_index',
      ...(name === 'embedding' ? (['wrong_dimension'] as const) : []),
      ...[408, 409, 425, 429, 500, 502, 503, 504, 529].map(status => ({ status })),
    ]
    for (const fault of passing) {
      it(`is called again after ${JSON.stringify(fault)}`, async () => {
        provider.play(fault, fault)
        await call()
        assert.equal(provider.calls.length, 3)
        // Half of the step and half of the rest, since the random value is fixed at a half.
        assert.deepEqual(time.slept, [375, 750])
      })

      it(`fails after three attempts with ${JSON.stringify(fault)}`, async () => {
        provider.decide(() => fault)
        assert.equal((await failure(call())).retryable, true)
        assert.equal(provider.calls.length, 3)
      })
    }

    for (const [status, advice] of [
      [401, `rejected the API key (401). Check ${setting}_API_KEY`],
      [403, `rejected the API key (403). Check ${setting}_API_KEY`],
      [402, 'no credit'],
      [404, `Check ${setting}_BASE_URL`],
      [405, 'rejected the request'],
      [301, 'redirect'],
      [307, 'redirect'],
    ] as const)
      it(`is called once when it returns ${status}, and the advice is: ${advice}`, async () => {
        provider.decide(() => ({ status, message: `bad ${apiKey}`, headers: { location: '/elsewhere' } }))
        const error = await failure(call())
        assert.equal(error.retryable, false)
        assert.equal(error.status, status)
        assert.ok(error.message.includes(`(${status}). `) && error.message.includes(advice), error.message)
        assert.equal(provider.calls.length, 1)
      })

    it('is not called again when its account has no credit', async () => {
      provider.decide(() => ({ status: 429, code: 'insufficient_quota' }))
      assert.equal((await failure(call())).retryable, false)
      assert.equal(provider.calls.length, 1)
    })

    it('is quoted without any key', async () => {
      provider.decide(() => ({
        status: 405,
        message: `model x with ${apiKey} and Bearer abc and sk-other-key123`,
      }))
      assert.match(
        (await failure(call())).message,
        /Provider message: model x with \[key\] and \[key\] and \[key\]$/,
      )
    })

    it('is classified by the status inside a 200 response', async () => {
      provider.decide(() => ({ status: 200, code: 401 }))
      const error = await failure(call())
      assert.equal(error.status, 401)
      assert.equal(provider.calls.length, 1)
    })

    it('that hangs times out, and is retried where no user waits', async t => {
      // A provider of its own: a request may arrive after its timeout.
      const hanging = await startScriptedProvider()
      t.after(() => hanging.close())
      call = open({ baseUrl: hanging.baseUrl, time, timeout: 50 })
      hanging.decide(() => 'hang')
      const error = await failure(call())
      assert.match(error.message, /did not respond in time/)
      assert.equal(error.retryable, true)
      assert.equal(time.slept.length, name === 'embedding' ? 2 : 0, 'delays between attempts')
    })

    for (const [header, value, asked] of [
      ['retry-after', '2', 2000],
      ['retry-after', new Date(1_003_000).toUTCString(), 3000],
      ['retry-after-ms', '1500', 1500],
    ] as const)
      it(`gets the delay that it requests by ${header}: ${value}`, async () => {
        const before = time.timing.clock.now()
        provider.play({ status: 429, headers: { [header]: value } })
        await call()
        const waited = time.timing.clock.now() - before
        assert.ok(waited >= asked && waited < asked * 1.2, `waited ${waited}`)
        assert.equal(provider.calls.length, 2)
      })

    it('that requests a delay gets it from all callers', async () => {
      provider.decide(() => ({ status: 429, headers: { 'retry-after': '3' } }))
      await failure(call())
      provider.decide(() => undefined)
      time.slept.length = 0
      await call()
      assert.ok(time.slept[0]! >= 3000, 'the next caller waits as well')
    })

    it('that requests an endless delay gets fifteen minutes', async () => {
      provider.play({ status: 503, headers: { 'retry-after': '999999999' } })
      await failure(call())
      time.pass(900_001)
      await call()
    })

    it('that requests a long delay is not called, and the failure reports the delay', async () => {
      provider.play({ status: 429, headers: { 'retry-after': '600' } })
      assert.equal((await failure(call())).retryAfterMilliseconds, 600_000)
      const next = await failure(call())
      assert.equal(next.retryAfterMilliseconds, 600_000)
      assert.equal(provider.calls.length, 1)
      time.pass(600_001)
      await call()
    })

    it('is not called after five failures in a row, then probed by one call', async () => {
      provider.decide(() => ({ status: 503 }))
      await failure(call())
      await failure(call())
      assert.equal(provider.calls.length, 5)
      const spared = await failure(call())
      assert.match(spared.message, new RegExp(`${setting}_BASE_URL`))
      assert.ok(spared.retryable && spared.retryAfterMilliseconds! > 0)
      assert.equal(provider.calls.length, 5)
      time.pass(15_000)
      await failure(call())
      assert.equal(provider.calls.length, 6, 'a failed probe opens the circuit again')
      time.pass(15_000)
      provider.decide(() => undefined)
      await call()
      await Promise.all([call(), call(), call()])
      assert.equal(provider.calls.length, 10)
    })

    it('does not open the circuit on a rate limit', async () => {
      provider.decide(() => ({ status: 429 }))
      await failure(call())
      await failure(call())
      await failure(call())
      assert.equal(provider.calls.length, 9)
      provider.decide(() => undefined)
      await call()
    })

    it('may be probed again when a probe was aborted', async () => {
      provider.decide(() => ({ status: 503 }))
      await failure(call())
      await failure(call())
      time.pass(15_000)
      provider.decide(() => 'hang')
      await assert.rejects(call(AbortSignal.timeout(30)), { name: 'TimeoutError' })
      provider.decide(() => undefined)
      await call()
    })

    it('gets only one concurrent probe', async () => {
      provider.decide(() => ({ status: 503 }))
      await failure(call())
      await failure(call())
      time.pass(15_000)
      provider.decide(() => ({ slowMilliseconds: 50 }))
      const outcomes = await Promise.allSettled([call(), call(), call(), call()])
      assert.deepEqual(outcomes.map(each => each.status).sort(), [
        'fulfilled',
        'rejected',
        'rejected',
        'rejected',
      ])
      assert.equal(provider.calls.length, 6)
    })

    it('gets few requests from many callers', async () => {
      provider.decide(() => ({ status: 503 }))
      const outcomes = await Promise.allSettled(Array.from({ length: 200 }, () => call()))
      assert.ok(outcomes.every(each => each.status === 'rejected'))
      assert.ok(provider.calls.length <= 600, `${provider.calls.length} requests`)
      const sofar = provider.calls.length
      await Promise.allSettled(Array.from({ length: 200 }, () => call()))
      assert.equal(provider.calls.length, sofar)
    })

    it('can be aborted at any time', async () => {
      const reason = new Error('enough')
      await assert.rejects(call(AbortSignal.abort(reason)), reason)
      assert.equal(provider.calls.length, 0)
      provider.decide(() => 'hang')
      const controller = new AbortController()
      const doing = call(controller.signal)
      setTimeout(() => controller.abort(reason), 30)
      await assert.rejects(doing, reason)
    })

    it('that is unreachable is reported by its setting, not by its address', async () => {
      const gone = await startScriptedProvider()
      await gone.close()
      const error = await failure(open({ baseUrl: gone.baseUrl, time })())
      assert.match(error.message, new RegExp(`Check that ${setting}_BASE_URL is right`))
      assert.doesNotMatch(error.message, /127\.0/)
      assert.equal(error.retryable, true)
    })

    it('is not called with a key that is invalid in a header', async () => {
      const error = await failure(open({ baseUrl: provider.baseUrl, time, key: 'line\nbreak' })())
      assert.equal(error.retryable, false)
      assert.doesNotMatch(error.message, /break/)
    })

    it('must have a URL', () => {
      assert.throws(() => open({ baseUrl: 'nonsense', time }), new RegExp(`${setting}_BASE_URL`))
    })
  })
