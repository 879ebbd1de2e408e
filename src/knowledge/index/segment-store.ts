import type { Segment } from './segment.ts'

export interface SegmentEntry {
  id: string
  chunkCount: number
  termTotal: number
}

export interface BlockAddress {
  segmentId: string
  ordinal: number
}

/** The reads of the keyword index. */
export interface SegmentSource {
  /** The segments that together cover every searchable chunk of the generation. */
  segments(workspaceId: string, generationId: string): Promise<SegmentEntry[]>
  /** Headers by segment id. A segment that was merged meanwhile is missing. */
  headers(workspaceId: string, segmentIds: string[]): Promise<Map<string, Uint8Array>>
  /** In the order of the addresses; undefined for a segment that was merged meanwhile. */
  blocks(workspaceId: string, addresses: BlockAddress[]): Promise<(Uint8Array | undefined)[]>
}

/** Segments to be merged into one. */
export interface MergePlan {
  workspaceId: string
  generationId: string
  segmentIds: string[]
}

export interface SegmentStore extends SegmentSource {
  /** Chunks of the live batches of the generation. */
  liveChunks(workspaceId: string, generationId: string): Promise<number>
  /** Generations that may have too many segments, or many deleted chunks. */
  crowded(): Promise<{ workspaceId: string; generationId: string }[]>
  /** All blocks of a segment in order. */
  allBlocks(workspaceId: string, segmentId: string): Promise<Uint8Array[]>
  /** The live ones of these batches. */
  liveBatches(workspaceId: string, generationId: string, batchIds: string[]): Promise<Set<string>>
  /** Replaces the planned segments by `merged`; false when one of them was replaced meanwhile. */
  replace(plan: MergePlan, merged: Segment, id: string, now: number): Promise<boolean>
}
