import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createEgress } from '../../src/adapters/egress/create-egress.ts'
import { EndpointHealths, endpointKey } from '../../src/adapters/model/endpoint-health.ts'
import { createLanguageModel, type LanguageModelOptions } from '../../src/adapters/model/language-model.ts'
import type { LanguageModel } from '../../src/models/language-model.ts'
import { ModelFailure } from '../../src/models/model-failure.ts'
import type { ChatPlan } from '../support/scripted-chat.ts'
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts'
import { heldTime } from './held-time.ts'

const egress = createEgress({ allow: [] })
after(() => egress.close())

const text = 'The banyan 榕树 grows 🌳 new trunks.'
const goesOn = new AbortController().signal

describe('a failing language model', () => {
  let provider: ScriptedModel
  let time: ReturnType<typeof heldTime>
  let pieces: string[]
  before(async () => {
    provider = await startScriptedModel()
  })
  after(() => provider.stop())
  beforeEach(() => {
    provider.reset()
    time = heldTime()
    pieces = []
  })

  const open = (options: Partial<LanguageModelOptions> = {}): LanguageModel =>
    createLanguageModel({
      egress,
      baseUrl: `${provider.origin}/v1`,
      apiKey: provider.apiKey,
      model: 'writer',
      trusted: true,
      ...time.timing,
      ...options,
    })

  const ask = async (model = open(), signal = goesOn): Promise<string> => {
    const request = { messages: [{ role: 'user' as const, parts: [{ type: 'text' as const, text: 'go' }] }] }
    return (await model.generate(request, piece => pieces.push(piece), signal)).text
  }

  const failure = async (doing: Promise<unknown>): Promise<ModelFailure> => {
    const error = await doing.then(
      () => assert.fail('the call did not fail'),
      error => error,
    )
    assert.ok(error instanceof ModelFailure, String(error))
    assert.ok(!error.message.includes(provider.apiKey), 'the message contains the key')
    assert.doesNotMatch(error.message, /127\.0/)
    return error
  }

  const always = (plan: ChatPlan): void => provider.play(() => ({ text, ...plan }))

  describe('P1: silent provider', () => {
    it('times out before the first piece', async () => {
      always({ hang: true })
      const error = await failure(ask(open({ timeouts: { firstTokenMilliseconds: 1000 } })))
      assert.match(error.message, /did not respond in time\. Check that MODEL_BASE_URL/)
      assert.equal(error.retryable, true)
      assert.equal(provider.calls.chat.length, 1, 'one call is one attempt')
    })

    it('times out in the middle of a stream, after its pieces were passed on', async () => {
      always({ hangAfter: 2 })
      const error = await failure(ask(open({ timeouts: { idleMilliseconds: 1500 } })))
      assert.equal(error.retryable, true)
      assert.equal(pieces.join(''), 'The bany')
    })

    it('counts reasoning as the first piece', async () => {
      const gate = Promise.withResolvers<void>()
      setTimeout(gate.resolve, 1200)
      always({ reasoning: 'hm', beforePiece: () => gate.promise })
      const timeouts = { firstTokenMilliseconds: 1000, idleMilliseconds: 10_000 }
      assert.equal(await ask(open({ timeouts })), text)
    })
  })

  describe('P2: rate limit', () => {
    const endpoints = () => new EndpointHealths(time.timing)

    for (const status of [429, 503])
      it(`applies the delay of a ${status} to all models with the same address and key`, async () => {
        const healths = endpoints()
        const one = open({ health: healths.of(endpointKey('w', 'u/', 'k')) })
        const other = open({ health: healths.of(endpointKey('w', 'u', 'k')), model: 'other' })
        always({ status, headers: { 'retry-after': '3' } })
        const error = await failure(ask(one))
        assert.equal(error.retryable, true)
        assert.equal(error.retryAfterMilliseconds, 3000)
        assert.deepEqual(time.slept, [], 'the caller decides whether to retry')
        always({})
        await Promise.all([ask(one), ask(other)])
        assert.ok(time.slept.length >= 1 && time.slept[0]! >= 3000)
        const slept = time.slept.length
        await ask(open({ health: healths.of(endpointKey('w', 'u', 'another key')) }))
        assert.equal(time.slept.length, slept)
      })

    it('fails calls during a long delay, and reports it', async () => {
      const model = open()
      always({ status: 429, headers: { 'retry-after': '61' } })
      await failure(ask(model))
      const next = await failure(ask(model))
      assert.equal(next.retryAfterMilliseconds, 61_000)
      assert.equal(next.retryable, true)
      assert.equal(provider.calls.chat.length, 1)
      time.pass(61_001)
      always({})
      assert.equal(await ask(model), text)
    })

    it('is over in time although the clock of the machine is set back', async t => {
      const { sleep } = time.timing
      const health = new EndpointHealths({ sleep }).of(endpointKey('w', 'u', 'k'))
      always({ status: 429, headers: { 'retry-after': '3' } })
      await failure(ask(open({ health })))
      const now = Date.now()
      t.mock.method(Date, 'now', () => now - 3_600_000)
      always({})
      assert.equal(await ask(open({ health })), text)
      assert.ok(time.slept[0]! <= 3600, `${time.slept}`)
    })

    it('does not open the circuit', async () => {
      const model = open()
      always({ status: 429 })
      for (let count = 0; count < 7; count++) await failure(ask(model))
      assert.equal(provider.calls.chat.length, 7)
    })

    it('can be aborted during the delay', async () => {
      const reason = new Error('enough')
      const controller = new AbortController()
      const sleep = async (): Promise<void> => {
        controller.abort(reason)
        throw reason
      }
      const model = open({ sleep })
      always({ status: 429, headers: { 'retry-after': '3' } })
      await failure(ask(model))
      await assert.rejects(ask(model, controller.signal), reason)
      assert.equal(provider.calls.chat.length, 1)
    })
  })

  describe('P3: outage', () => {
    const wearOut = async (model: LanguageModel): Promise<void> => {
      always({ status: 503 })
      for (let count = 0; count < 5; count++) await failure(ask(model))
    }

    for (const status of [408, 409, 425, 500, 502, 503, 504, 529])
      it(`reports ${status} as retryable, but does not retry it`, async () => {
        always({ status })
        assert.equal((await failure(ask())).retryable, true)
        assert.equal(provider.calls.chat.length, 1)
      })

    it('opens the circuit for all its models after five failures, then sends one probe', async () => {
      const health = new EndpointHealths(time.timing).of(endpointKey('w', 'u', 'k'))
      await wearOut(open({ health }))
      const spared = await failure(ask(open({ health, model: 'other' })))
      assert.match(spared.message, /Check that MODEL_BASE_URL is right and its server is running/)
      assert.ok(spared.retryable && spared.retryAfterMilliseconds! > 0)
      assert.equal(provider.calls.chat.length, 5)
      time.pass(15_000)
      await failure(ask(open({ health })))
      await failure(ask(open({ health })))
      assert.equal(provider.calls.chat.length, 6, 'a failed probe opens the circuit again')
      time.pass(15_000)
      always({})
      assert.equal(await ask(open({ health })), text)
    })

    it('admits other calls as soon as a probe receives text', async () => {
      const model = open()
      await wearOut(model)
      time.pass(15_000)
      const gate = Promise.withResolvers<void>()
      provider.play((_, count) =>
        count === 6 ? { text, beforePiece: index => (index === 1 ? gate.promise : undefined) } : { text },
      )
      const probe = ask(model)
      while (pieces.length === 0) await new Promise(setImmediate)
      assert.equal(await ask(model), text)
      gate.resolve()
      assert.equal(await probe, text)
    })

    it('allows another probe after an aborted one', async () => {
      const model = open()
      await wearOut(model)
      time.pass(15_000)
      always({ hang: true })
      await assert.rejects(ask(model, AbortSignal.timeout(30)), { name: 'TimeoutError' })
      always({})
      assert.equal(await ask(model), text)
    })

    it('sends few requests for many callers', async () => {
      const model = open()
      always({ status: 503 })
      await Promise.allSettled(Array.from({ length: 200 }, () => ask(model)))
      const sofar = provider.calls.chat.length
      assert.ok(sofar <= 200, `${sofar} requests`)
      await Promise.allSettled(Array.from({ length: 200 }, () => ask(model)))
      assert.equal(provider.calls.chat.length, sofar)
    })

    it('reports an unreachable server by its setting', async () => {
      const gone = await startScriptedModel()
      await gone.stop()
      const error = await failure(ask(open({ baseUrl: `${gone.origin}/v1` })))
      assert.match(error.message, /could not be reached\. Check that MODEL_BASE_URL is right/)
      assert.equal(error.retryable, true)
    })
  })

  describe('P4: a stream that', () => {
    const right: Record<string, ChatPlan> = {
      'is cut into single bytes': { splitAt: 'every' },
      'has no [DONE]': { withoutDone: true },
      'has no finish reason but [DONE]': { finishReason: null },
      'has lines that end in CRLF': { lineEnd: '\r\n' },
      'has lines that end in CR': { lineEnd: '\r', splitAt: 'every' },
      'begins with a byte order mark': { byteOrderMark: true },
      'is kept alive by comments': { keepAlives: true },
      'has events without choices': { emptyChoices: true },
    }
    for (const [name, plan] of Object.entries(right))
      it(`${name} yields the right text`, async () => {
        always(plan)
        assert.equal(await ask(), text)
        assert.equal(pieces.join(''), text)
      })

    it('repeats a piece yields it twice, since text may repeat', async () => {
      always({ pieces: ['very ', 'good'], duplicatePiece: 0 })
      assert.equal(await ask(), 'very very good')
    })

    const wrong: Record<string, ChatPlan> = {
      'breaks off between pieces': { cutAfter: 2 },
      'breaks off in the middle of JSON': { cutInPiece: 2 },
      'ends in the middle of JSON': { endInPiece: 2 },
      'has neither finish reason nor [DONE]': { finishReason: null, withoutDone: true },
      'ends with the reason error': { finishReason: 'error' },
      'ends with the failure of Zhipu': { finishReason: 'network_error' },
      'ends with the failure of DeepSeek': { finishReason: 'insufficient_system_resource' },
      'has a line of 10 MB': { hugeLine: 10_000_000 },
      'has a line that is not JSON': { garbageLine: true },
      'is a web page': { html: true },
      'is nothing at all': { pieces: [], finishReason: null, usage: null },
    }
    for (const [name, plan] of Object.entries(wrong))
      it(`${name} fails, and the received text is only the beginning`, async () => {
        always(plan)
        const error = await failure(ask())
        assert.equal(error.retryable, true)
        assert.match(error.message, /^Model "writer": .*\. Check MODEL_BASE_URL/)
        assert.ok(text.startsWith(pieces.join('')))
      })

    it('breaks off with its connection fails in the same way', async () => {
      always({ drop: true })
      assert.equal((await failure(ask())).retryable, true)
    })
  })

  describe('P5: stream that never closes', () => {
    it('completes the answer at the end marker', { timeout: 30_000 }, async () => {
      always({ neverClose: true })
      assert.equal(await ask(), text)
    })

    it('times out when it sends more and more', async () => {
      always({ pieces: Array.from({ length: 5000 }, () => 'on '), pieceDelay: 5 })
      const error = await failure(ask(open({ timeouts: { totalMilliseconds: 150 } })))
      assert.equal(error.retryable, true)
    })
  })

  describe('P6: 200 response with an error', () => {
    it('fails the call', async () => {
      always({ errorIn200: 'the model is being loaded' })
      const error = await failure(ask())
      assert.match(error.message, /Provider message: the model is being loaded/)
      assert.equal(error.retryable, true)
    })

    it('is classified by the status inside', async () => {
      always({ errorIn200: 'bad key', code: 401 })
      const error = await failure(ask())
      assert.deepEqual([error.status, error.retryable], [401, false])
    })

    it('fails the call in the middle of a stream too', async () => {
      always({ errorInStream: { after: 2, message: `overloaded ${provider.apiKey}`, code: 503 } })
      const error = await failure(ask())
      assert.match(error.message, /provider error \(503\).*Provider message: overloaded \[key\]/)
      assert.equal(error.retryable, true)
      assert.equal(pieces.join(''), 'The bany')
    })

    it('is not called again with fewer options once it has sent text', async () => {
      always({ errorInStream: { after: 2, message: 'stream_options is not known', code: 400 } })
      await failure(ask())
      assert.equal(provider.calls.chat.length, 1)
    })
  })

  for (const [status, kind, advice] of [
    [401, 'key_rejected', 'rejected the API key (401). Check MODEL_API_KEY'],
    [403, 'key_rejected', 'rejected the API key (403). Check MODEL_API_KEY'],
    [402, 'no_credit', 'no credit'],
    [404, 'not_found', 'Check MODEL_BASE_URL'],
    [400, 'refused', 'rejected the request'],
    [301, 'redirect', 'redirect'],
  ] as const)
    it(`with ${status} is not called again, and the advice is: ${advice}`, async () => {
      always({ status, message: `bad ${provider.apiKey}`, headers: { location: '/elsewhere' } })
      const error = await failure(ask())
      assert.deepEqual([error.retryable, error.status, error.kind], [false, status, kind])
      assert.ok(error.message.includes(`(${status}). `) && error.message.includes(advice), error.message)
    })

  it('is not called again when its account has no credit', async () => {
    always({ status: 429, code: 'insufficient_quota' })
    const { retryable, kind } = await failure(ask())
    assert.deepEqual([retryable, kind], [false, 'no_credit'])
  })

  it('is reported by its labels', async () => {
    always({ status: 401 })
    const labels = { label: 'Model "fast"', urlSetting: 'its URL', keySetting: 'the key in Models' }
    assert.equal(
      (await failure(ask(open({ labels })))).message,
      'Model "fast": the provider rejected the API key (401). Check the key in Models.',
    )
  })

  it('is not called with a key that is invalid in a header', async () => {
    const error = await failure(ask(open({ apiKey: 'line\nbreak' })))
    assert.equal(error.retryable, false)
    assert.doesNotMatch(error.message, /break/)
    assert.equal(provider.calls.chat.length, 0)
  })

  it('can be aborted before, while waiting, and in the middle of the stream', {
    timeout: 30_000,
  }, async () => {
    const reason = new Error('enough')
    await assert.rejects(ask(open(), AbortSignal.abort(reason)), reason)
    assert.equal(provider.calls.chat.length, 0)
    const waiting = new AbortController()
    provider.play(() => {
      waiting.abort(reason)
      return { hang: true }
    })
    await assert.rejects(ask(open(), waiting.signal), reason)
    const writing = new AbortController()
    always({ hangAfter: 1 })
    const doing = ask(open(), writing.signal)
    while (pieces.length === 0) await new Promise(setImmediate)
    // The request was sent long ago, and only the response still refers to it.
    setFlagsFromString('--expose-gc')
    runInNewContext('gc')()
    await new Promise(setImmediate)
    writing.abort(reason)
    await assert.rejects(doing, reason)
  })
})
