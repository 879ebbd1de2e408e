import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fuseRanks } from '../../../src/knowledge/search/fuse-ranks.ts'

const hits = (...names: string[]) =>
  names.map((batchId, index) => ({ batchId, position: 0, score: 1 - index / 10 }))

test('a chunk that is first in both results scores 1, one in a single result less', () => {
  const fused = fuseRanks({ keyword: hits('a', 'b'), semantic: hits('a', 'c') })
  assert.deepEqual(
    fused.map(({ batchId }) => batchId),
    ['a', 'b', 'c'],
  )
  assert.equal(fused[0]!.score, 1)
  assert.ok(fused[1]!.score < 0.5 && fused[1]!.score > 0.4)
  assert.deepEqual(fused[0]!.keyword, { rank: 1, score: 1 })
  assert.deepEqual(fused[2]!.semantic, { rank: 2, score: 0.9 })
  assert.equal(fused[2]!.keyword, undefined)
})

test('a good rank in both results beats the best rank in one', () => {
  const fused = fuseRanks({ keyword: hits('k', 'both'), semantic: hits('s', 'both') })
  assert.equal(fused[0]!.batchId, 'both')
})

test('chunks of a document are distinguished by their position', () => {
  const fused = fuseRanks({
    keyword: [{ batchId: 'b', position: 1, score: 1 }],
    semantic: [{ batchId: 'b', position: 11, score: 1 }],
  })
  assert.equal(fused.length, 2)
})

test('a single result keeps its scores and order', () => {
  assert.deepEqual(
    fuseRanks({ semantic: hits('a', 'b', 'c') }).map(({ batchId, score }) => [batchId, score]),
    [
      ['a', 1],
      ['b', 0.9],
      ['c', 0.8],
    ],
  )
  assert.deepEqual(fuseRanks({ keyword: [] }), [])
  assert.deepEqual(fuseRanks({}), [])
})

test('an empty result does not change the order of the other', () => {
  const fused = fuseRanks({ keyword: hits('a', 'b', 'c'), semantic: [] })
  assert.deepEqual(
    fused.map(({ batchId }) => batchId),
    ['a', 'b', 'c'],
  )
  assert.ok(fused.every(({ score }) => score <= 0.5))
})

test('scores are between 0 and 1 and descend; no chunk is lost or repeated', () => {
  const leg = fc.uniqueArray(fc.constantFrom(...'abcdefghijklm'), { maxLength: 13 })
  fc.assert(
    fc.property(leg, leg, (keyword, semantic) => {
      const fused = fuseRanks({ keyword: hits(...keyword), semantic: hits(...semantic) })
      assert.deepEqual(
        fused.map(({ batchId }) => batchId).sort(),
        [...new Set([...keyword, ...semantic])].sort(),
      )
      for (const [at, { score }] of fused.entries())
        assert.ok(score > 0 && score <= 1 && score <= (fused[at - 1]?.score ?? 1))
    }),
  )
})
