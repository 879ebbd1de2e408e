import type { Segment } from './segment.ts'
import type { SegmentSource } from './segment-source.ts'

/** Segments that should become one. */
export interface MergePlan {
  workspaceId: string
  generationId: string
  segmentIds: string[]
}

export interface SegmentStore extends SegmentSource {
  /** How many chunks the live batches of the generation hold. */
  liveChunks(workspaceId: string, generationId: string): Promise<number>
  /** Generations that may have more segments than they need, or many deleted chunks in them. */
  crowded(): Promise<{ workspaceId: string; generationId: string }[]>
  /** All blocks of a segment in order. */
  allBlocks(workspaceId: string, segmentId: string): Promise<Uint8Array[]>
  /** Those of the batches that can be searched. */
  liveBatches(workspaceId: string, generationId: string, batchIds: string[]): Promise<Set<string>>
  /** Puts `merged` in place of the planned ones; false when one of them is gone meanwhile. */
  replace(plan: MergePlan, merged: Segment, id: string, now: number): Promise<boolean>
}
