import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fuseScores } from '../../../src/knowledge/search/fuse-scores.ts'

const hits = (...names: string[]) =>
  names.map((batchId, index) => ({ batchId, position: 0, score: 1 - index / 10 }))

test('a chunk that is first in both results scores 1, one in a single result less', () => {
  const fused = fuseScores({ keyword: hits('a', 'b'), semantic: hits('a', 'c') })
  assert.deepEqual(
    fused.map(({ batchId }) => batchId),
    ['a', 'b', 'c'],
  )
  assert.equal(fused[0]!.score, 1)
  assert.ok(fused[1]!.score < 1 && fused[1]!.score > 0.8)
  assert.deepEqual(fused[0]!.keyword, { rank: 1, score: 1 })
  assert.deepEqual(fused[2]!.semantic, { rank: 2, score: 0.9 })
  assert.equal(fused[2]!.keyword, undefined)
})

const hit = (batchId: string, score: number) => ({ batchId, position: 0, score })

test('a good score in both results beats the best score in one', () => {
  const fused = fuseScores({
    keyword: [hit('k', 0.7), hit('both', 0.6), hit('x', 0.1)],
    semantic: [hit('s', 0.7), hit('both', 0.6), hit('x', 0.1)],
  })
  assert.equal(fused[0]!.batchId, 'both')
})

test('an index without a good hit does not outrank the good hit of the other', () => {
  const fused = fuseScores({
    keyword: [hit('right', 0.8), hit('b', 0.2)],
    semantic: [hit('c', 0.25), hit('d', 0.24), hit('right', 0.2)],
  })
  assert.equal(fused[0]!.batchId, 'right')
})

test('what neither index finds relevant has a low score, whatever its rank', () => {
  const [best] = fuseScores({ keyword: [hit('a', 0.2)], semantic: [hit('a', 0.15)] })
  assert.ok(best!.score < 0.2)
})

test('a passage in other words than the question keeps most of its similarity', () => {
  const [best] = fuseScores({
    keyword: [hit('words', 0.2)],
    semantic: [hit('meaning', 0.8), hit('words', 0.1)],
  })
  assert.equal(best!.batchId, 'meaning')
  assert.ok(best!.score >= 0.6)
})

test('chunks of a document are distinguished by their position', () => {
  const fused = fuseScores({
    keyword: [{ batchId: 'b', position: 1, score: 1 }],
    semantic: [{ batchId: 'b', position: 11, score: 1 }],
  })
  assert.equal(fused.length, 2)
})

test('a single result keeps its scores and order', () => {
  assert.deepEqual(
    fuseScores({ semantic: hits('a', 'b', 'c') }).map(({ batchId, score }) => [batchId, score]),
    [
      ['a', 1],
      ['b', 0.9],
      ['c', 0.8],
    ],
  )
  assert.deepEqual(fuseScores({ keyword: [] }), [])
  assert.deepEqual(fuseScores({}), [])
})

test('an empty result does not change the order of the other', () => {
  const fused = fuseScores({ keyword: hits('a', 'b', 'c'), semantic: [] })
  assert.deepEqual(
    fused.map(({ batchId }) => batchId),
    ['a', 'b', 'c'],
  )
  assert.ok(fused.every(({ score }) => score <= 0.75))
})

test('scores are between 0 and 1 and descend; no chunk is lost or repeated', () => {
  const leg = fc.uniqueArray(fc.constantFrom(...'abcdefghijklm'), { maxLength: 13 })
  fc.assert(
    fc.property(leg, leg, (keyword, semantic) => {
      const fused = fuseScores({ keyword: hits(...keyword), semantic: hits(...semantic) })
      assert.deepEqual(
        fused.map(({ batchId }) => batchId).sort(),
        [...new Set([...keyword, ...semantic])].sort(),
      )
      for (const [at, { score }] of fused.entries())
        assert.ok(score > 0 && score <= 1 && score <= (fused[at - 1]?.score ?? 1))
    }),
  )
})
