import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { KeywordIndex } from '../../../src/knowledge/index/keyword-index.ts'
import { SegmentCache } from '../../../src/knowledge/index/segment-cache.ts'
import { alike, bruteForce, buildSegment, MemorySegments } from './corpus.ts'

const corpus = Array.from({ length: 60 }, (_, batch) => ({
  batchId: `b${batch}`,
  chunks: Array.from({ length: 5 }, (__, chunk) =>
    Array.from({ length: 40 }, (___, at) => `t${(batch * 31 + chunk * 17 + at * at) % 900}`),
  ),
}))
const sourceOf = (): MemorySegments => new MemorySegments(corpus.map(batch => buildSegment(batch)))
const all = (source: MemorySegments): string[] => [...source.stored.keys()]
const firstBlocks = (source: MemorySegments) => all(source).map(segmentId => ({ segmentId, ordinal: 0 }))

describe('a segment cache', () => {
  test('reads nothing twice while everything fits', async () => {
    const source = sourceOf()
    const cache = new SegmentCache(source, 64 << 20)
    const headers = await cache.headers('w', all(source))
    const blocks = await cache.blocks('w', firstBlocks(source))
    assert.deepEqual([source.headersRead, source.blocksRead], [60, 60])
    assert.deepEqual(await cache.headers('w', all(source)), headers)
    assert.deepEqual(await cache.blocks('w', firstBlocks(source)), blocks)
    assert.deepEqual([source.headersRead, source.blocksRead], [60, 60])
  })

  test('evicts the least recently used entries at its size limit', async () => {
    const source = sourceOf()
    const bytes = [...source.stored.values()].map(({ blocks }) => blocks[0]!.length)
    const maxBytes = bytes.slice(0, 10).reduce((sum, length) => sum + length, 0)
    const cache = new SegmentCache(source, maxBytes)
    const blocks = firstBlocks(source)
    for (const address of blocks) await cache.blocks('w', [address])
    assert.equal(source.blocksRead, 60)

    // From the newest to the oldest: cached entries cost no read, and they fit into the size limit.
    let kept = 0
    for (const address of blocks.toReversed()) {
      await cache.blocks('w', [address])
      if (source.blocksRead > 60) break
      kept += source.stored.get(address.segmentId)!.blocks[0]!.length
    }
    assert.ok(kept > 0 && kept <= maxBytes, `${kept} bytes are cached, the limit is ${maxBytes}`)
  })

  test('keeps entries that are in use', async () => {
    const source = sourceOf()
    const cache = new SegmentCache(source, 40_000)
    const [favourite, ...others] = firstBlocks(source)
    await cache.blocks('w', [favourite!])
    for (const address of [...others, ...others]) {
      await cache.blocks('w', [address])
      const before = source.blocksRead
      await cache.blocks('w', [favourite!])
      assert.equal(source.blocksRead, before)
    }
  })

  test('does not cache an entry larger than a quarter of the cache', async () => {
    const source = sourceOf()
    const cache = new SegmentCache(source, 1000)
    for (let turn = 1; turn <= 3; turn++) {
      const [block] = await cache.blocks('w', [{ segmentId: 's0', ordinal: 0 }])
      assert.deepEqual(block, source.stored.get('s0')!.blocks[0])
      assert.equal(source.blocksRead, turn)
    }
  })

  test('does not cache a missing segment', async () => {
    const source = sourceOf()
    const cache = new SegmentCache(source, 1 << 20)
    const late = { segmentId: 'late', ordinal: 0 }
    assert.equal((await cache.headers('w', ['s0', 'late'])).size, 1)
    assert.deepEqual(await cache.blocks('w', [late]), [undefined])
    source.stored.set('late', buildSegment({ batchId: 'late', chunks: [['x']] }))
    assert.equal((await cache.headers('w', ['s0', 'late'])).size, 2)
    assert.ok((await cache.blocks('w', [late]))[0])
  })

  for (const bytes of [1, 3000, 20_000, 200_000])
    test(`searches with ${bytes} bytes find the same as without a cache`, async () => {
      const source = sourceOf()
      const index = new KeywordIndex(source, new SegmentCache(source, bytes))
      for (let turn = 0; turn < 40; turn++) {
        const asked = alike([`t${turn * 7}`, `t${turn * 11}`, `t${turn}`])
        const { hits } = await index.search('w', 'g', asked, 1000)
        const expected = bruteForce(corpus, asked)
        assert.equal(hits.length, expected.length)
        for (const [at, hit] of hits.entries()) assert.ok(Math.abs(hit.score - expected[at]!.score) < 1e-4)
      }
    })

  test('separates workspaces whose segments have the same id', async () => {
    const mine = buildSegment({ batchId: 'mine', chunks: [['secret']] })
    const theirs = buildSegment({ batchId: 'theirs', chunks: [['other']] })
    const of = (workspaceId: string): MemorySegments =>
      new MemorySegments([workspaceId === 'mine' ? mine : theirs])
    const cache = new SegmentCache(
      {
        segments: workspaceId => of(workspaceId).segments(),
        headers: (workspaceId, ids) => of(workspaceId).headers(workspaceId, ids),
        blocks: (workspaceId, addresses) => of(workspaceId).blocks(workspaceId, addresses),
      },
      1 << 20,
    )
    await cache.headers('mine', ['s0'])
    await cache.blocks('mine', [{ segmentId: 's0', ordinal: 0 }])
    const headers = await cache.headers('theirs', ['s0'])
    assert.equal(headers.get('s0')!.header.ranges[0]!.batchId, 'theirs')
    const [block] = await cache.blocks('theirs', [{ segmentId: 's0', ordinal: 0 }])
    assert.deepEqual(block, theirs.blocks[0])
  })
})
