import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createEgress } from '../../src/adapters/egress/create-egress.ts'
import { createReranker, readScores } from '../../src/adapters/model/rerank-model.ts'
import type { Reranker } from '../../src/models/reranker.ts'
import { type ScriptedProvider, startScriptedProvider } from '../support/scripted-provider.ts'

const caller = { workspaceId: 'w' }

const egress = createEgress({ allow: [] })
after(() => egress.close())

const documents = ['nothing of the kind', 'the banyan tree', 'a tree', '榕树']

describe('reranker', () => {
  let provider: ScriptedProvider
  let reranker: Reranker
  before(async () => {
    provider = await startScriptedProvider()
  })
  after(() => provider.close())
  beforeEach(() => {
    provider.calls.length = 0
    reranker = createReranker({ egress, baseUrl: provider.baseUrl, apiKey: 'k', model: 'judge' })
  })

  it('returns a score from 0 to 1 for every document, the best first', async () => {
    const ranked = await reranker.rerank('banyan tree', documents, caller)
    assert.equal(ranked[0]?.index, 1)
    assert.deepEqual(ranked.map(each => each.index).sort(), [0, 1, 2, 3])
    assert.deepEqual(
      ranked,
      ranked.toSorted((one, other) => other.score - one.score),
    )
    assert.ok(ranked.every(({ score }) => score >= 0 && score <= 1))
    assert.equal(provider.calls[0]?.model, 'judge')
    assert.equal(provider.calls[0]?.headers.authorization, 'Bearer k')
  })

  it('ranks equally whatever the order of the response', async () => {
    const ranked = await reranker.rerank('banyan tree', documents, caller)
    for (const fault of ['shuffled', 'bom'] as const) {
      provider.play(fault)
      provider.calls.length = 0
      assert.deepEqual(await reranker.rerank('banyan tree', documents, caller), ranked)
      assert.equal(provider.calls.length, 1, fault)
    }
  })

  it('normalizes unbounded scores to 0 to 1, in the same order, also later', async () => {
    const plain = await reranker.rerank('banyan tree', documents, caller)
    provider.play('logits')
    const squashed = await reranker.rerank('banyan tree', documents, caller)
    assert.deepEqual(
      squashed.map(each => each.index),
      plain.map(each => each.index),
    )
    assert.ok(squashed.every(({ score }) => score > 0 && score < 1))
    // This response is within bounds, but the model has returned unbounded scores before.
    const next = await reranker.rerank('banyan tree', documents, caller)
    assert.ok(next.every(({ score }) => score >= 0.5 && score < 0.74))
  })

  it('sends no request when there is nothing to rank', async () => {
    assert.deepEqual(await reranker.rerank('x', [], caller), [])
    assert.equal(provider.calls.length, 0)
  })

  it('truncates long documents', async () => {
    await reranker.rerank('x', ['y'.repeat(50_000)], caller)
    assert.equal(provider.calls[0]?.inputs[0]?.length, 16_000)
  })
})

describe('rerank response', () => {
  it('is read in the formats of several providers', () => {
    const expected = [{ index: 0, score: 0.5 }]
    assert.deepEqual(readScores({ results: [{ index: 0, relevance_score: 0.5 }] }, 1), expected)
    assert.deepEqual(readScores({ data: [{ index: 0, relevance_score: 0.5 }] }, 1), expected)
    assert.deepEqual(readScores([{ index: 0, score: 0.5 }], 1), expected)
  })

  for (const [label, results] of [
    ['no results', undefined],
    ['too few', []],
    [
      'too many',
      [
        { index: 0, score: 1 },
        { index: 1, score: 1 },
      ],
    ],
    ['an index out of range', [{ index: 1, score: 1 }]],
    ['a fractional index', [{ index: 0.5, score: 1 }]],
    ['no score', [{ index: 0 }]],
    ['a score as text', [{ index: 0, score: 'high' }]],
    ['a null entry', [null]],
  ] as const)
    it(`with ${label} is rejected`, () => {
      assert.throws(() => readScores({ results }, 1), { name: 'ModelFailure', retryable: true })
    })
})
