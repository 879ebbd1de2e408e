import type { Clock } from '../../kernel/clock.ts'
import { mintId } from '../../kernel/ids.ts'
import { isOvergrown, planMerge } from './plan-merge.ts'
import type { Segment } from './segment.ts'
import { decodeHeader } from './segment-header.ts'
import type { SegmentEntry } from './segment-source.ts'
import type { MergePlan, SegmentStore } from './segment-store.ts'

/** Does the merging itself, off the main thread. */
export interface MergeWorker {
  merge(segments: Pick<Segment, 'header' | 'blocks'>[], goneBatchIds: string[]): Promise<Segment>
}

/** Keeps the number of segments small, so that a search looks into few of them. One merge runs at a time. */
export class SegmentMerger {
  readonly #store: SegmentStore
  readonly #worker: MergeWorker
  readonly #clock: Clock
  #running: Promise<void> = Promise.resolve()
  readonly #waiting = new Set<string>()

  constructor(store: SegmentStore, worker: MergeWorker, clock: Clock) {
    this.#store = store
    this.#worker = worker
    this.#clock = clock
  }

  /** Merges what is worth it in the generation, after what was asked for before. */
  merge(workspaceId: string, generationId: string, signal: AbortSignal): Promise<void> {
    const key = `${workspaceId}/${generationId}`
    if (this.#waiting.has(key)) return this.#running
    this.#waiting.add(key)
    this.#running = this.#running
      .catch(() => {})
      .then(async () => {
        this.#waiting.delete(key)
        while (!signal.aborted) {
          const segments = await this.#store.segments(workspaceId, generationId)
          const segmentIds =
            planMerge(segments) ?? (await this.#planPurge(workspaceId, generationId, segments))
          if (!segmentIds || !(await this.#carryOut({ workspaceId, generationId, segmentIds }))) return
        }
      })
    return this.#running
  }

  async mergeCrowded(signal: AbortSignal): Promise<void> {
    for (const { workspaceId, generationId } of await this.#store.crowded())
      if (!signal.aborted) await this.merge(workspaceId, generationId, signal)
  }

  /** One segment of which a third or more is of deleted documents, where there are many of those. */
  async #planPurge(
    workspaceId: string,
    generationId: string,
    segments: SegmentEntry[],
  ): Promise<string[] | undefined> {
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
    const segments: Pick<Segment, 'header' | 'blocks'>[] = []
    const batchIds = new Set<string>()
    for (const id of plan.segmentIds) {
      const header = headers.get(id)!
      for (const range of decodeHeader(header).ranges) batchIds.add(range.batchId)
      segments.push({ header, blocks: await this.#store.allBlocks(plan.workspaceId, id) })
    }
    const live = await this.#store.liveBatches(plan.workspaceId, plan.generationId, [...batchIds])
    const merged = await this.#worker.merge(
      segments,
      [...batchIds].filter(id => !live.has(id)),
    )
    return this.#store.replace(plan, merged, mintId('seg'), this.#clock.now())
  }
}
