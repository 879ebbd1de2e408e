import type { Cluster } from '../../cluster/cluster.ts'
import type { Clock } from '../../kernel/clock.ts'
import { mintId } from '../../kernel/ids.ts'
import { decodeHeader, type Segment } from './segment.ts'
import type { MergePlan, SegmentEntry, SegmentStorage } from './segment-store.ts'

export type CountedSegment = Pick<SegmentEntry, 'id' | 'chunkCount'>

/** Number of segments of similar size that are merged into one. */
const fanIn = 8
/** Fewer segments are merged only if more would be too large, because rewriting chunks must reduce their number enough. */
const minFanIn = 3
/** Chunks of the largest segment: a merge must not take long or much memory. */
const maxChunks = 65_536

const tierOf = (chunkCount: number): number => Math.floor(Math.log(Math.max(1, chunkCount)) / Math.log(fanIn))

/** The longest prefix of the list that fits into one segment. */
function fitting(segments: CountedSegment[]): CountedSegment[] {
  let total = 0
  const end = segments.findIndex(segment => {
    total += segment.chunkCount
    return total > maxChunks
  })
  return end === -1 ? segments : segments.slice(0, end)
}

/**
 * Chooses segments of one size class when it has eight, so that a chunk is rewritten only a few times, however many
 * follow.
 */
export function planMerge(segments: CountedSegment[]): string[] | undefined {
  const sorted = segments.toSorted((left, right) => left.chunkCount - right.chunkCount)
  for (const tier of Map.groupBy(sorted, segment => tierOf(segment.chunkCount)).values()) {
    const group = tier.length >= fanIn ? fitting(tier) : []
    if (group.length >= minFanIn) return group.map(segment => segment.id)
  }
  return undefined
}

/** Whether a large part of the segments belongs to deleted documents. */
export const isOvergrown = (segments: CountedSegment[], liveChunks: number): boolean =>
  segments.reduce((sum, segment) => sum + segment.chunkCount, 0) > liveChunks * 1.5 + 1000

export type StoredSegment = Pick<Segment, 'header' | 'blocks'>

/** Merges off the main thread. */
export interface MergeWorker {
  merge(workspaceId: string, segments: StoredSegment[], deletedBatchIds: string[]): Promise<Segment>
}

/**
 * Keeps the number of segments small, so that a search reads few. One merge runs at a time, and each generation is merged
 * by one process at a time.
 */
export class SegmentMerger {
  readonly #store: SegmentStorage
  readonly #worker: MergeWorker
  readonly #clock: Clock
  readonly #cluster: Pick<Cluster, 'exclusively'>
  #running: Promise<void> = Promise.resolve()
  readonly #waiting = new Set<string>()

  constructor(
    store: SegmentStorage,
    worker: MergeWorker,
    clock: Clock,
    cluster: Pick<Cluster, 'exclusively'>,
  ) {
    this.#store = store
    this.#worker = worker
    this.#clock = clock
    this.#cluster = cluster
  }

  /** Merges the segments of a generation where that pays off, after earlier requests. */
  merge(workspaceId: string, generationId: string, signal: AbortSignal): Promise<void> {
    const key = `${workspaceId}/${generationId}`
    if (this.#waiting.has(key)) return this.#running
    this.#waiting.add(key)
    this.#running = this.#running
      .catch(() => {})
      .then(async () => {
        this.#waiting.delete(key)
        // Most requests find nothing to merge, and need no lease.
        if (!(await this.#plan(workspaceId, generationId))) return
        await this.#cluster.exclusively(`merge/${key}`, async lost => {
          while (!signal.aborted && !lost.aborted) {
            const plan = await this.#plan(workspaceId, generationId)
            if (!plan || !(await this.#carryOut(plan))) return
          }
        })
      })
    return this.#running
  }

  async #plan(workspaceId: string, generationId: string): Promise<MergePlan | undefined> {
    const segments = await this.#store.segments(workspaceId, generationId)
    const segmentIds = planMerge(segments) ?? (await this.#planPurge(workspaceId, generationId, segments))
    return segmentIds && { workspaceId, generationId, segmentIds }
  }

  async mergeCrowded(signal: AbortSignal): Promise<void> {
    for (const { workspaceId, generationId } of await this.#store.crowded())
      if (!signal.aborted) await this.merge(workspaceId, generationId, signal)
  }

  /** A segment of which at least a third belongs to deleted documents, if the generation has many such chunks. */
  async #planPurge(workspaceId: string, generationId: string, segments: SegmentEntry[]) {
    if (!isOvergrown(segments, await this.#store.liveChunks(workspaceId, generationId))) return undefined
    for (const { id, chunkCount } of segments) {
      const header = (await this.#store.headers(workspaceId, [id])).get(id)
      if (!header) continue
      const { ranges } = decodeHeader(header)
      const live = await this.#store.liveBatches(
        workspaceId,
        generationId,
        ranges.map(range => range.batchId),
      )
      const alive = ranges.reduce((sum, range) => sum + (live.has(range.batchId) ? range.count : 0), 0)
      if (alive * 3 <= chunkCount * 2) return [id]
    }
    return undefined
  }

  async #carryOut(plan: MergePlan): Promise<boolean> {
    const headers = await this.#store.headers(plan.workspaceId, plan.segmentIds)
    if (headers.size < plan.segmentIds.length) return false
    const segments: StoredSegment[] = []
    const batchIds = new Set<string>()
    for (const id of plan.segmentIds) {
      const header = headers.get(id)!
      for (const range of decodeHeader(header).ranges) batchIds.add(range.batchId)
      segments.push({ header, blocks: await this.#store.allBlocks(plan.workspaceId, id) })
    }
    const live = await this.#store.liveBatches(plan.workspaceId, plan.generationId, [...batchIds])
    const merged = await this.#worker.merge(
      plan.workspaceId,
      segments,
      [...batchIds].filter(id => !live.has(id)),
    )
    return this.#store.replace(plan, merged, mintId('seg'), this.#clock.now())
  }
}
