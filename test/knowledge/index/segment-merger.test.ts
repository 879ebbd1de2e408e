import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Clock } from '../../../src/kernel/clock.ts'
import { decodeHeader, type Segment } from '../../../src/knowledge/index/segment.ts'
import { mergeSegments } from '../../../src/knowledge/index/segment-builder.ts'
import {
  type CountedSegment,
  isOvergrown,
  planMerge,
  SegmentMerger,
} from '../../../src/knowledge/index/segment-merger.ts'
import type { MergePlan, SegmentStorage } from '../../../src/knowledge/index/segment-store.ts'
import { localCluster } from '../../support/local-cluster.ts'
import { buildSegment, MemorySegments } from './corpus.ts'

const never = new AbortController().signal
const clock = { now: () => 1 } as Clock

/** Executes plans on chunk counts alone until none is left, and returns how many chunks were rewritten. */
function settle(segments: CountedSegment[], name: () => string): number {
  let rewritten = 0
  for (let plan = planMerge(segments); plan; plan = planMerge(segments)) {
    const chosen = new Set(plan)
    assert.ok(chosen.size === plan.length && plan.length >= 2, 'a plan names several segments, each once')
    const merged = segments.filter(({ id }) => chosen.has(id))
    assert.equal(merged.length, plan.length, 'a plan names only existing segments')
    const chunkCount = merged.reduce((sum, segment) => sum + segment.chunkCount, 0)
    assert.ok(chunkCount <= 65_536)
    rewritten += chunkCount
    const rest = segments.filter(({ id }) => !chosen.has(id))
    segments.splice(0, segments.length, ...rest, { id: name(), chunkCount })
  }
  return rewritten
}

describe('merge plan', () => {
  test('keeps few segments for ten thousand documents of one chunk, and rewrites each chunk a few times', () => {
    const segments: CountedSegment[] = []
    let serial = 0
    const name = (): string => `s${serial++}`
    let rewritten = 0
    let maxSegments = 0
    for (let document = 0; document < 10_000; document++) {
      segments.push({ id: name(), chunkCount: 1 })
      rewritten += settle(segments, name)
      maxSegments = Math.max(maxSegments, segments.length)
    }
    assert.equal(
      segments.reduce((sum, { chunkCount }) => sum + chunkCount, 0),
      10_000,
    )
    // At most seven of each size class: 1, 8, 64, 512, 4096.
    assert.ok(maxSegments <= 7 * 5, `${maxSegments} segments`)
    assert.ok(rewritten <= 10_000 * 5, `${rewritten} chunks rewritten`)
  })

  test('terminates for any sizes, and leaves fewer than eight small segments per size class', () => {
    const sizes = fc.array(fc.oneof(fc.nat(20), fc.nat(40_000), fc.constantFrom(0, 1, 4096, 32_768)), {
      maxLength: 200,
    })
    fc.assert(
      fc.property(sizes, all => {
        let serial = 0
        const name = (): string => `s${serial++}`
        const segments = all.map(chunkCount => ({ id: name(), chunkCount }))
        settle(segments, name)
        const tiers = Map.groupBy(segments, ({ chunkCount }) =>
          Math.floor(Math.log(Math.max(1, chunkCount)) / Math.log(8)),
        )
        for (const [tier, group] of tiers)
          if (tier < 4) assert.ok(group.length < 8, `${group.length} in ${tier}`)
      }),
    )
  })

  test('keeps few segments for a million chunks', () => {
    const segments: CountedSegment[] = []
    let serial = 0
    const name = (): string => `s${serial++}`
    let rewritten = 0
    for (let batch = 0; batch < 1000; batch++) {
      segments.push({ id: name(), chunkCount: 1000 + (batch % 100) })
      rewritten += settle(segments, name)
    }
    assert.ok(segments.length <= 7 * 2 + 20, `${segments.length} segments`)
    assert.ok(rewritten <= 1_050_000 * 3, `${rewritten} chunks rewritten`)
  })

  test('is empty for no segments or a few', () => {
    assert.equal(planMerge([]), undefined)
    assert.equal(
      planMerge(Array.from({ length: 7 }, (_, index) => ({ id: `${index}`, chunkCount: 1 }))),
      undefined,
    )
  })

  test('treats an index as overgrown when a third of it is dead, unless it is small', () => {
    assert.equal(isOvergrown([{ id: 'a', chunkCount: 1000 }], 0), false)
    assert.equal(isOvergrown([{ id: 'a', chunkCount: 1001 }], 0), true)
    assert.equal(isOvergrown([{ id: 'a', chunkCount: 15_000 }], 10_000), false)
    assert.equal(isOvergrown([{ id: 'a', chunkCount: 16_001 }], 10_000), true)
  })
})

class MemoryStore extends MemorySegments implements SegmentStorage {
  readonly gone = new Set<string>()
  readonly counts = new Map<string, number>()
  replaced = 0
  refuse = 0

  put(batchId: string, chunks: string[][]): void {
    this.stored.set(`s-${batchId}`, buildSegment({ batchId, chunks }))
    this.counts.set(batchId, chunks.length)
  }

  async liveChunks(): Promise<number> {
    return [...this.counts].reduce((sum, [id, count]) => sum + (this.gone.has(id) ? 0 : count), 0)
  }

  async crowded(): Promise<{ workspaceId: string; generationId: string }[]> {
    return this.stored.size >= 8 ? [{ workspaceId: 'w', generationId: 'g' }] : []
  }

  async allBlocks(_: string, segmentId: string): Promise<Uint8Array[]> {
    return this.stored.get(segmentId)?.blocks ?? []
  }

  async liveBatches(_: string, __: string, batchIds: string[]): Promise<Set<string>> {
    return new Set(batchIds.filter(id => !this.gone.has(id)))
  }

  async replace({ segmentIds }: MergePlan, merged: Segment, id: string): Promise<boolean> {
    if (this.refuse-- > 0 || !segmentIds.every(each => this.stored.has(each))) return false
    for (const each of segmentIds) this.stored.delete(each)
    if (merged.chunkCount > 0) this.stored.set(id, merged)
    this.replaced++
    return true
  }

  batches(): string[] {
    return [...this.stored.values()].flatMap(({ header }) =>
      decodeHeader(header).ranges.map(range => range.batchId),
    )
  }
}

const workOn = (store: MemoryStore): SegmentMerger =>
  new SegmentMerger(
    store,
    { merge: async (_, segments, gone) => mergeSegments(segments, id => gone.includes(id)) },
    clock,
    localCluster(),
  )

describe('segment merger', () => {
  test('merges many segments into few without losing a chunk', async () => {
    const store = new MemoryStore()
    for (let batch = 0; batch < 200; batch++) store.put(`b${batch}`, [['word', `w${batch}`]])
    await workOn(store).mergeCrowded(never)
    assert.ok(store.stored.size <= 14, `${store.stored.size} segments`)
    assert.equal(new Set(store.batches()).size, 200)
    assert.equal(store.batches().length, 200)
  })

  test('omits deleted chunks', async () => {
    const store = new MemoryStore()
    for (let batch = 0; batch < 16; batch++) store.put(`b${batch}`, [['word']])
    for (let batch = 0; batch < 16; batch += 2) store.gone.add(`b${batch}`)
    await workOn(store).merge('w', 'g', never)
    for (const batchId of store.batches().filter(id => !id.startsWith('b1')))
      assert.ok(!store.gone.has(batchId))
    assert.ok(store.stored.size < 16)
  })

  test('rewrites mostly dead segments although there are few, and then stops', async () => {
    const store = new MemoryStore()
    const chunks = Array.from({ length: 800 }, () => ['word'])
    for (const batch of ['a', 'b', 'c']) store.put(batch, chunks)
    store.gone.add('a').add('b')
    await workOn(store).merge('w', 'g', never)
    assert.ok(store.replaced >= 1)
    assert.ok(!isOvergrown(await store.segments(), await store.liveChunks()))
    assert.ok(store.batches().includes('c'))
    const before = store.replaced
    await workOn(store).merge('w', 'g', never)
    assert.equal(store.replaced, before)
  })

  test('deletes segments that are entirely dead, and terminates', async () => {
    const store = new MemoryStore()
    for (const batch of ['a', 'b'])
      store.put(
        batch,
        Array.from({ length: 900 }, () => ['word']),
      )
    store.put('empty', [])
    store.gone.add('a').add('b').add('empty')
    await workOn(store).merge('w', 'g', never)
    assert.ok((await store.segments()).reduce((sum, { chunkCount }) => sum + chunkCount, 0) <= 1000)
  })

  test('gives up when another process merged concurrently, and succeeds the next time', async () => {
    const store = new MemoryStore()
    for (let batch = 0; batch < 8; batch++) store.put(`b${batch}`, [['word']])
    store.refuse = 1
    const merger = workOn(store)
    await merger.merge('w', 'g', never)
    assert.equal(store.stored.size, 8)
    await merger.merge('w', 'g', never)
    assert.equal(store.stored.size, 1)
  })

  test('continues after a failure, and stops on request', async () => {
    const store = new MemoryStore()
    for (let batch = 0; batch < 8; batch++) store.put(`b${batch}`, [['word']])
    let fails = true
    const merger = new SegmentMerger(
      store,
      {
        merge: async (_, segments) => {
          if (fails) throw new Error('the worker died')
          return mergeSegments(segments, () => false)
        },
      },
      clock,
      localCluster(),
    )
    await assert.rejects(merger.merge('w', 'g', never), /the worker died/)
    fails = false
    await merger.merge('w', 'g', AbortSignal.abort())
    assert.equal(store.stored.size, 8)
    await merger.merge('w', 'g', never)
    assert.equal(store.stored.size, 1)
  })

  test('runs one merge at a time', async () => {
    const store = new MemoryStore()
    let running = 0
    let maxRunning = 0
    const merger = new SegmentMerger(
      store,
      {
        merge: async (_, segments) => {
          maxRunning = Math.max(maxRunning, ++running)
          await new Promise(setImmediate)
          running--
          return mergeSegments(segments, () => false)
        },
      },
      clock,
      localCluster(),
    )
    for (let batch = 0; batch < 64; batch++) store.put(`b${batch}`, [['word']])
    await Promise.all(['g', 'h', 'g', 'i'].map(generation => merger.merge('w', generation, never)))
    assert.equal(maxRunning, 1)
    assert.equal(store.batches().length, 64)
  })
})
