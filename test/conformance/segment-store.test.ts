import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { KeywordThreads } from '../../src/adapters/index/keyword-threads.ts'
import { KeywordIndex } from '../../src/knowledge/index/keyword-index.ts'
import type { Segment } from '../../src/knowledge/index/segment.ts'
import { mergeSegments } from '../../src/knowledge/index/segment-builder.ts'
import { SegmentCache } from '../../src/knowledge/index/segment-cache.ts'
import { SegmentMerger } from '../../src/knowledge/index/segment-merger.ts'
import { queryTerms } from '../../src/knowledge/text/query-terms.ts'
import { textTerms } from '../../src/knowledge/text/text-terms.ts'
import { localCluster } from '../support/local-cluster.ts'
import { type KnowledgeWorld, type OpenedWorld, openWorld } from './knowledge-world.ts'

describe('segment store', () => {
  let opened: OpenedWorld
  let world: KnowledgeWorld
  beforeEach(async () => {
    opened = await openWorld()
    world = opened.world
    await world.makeBase('w', 'k')
  })
  afterEach(() => opened.cleanup())

  const ids = async (workspaceId = 'w', generationId = 'k-g1'): Promise<string[]> =>
    (await world.segments.segments(workspaceId, generationId)).map(({ id }) => id).sort()

  const plan = (segmentIds: string[], workspaceId = 'w') => ({
    workspaceId,
    generationId: 'k-g1',
    segmentIds,
  })

  const load = async (segmentIds: string[]): Promise<Pick<Segment, 'header' | 'blocks'>[]> => {
    const headers = await world.segments.headers('w', segmentIds)
    return Promise.all(
      segmentIds.map(async id => ({
        header: headers.get(id)!,
        blocks: await world.segments.allBlocks('w', id),
      })),
    )
  }

  const merged = async (segmentIds: string[]): Promise<Segment> =>
    mergeSegments(await load(segmentIds), () => false)

  const find = async (question: string, where = world, workspaceId = 'w'): Promise<string[]> => {
    const index = new KeywordIndex(where.segments, new SegmentCache(where.segments, 1 << 20))
    const { hits } = await index.search(workspaceId, 'k-g1', queryTerms(question), 100)
    return hits.map(({ batchId, position }) => `${batchId}/${position}`).sort()
  }

  test('is searched by threads as by the main thread', async () => {
    for (let at = 0; at < 5; at++)
      await world.addIngested('w', 'k', `f${at}`, [
        `common word${at}`,
        `退款 common ${'long '.repeat(at * 50)}`,
      ])
    const threads = new KeywordThreads(world.segments, { threads: 2, cacheBytes: 1 << 20, minChunks: 1 })
    const index = new KeywordIndex(world.segments, new SegmentCache(world.segments, 1 << 20))
    try {
      for (const question of ['common', 'word3', '退款', 'long common', 'absent']) {
        const found = await threads.search('w', 'k-g1', queryTerms(question), 5)
        assert.deepEqual(found, await index.search('w', 'k-g1', queryTerms(question), 5))
        assert.equal(found.hits.length > 0, question !== 'absent')
      }
    } finally {
      await threads.close()
    }
  })

  test('returns stored bytes in order', async () => {
    const words = Array.from({ length: 8000 }, (_, index) => `word${index}`).join(' ')
    const { batchId } = await world.addIngested('w', 'k', 'f', [words, '短い'])
    const [id] = await ids()
    const [entry] = await world.segments.segments('w', 'k-g1')
    assert.equal(entry?.chunkCount, 2)
    assert.equal(entry?.termTotal, textTerms(words).length + textTerms('短い').length)
    const blocks = await world.segments.allBlocks('w', id!)
    assert.ok(blocks.length > 3)
    const wanted = blocks.map((_, ordinal) => ({ segmentId: id!, ordinal })).reverse()
    assert.deepEqual(await world.segments.blocks('w', wanted), blocks.toReversed())
    assert.deepEqual(await find('word7999'), [`${batchId}/0`])
    assert.deepEqual(await find('短い'), [`${batchId}/1`])
  })

  test('omits a missing segment from the result', async () => {
    await world.addIngested('w', 'k', 'f', ['x'])
    const [id] = await ids()
    assert.deepEqual([...(await world.segments.headers('w', [id!, 'none'])).keys()], [id])
    assert.equal((await world.segments.headers('w', [])).size, 0)
    const blocks = await world.segments.blocks('w', [
      { segmentId: 'none', ordinal: 0 },
      { segmentId: id!, ordinal: 0 },
      { segmentId: id!, ordinal: 99 },
    ])
    assert.deepEqual(
      blocks.map(block => block !== undefined),
      [false, true, false],
    )
    assert.deepEqual(await world.segments.blocks('w', []), [])
    assert.deepEqual(await world.segments.allBlocks('w', 'none'), [])
    assert.deepEqual(await world.segments.segments('w', 'none'), [])
  })

  test('returns many blocks per call, also one requested twice', async () => {
    await world.addIngested('w', 'k', 'f', ['x'])
    const [segmentId] = await ids()
    const addresses = Array.from({ length: 600 }, (_, index) => ({
      segmentId: segmentId!,
      ordinal: index % 2,
    }))
    const blocks = await world.segments.blocks('w', addresses)
    assert.equal(blocks.filter(block => block !== undefined).length, 300)
    assert.ok(blocks[0] && blocks[598] && !blocks[1])
  })

  test('hides segments from other workspaces', async () => {
    await world.addIngested('w', 'k', 'f', ['secret'])
    const [id] = await ids()
    assert.deepEqual(await ids('x'), [])
    assert.equal((await world.segments.headers('x', [id!])).size, 0)
    assert.deepEqual(await world.segments.blocks('x', [{ segmentId: id!, ordinal: 0 }]), [undefined])
    assert.deepEqual(await world.segments.allBlocks('x', id!), [])
    assert.equal(await world.segments.liveChunks('x', 'k-g1'), 0)
    assert.deepEqual(await world.segments.liveBatches('x', 'k-g1', ['batch1', 'batch2']), new Set())
    assert.deepEqual(await find('secret', world, 'x'), [])
    assert.equal(await world.segments.replace(plan([id!], 'x'), await merged([id!]), 'taken', 1), false)
    assert.deepEqual(await ids(), [id])
    assert.equal((await find('secret')).length, 1)
  })

  test('returns the live batches and their number of chunks', async () => {
    const live = await world.addIngested('w', 'k', 'f', ['a', 'b'])
    const removed = await world.addIngested('w', 'k', 'g', ['c'])
    await world.documents.remove('w', 'k', 'g')
    await world.addDocument('w', 'k', 'h')
    const staged = await world.claim()
    await world.stage(staged, ['d'])
    const asked = [live.batchId, removed.batchId, staged.batchId, 'none']
    assert.deepEqual(await world.segments.liveBatches('w', 'k-g1', asked), new Set([live.batchId]))
    assert.deepEqual(await world.segments.liveBatches('w', 'other', asked), new Set())
    const many = [...Array.from({ length: 1200 }, (_, index) => `no${index}`), live.batchId]
    assert.deepEqual(await world.segments.liveBatches('w', 'k-g1', many), new Set([live.batchId]))
    assert.equal(await world.segments.liveChunks('w', 'k-g1'), 2)
    assert.equal(await world.segments.liveChunks('w', 'none'), 0)
  })

  test('lists generations with many segments', async () => {
    for (let index = 0; index < 7; index++) await world.addIngested('w', 'k', `f${index}`, ['x'])
    assert.deepEqual(await world.segments.crowded(), [])
    await world.addIngested('w', 'k', 'f7', ['x'])
    assert.deepEqual(await world.segments.crowded(), [{ workspaceId: 'w', generationId: 'k-g1' }])
  })

  describe('merging segments', () => {
    test('replaces the sources without changing the results', async () => {
      for (const text of ['red apple', 'green apple', 'red pear'])
        await world.addIngested('w', 'k', text, [text])
      const before = [await find('red'), await find('apple')]
      const old = await ids()
      assert.ok(await world.segments.replace(plan(old), await merged(old), 'm', 5000))
      assert.deepEqual(await ids(), ['m'])
      assert.deepEqual([await find('red'), await find('apple')], before)
      await world.sweepAll()
      assert.equal((await world.countRows())['segments'], 1)
      assert.deepEqual([await find('red'), await find('apple')], before)
    })

    test('stores all blocks of large segments', async () => {
      const words = (from: number): string =>
        Array.from(
          { length: 30_000 },
          (_, index) => `word${String(from + index).replace(/\d/g, digit => 'abcdefghij'[Number(digit)]!)}`,
        ).join(' ')
      for (const from of [0, 30_000, 60_000]) await world.addIngested('w', 'k', `f${from}`, [words(from)])
      const old = await ids()
      const whole = await merged(old)
      assert.ok(whole.blocks.length > 64, `${whole.blocks.length} blocks`)
      assert.ok(await world.segments.replace(plan(old), whole, 'm', 5000))
      const stored = await world.segments.allBlocks('w', 'm')
      assert.equal(stored.length, whole.blocks.length)
      assert.ok(stored.every((block, at) => Buffer.compare(block, whole.blocks[at]!) === 0))
      for (const word of ['worda', 'wordeeeee', 'wordijjjj']) assert.equal((await find(word)).length, 1, word)
    })

    test('changes nothing when one of the sources was replaced meanwhile', async () => {
      for (const file of ['f', 'g']) await world.addIngested('w', 'k', file, ['text'])
      const old = await ids()
      const whole = await merged(old)
      await world.documents.remove('w', 'k', 'f')
      await world.sweepAll()
      const left = await ids()
      assert.equal(left.length, 1)
      assert.equal(await world.segments.replace(plan(old), whole, 'm', 5000), false)
      assert.deepEqual(await ids(), left)
      await world.sweepAll()
      assert.equal((await world.countRows())['segments'], 1)
    })

    test('happens once when two processes merge concurrently', async () => {
      for (const file of ['f', 'g', 'h']) await world.addIngested('w', 'k', file, ['text'])
      const old = await ids()
      const whole = await merged(old)
      const other = await opened.openAgain()
      const done = await Promise.all([
        world.segments.replace(plan(old), whole, 'm1', 5000),
        other.segments.replace(plan(old.toReversed()), whole, 'm2', 5000),
      ])
      assert.deepEqual(done.toSorted(), [false, true])
      assert.deepEqual(await ids(), [done[0] ? 'm1' : 'm2'])
      assert.equal((await find('text')).length, 3)
    })

    test('leaves no segment when all chunks are gone', async () => {
      for (const file of ['f', 'g']) await world.addIngested('w', 'k', file, ['text'])
      const old = await ids()
      const nothing = mergeSegments(await load(old), () => true)
      assert.ok(await world.segments.replace(plan(old), nothing, 'm', 5000))
      assert.deepEqual(await ids(), [])
      await world.sweepAll()
      const rows = await world.countRows()
      assert.deepEqual([rows['segments'], rows['segment_blocks']], [0, 0])
    })

    test('runs concurrently with searches and removals without losing a document', async () => {
      const own = (index: number): string => `q${String.fromCharCode(97 + index)}z`
      const other = await opened.openAgain()
      const batches = new Map<string, string>()
      for (let index = 0; index < 20; index++)
        batches.set(
          `f${index}`,
          (await world.addIngested('w', 'k', `f${index}`, [`common ${own(index)}`])).batchId,
        )
      const merger = new SegmentMerger(
        world.segments,
        { merge: async (_, segments, gone) => mergeSegments(segments, id => gone.includes(id)) },
        { now: () => 5000 } as never,
        localCluster(),
      )
      const merging = merger.merge('w', 'k-g1', new AbortController().signal)
      for (let index = 0; index < 5; index++) {
        await other.documents.remove('w', 'k', `f${index}`)
        assert.ok((await find('common', other)).includes(`${batches.get('f9')}/0`))
        await other.sweeper.sweep(5000)
      }
      await merging
      await world.sweepAll()
      await merger.mergeCrowded(new AbortController().signal)
      assert.ok((await ids()).length < 8, `${(await ids()).length} segments`)
      for (let index = 5; index < 20; index++)
        assert.deepEqual(await find(own(index)), [`${batches.get(`f${index}`)}/0`])
    })
  })
})
