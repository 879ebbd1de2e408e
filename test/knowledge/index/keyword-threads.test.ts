import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { KeywordThreads } from '../../../src/adapters/index/keyword-threads.ts'
import { AppError } from '../../../src/kernel/app-error.ts'
import { KeywordIndex } from '../../../src/knowledge/index/keyword-index.ts'
import { mergeSegments } from '../../../src/knowledge/index/segment-builder.ts'
import { SegmentCache } from '../../../src/knowledge/index/segment-cache.ts'
import { numbersFrom } from '../../support/vector-rows.ts'
import { alike, type Batch, buildSegment, MemorySegments } from './corpus.ts'

const next = numbersFrom(5)
const corpus = Array.from(
  { length: 6 },
  (_, at): Batch => ({
    batchId: `batch ${at}`,
    chunks: Array.from({ length: 300 }, () =>
      Array.from({ length: 20 }, () => `w${Math.floor(next() ** 2 * 200)}`),
    ),
  }),
)
const segments = corpus.map(batch => buildSegment(batch))
const questions = Array.from({ length: 40 }, () =>
  alike(Array.from({ length: 4 }, () => `w${Math.floor(next() * 200)}`)),
)

describe('keyword searches in threads', () => {
  const source = new MemorySegments(segments)
  const threads = new KeywordThreads(source, { threads: 2, cacheBytes: 1 << 22, minChunks: 1 })
  const alone = new KeywordIndex(source, new SegmentCache(source, 1 << 22))
  after(() => threads.close())

  test('have the results of the index, also many at a time and in some batches only', async () => {
    const some = new Set(['batch 1', 'batch 4'])
    for (const batchIds of [undefined, some]) {
      const found = await Promise.all(questions.map(asked => threads.search('w', 'g', asked, 10, batchIds)))
      for (const [at, asked] of questions.entries())
        assert.deepEqual(found[at], await alone.search('w', 'g', asked, 10, batchIds))
    }
  })

  test('match hits with other terms as the index does', async () => {
    const { hits } = await threads.search('w', 'g', questions[0]!, 60)
    const weights = new Map([...questions[1]!.keys()].map((term, at) => [term, at + 1]))
    const matches = await threads.match('w', 'g', hits, weights)
    assert.deepEqual(matches, await alone.match('w', 'g', hits, weights))
    assert.ok(matches!.some(match => match > 0))
  })

  test('read each header and block once for each cache', async () => {
    const before = source.blocksRead + source.headersRead
    for (const asked of questions) await threads.search('w', 'g', asked, 10)
    assert.equal(source.blocksRead + source.headersRead, before)
  })

  test('survive a merge between two searches', async () => {
    source.stored.clear()
    source.stored.set(
      'merged',
      mergeSegments(segments, () => false),
    )
    assert.deepEqual(
      await threads.search('w', 'g', questions[0]!, 10),
      await alone.search('w', 'g', questions[0]!, 10),
    )
  })
})

test('a read that fails fails its search, and the next one succeeds', async t => {
  const source = new MemorySegments(segments)
  const threads = new KeywordThreads(source, { threads: 1, cacheBytes: 1 << 22, minChunks: 1 })
  t.after(() => threads.close())
  const { headers } = source
  source.headers = async () => {
    throw new AppError('unavailable', 'The database cannot be reached right now.')
  }
  await assert.rejects(threads.search('w', 'g', alike(['w1']), 5), /cannot be reached right now/)
  source.headers = headers
  assert.equal((await threads.search('w', 'g', alike(['w1']), 5)).hits.length, 5)
})

test('no thread starts for a small generation, and none after the end', async () => {
  const source = new MemorySegments(segments)
  const small = new KeywordThreads(source, { threads: 1, cacheBytes: 1 << 22 })
  assert.equal((await small.search('w', 'g', alike(['w1']), 5)).hits.length, 5)
  const large = new KeywordThreads(source, { threads: 1, cacheBytes: 1 << 22, minChunks: 1 })
  await large.close()
  await assert.rejects(large.search('w', 'g', alike(['w1']), 5), /is closed/)
})
