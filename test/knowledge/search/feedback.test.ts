import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SearchRequest } from '../../../src/knowledge/search/search-request.ts'
import { type Passage, SearchWorld } from './search-world.ts'

const passages: Passage[] = [
  { file: 'a', content: 'The refund is paid by the bank.', keyword: 0.8 },
  { file: 'b', content: 'A refund needs the bank account, 2024.', keyword: 0.79 },
  { file: 'c', content: 'Refund of banks in 2024', keyword: 0.78 },
  { file: 'd', content: 'Something else', keyword: 0.775 },
]

/** Documents c and d match what the others have in common as given. */
function largeBase(matches: Record<string, number> = {}): SearchWorld {
  const world = new SearchWorld(passages)
  world.embeddingModel = null
  world.chunkTotal = 1000
  world.match = files => files.map(file => matches[file] ?? 0)
  return world
}

const ask = (world: SearchWorld, request: Partial<SearchRequest> = {}) =>
  world.service().search('w', 'k', { query: 'refund money paid twice', ...request })

const filesOf = async (world: SearchWorld, request: Partial<SearchRequest> = {}): Promise<string[]> =>
  (await ask(world, request)).items.map(({ chunk }) => chunk.fileId)

describe('feedback', () => {
  test('moves passages up that have the words which the first ones share', async () => {
    assert.deepEqual(await filesOf(largeBase()), ['a', 'b', 'c', 'd'])
    assert.deepEqual(await filesOf(largeBase({ c: 0.5, b: 0.1 })), ['c', 'b', 'a', 'd'])
  })

  test('looks at words that two passages have, but not at function words and numbers', async () => {
    const world = largeBase()
    await ask(world)
    assert.deepEqual(
      world.matched.map(terms => terms.toSorted()),
      [['bank', 'head', 'refund']],
    )
  })

  test('keeps the best score, and scores that fall with the rank', async () => {
    const { items } = await ask(largeBase({ c: 1, d: 1 }))
    const scores = items.map(({ score }) => score)
    assert.ok(Math.abs(scores[0]! - 0.8) < 1e-9)
    assert.deepEqual(
      scores,
      scores.toSorted((left, right) => right - left),
    )
    assert.ok(scores.every(score => score > 0 && score <= 1))
  })

  test('reads the passages once', async () => {
    const world = largeBase({ c: 0.5 })
    await ask(world)
    assert.equal(world.fetched, 1)
  })

  test('does not read passages that are far below the first', async () => {
    const world = largeBase()
    world.passages = [passages[0]!, ...passages.slice(1).map(passage => ({ ...passage, keyword: 0.3 }))]
    await ask(world)
    assert.deepEqual(world.matched, [], 'one passage shares words with no other')
  })

  test('is left out in small bases, for short questions, in Chinese, for single hits and in semantic search', async () => {
    const small = largeBase({ d: 1 })
    small.chunkTotal = 99
    assert.deepEqual(await filesOf(small), ['a', 'b', 'c', 'd'])
    const short = largeBase({ d: 1 })
    assert.deepEqual(await filesOf(short, { query: 'how do I get a refund' }), ['a', 'b', 'c', 'd'])
    const chinese = largeBase({ d: 1 })
    assert.deepEqual(await filesOf(chinese, { query: '退款 refund money paid twice' }), ['a', 'b', 'c', 'd'])
    const single = largeBase({ d: 1 })
    single.passages = passages.slice(0, 1)
    assert.deepEqual(await filesOf(single), ['a'])
    const semantic = new SearchWorld(passages.map(passage => ({ ...passage, semantic: passage.keyword! })))
    semantic.chunkTotal = 1000
    await ask(semantic, { mode: 'semantic' })
    assert.deepEqual(
      [small, short, chinese, single, semantic].flatMap(world => world.matched),
      [],
    )
  })

  test('is left out when the index was merged meanwhile', async () => {
    const world = largeBase()
    world.match = undefined
    assert.deepEqual(await filesOf(world), ['a', 'b', 'c', 'd'])
  })
})
