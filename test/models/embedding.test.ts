import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createEgress } from '../../src/adapters/egress/create-egress.ts'
import {
  createEmbeddingModel,
  embeddingBatches,
  readEmbeddings,
} from '../../src/adapters/model/embedding-model.ts'
import type { EmbeddingModel } from '../../src/models/embedding-model.ts'
import {
  type ScriptedProvider,
  scriptedEmbedding,
  startScriptedProvider,
} from '../support/scripted-provider.ts'
import { heldTime } from './held-time.ts'

const caller = { workspaceId: 'w' }

const egress = createEgress({ allow: [] })
after(() => egress.close())

const dot = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, value, index) => sum + value * other[index]!, 0)

const words = (count: number): string[] => Array.from({ length: count }, (_, index) => `text number ${index}`)

/** Counts the concurrent requests. */
function countedEgress() {
  const counted = { underWay: 0, maxConcurrent: 0, egress }
  counted.egress = {
    ...egress,
    request: async (url, options) => {
      counted.maxConcurrent = Math.max(counted.maxConcurrent, ++counted.underWay)
      try {
        return await egress.request(url, options)
      } finally {
        counted.underWay--
      }
    },
  }
  return counted
}

describe('embedding model', () => {
  let provider: ScriptedProvider
  let model: EmbeddingModel
  before(async () => {
    provider = await startScriptedProvider()
  })
  after(() => provider.close())
  beforeEach(() => {
    provider.calls.length = 0
    provider.decide(() => undefined)
    model = createEmbeddingModel({
      egress,
      baseUrl: `${provider.baseUrl}/`,
      apiKey: 'k',
      ...heldTime().timing,
    })
  })

  const assertOf = (vectors: Float32Array[], texts: string[]): void => {
    assert.equal(vectors.length, texts.length)
    for (const [index, text] of texts.entries())
      assert.ok(dot(vectors[index]!, Float32Array.from(scriptedEmbedding(text))) > 0.9999, text)
  }

  it('returns unit vectors in the order of the texts, nearer for similar texts', async () => {
    const texts = ['the banyan grows new trunks', 'banyan trees grow trunks', '完全不同的一句话']
    const vectors = await model.embed('m', texts, caller)
    assertOf(vectors, texts)
    for (const vector of vectors) assert.ok(Math.abs(dot(vector, vector) - 1) < 1e-5)
    assert.ok(dot(vectors[0]!, vectors[1]!) > dot(vectors[0]!, vectors[2]!))
  })

  it('sends the key, the model and each text only once', async () => {
    await model.embed('name', ['a'], caller)
    assert.equal(provider.calls[0]?.headers.authorization, 'Bearer k')
    assert.equal(provider.calls[0]?.model, 'name')
    assert.equal(provider.calls.length, 1)
  })

  it('sends no request for an empty list', async () => {
    assert.deepEqual(await model.embed('m', [], caller), [])
    assert.equal(provider.calls.length, 0)
  })

  it('accepts responses in another order, and in base64', async () => {
    for (const fault of ['shuffled', 'base64'] as const) {
      provider.play(fault)
      assertOf(await model.embed('m', words(5), caller), words(5))
    }
    assert.equal(provider.calls.length, 2)
  })

  it('sends at maxConcurrent 64 texts per request, and at maxConcurrent three concurrent requests', async () => {
    const counted = countedEgress()
    const counting = createEmbeddingModel({ egress: counted.egress, baseUrl: provider.baseUrl })
    provider.decide(() => ({ slowMilliseconds: 10 }))
    assertOf(await counting.embed('m', words(500), caller), words(500))
    assert.deepEqual(
      provider.calls.map(call => call.inputs.length).sort((a, b) => b - a),
      [64, 64, 64, 64, 64, 64, 64, 52],
    )
    assert.equal(counted.maxConcurrent, 3)
    assert.equal(provider.calls[0]?.headers.authorization, undefined)
  })

  it('sends at most 100,000 characters per request', () => {
    const texts = Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(15_000, 'x'))
    const batches = embeddingBatches(texts, 64)
    assert.deepEqual(
      batches.map(batch => batch.length),
      [6, 6, 6, 2],
    )
    assert.deepEqual(batches.flat(), texts)
  })

  for (const maxTexts of [25, 10, 1])
    it(`detects that a provider accepts at most ${maxTexts} texts, and remembers it`, async () => {
      provider.decide(call =>
        call.inputs.length > maxTexts ? { status: 400, message: 'batch size' } : undefined,
      )
      assertOf(await model.embed('m', words(64), caller), words(64))
      const learning = provider.calls.length
      provider.calls.length = 0
      assertOf(await model.embed('m', words(64), caller), words(64))
      assert.ok(provider.calls.length < learning)
      assert.ok(provider.calls.every(call => call.inputs.length <= maxTexts))
      provider.calls.length = 0
      await model.embed('another', words(64), caller)
      assert.equal(provider.calls[0]?.inputs.length, 64, 'the limit of one model does not apply to another')
      provider.calls.length = 0
      await model.embed('m', words(64), { workspaceId: 'another' })
      assert.equal(provider.calls[0]?.inputs.length, 64, 'a workspace does not limit others')
    })

  it('halves requests that are too large', async () => {
    provider.decide(call => (call.inputs.join('').length > 3000 ? { status: 413 } : undefined))
    const texts = Array.from({ length: 8 }, (_, index) => `${index} `.repeat(500))
    assertOf(await model.embed('m', texts, caller), texts)
  })

  it('truncates a single text that the model rejects as too long, and no other', async () => {
    provider.decide(call =>
      call.inputs.some(input => input.length > 600)
        ? { status: 400, message: 'maximum context length' }
        : undefined,
    )
    const long = 'long '.repeat(400)
    const texts = [...words(7), long]
    assertOf(await model.embed('m', texts, caller), [...words(7), long.slice(0, 500)])
    provider.calls.length = 0
    await model.embed('m', words(64), caller)
    assert.equal(provider.calls.length, 1, 'one long text does not reduce the request size')
  })

  it('fails when a text is rejected for another reason', async () => {
    provider.decide(call => (call.inputs.includes('bad') ? { status: 400, message: 'not nice' } : undefined))
    await assert.rejects(model.embed('m', [...words(5), 'bad'], caller), {
      retryable: false,
      status: 400,
      message: /not nice/,
    })
  })

  it('truncates a text that is too long for any model, between characters', async () => {
    const [vector] = await model.embed('m', [`${'x'.repeat(23_999)}😀 and more`], caller)
    assert.equal(provider.calls[0]?.inputs[0], 'x'.repeat(23_999))
    assert.equal(vector?.length, 64)
  })

  it('sends no lone surrogates', async () => {
    await model.embed('m', ['a\ud800b'], caller)
    assert.equal(provider.calls[0]?.inputs[0], 'a\ufffdb')
  })

  it('rejects empty texts before any request', async () => {
    await assert.rejects(model.embed('m', ['a', ' \n'], caller), { retryable: false })
    assert.equal(provider.calls.length, 0)
  })

  it('treats a zero vector as a failure that is not retryable', async () => {
    provider.play('zero')
    await assert.rejects(model.embed('m', ['a', 'b'], caller), { retryable: false })
    assert.equal(provider.calls.length, 1)
  })

  it('rejects vectors of different dimensions across requests', async () => {
    const narrow = await startScriptedProvider({ dimension: 32 })
    const split: typeof egress = {
      ...egress,
      request: (url, options) =>
        egress.request(
          String(options?.body).includes('number 0"') ? `${narrow.baseUrl}/embeddings` : url,
          options,
        ),
    }
    const mixed = createEmbeddingModel({ egress: split, baseUrl: provider.baseUrl })
    await assert.rejects(mixed.embed('m', words(100), caller), { message: /one dimension/ })
    await narrow.close()
  })

  it('aborts its other requests when one fails permanently', async () => {
    const counted = countedEgress()
    const counting = createEmbeddingModel({ egress: counted.egress, baseUrl: provider.baseUrl })
    provider.decide(call => (call.inputs.includes('text number 0') ? { status: 401 } : 'hang'))
    await assert.rejects(counting.embed('m', words(192), caller), { status: 401 })
    while (counted.underWay > 0) await new Promise(resolve => setTimeout(resolve, 5))
  })
})

describe('embedding response', () => {
  const entry = (index: unknown, embedding: unknown) => ({ index, embedding })
  for (const [label, data] of [
    ['no data', undefined],
    ['no list', { 0: entry(0, [1]) }],
    ['no entries', []],
    ['a null entry', [null]],
    ['an index out of range', [entry(1, [1])]],
    ['a negative index', [entry(-1, [1])]],
    ['an index that is no number', [entry('0', [1])]],
    ['an empty vector', [entry(0, [])]],
    ['text in a vector', [entry(0, ['1'])]],
    ['too large a number', [entry(0, [1e200])]],
    ['infinity', [entry(0, [Number.POSITIVE_INFINITY])]],
    ['a cut base64', [entry(0, 'AAA=')]],
    [
      'not a number in base64',
      [entry(0, Buffer.from(Float32Array.of(Number.NaN).buffer).toString('base64'))],
    ],
    ['an object for a vector', [entry(0, {})]],
  ] as const)
    it(`with ${label} is rejected`, () => {
      assert.throws(() => readEmbeddings({ data }, 1), { name: 'ModelFailure', retryable: true })
    })

  it('without any index is read in order', () => {
    const data = [{ embedding: [2, 0] }, { embedding: [0, 3] }]
    assert.deepEqual(readEmbeddings({ data }, 2), [Float32Array.of(1, 0), Float32Array.of(0, 1)])
  })

  it('of any other shape is rejected', () => {
    for (const answer of [null, 1, 'x', [], {}])
      assert.throws(() => readEmbeddings(answer, 1), { name: 'ModelFailure' })
  })
})
