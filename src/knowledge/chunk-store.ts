import type { Page, PageRequest } from '../contract/paging.ts'
import type { Segment } from './index/segment.ts'
import type { Chunk } from './ingest/chunking/chunk.ts'
import type { KnowledgeBase, Metadata } from './knowledge-base.ts'
import type { ChunkFilter } from './metadata-filter.ts'

export interface StoredChunk extends Chunk {
  id: string
  enabled: boolean
  /** Somebody corrected it by hand. */
  edited: boolean
}

export interface ChunkAddress {
  batchId: string
  position: number
}

export interface FoundChunk extends StoredChunk, ChunkAddress {
  fileId: string
  fileName: string
  metadata: Metadata
}

/** A chunk as somebody mended it, with all that is derived from its text. */
export interface ChunkCorrection {
  /** The batch of its own that it goes into. */
  batchId: string
  content: string
  tokens: number
  enabled: boolean
  segment: Segment
  vector: Float32Array | undefined
  now: number
}

export interface ChunkStore {
  list(
    workspaceId: string,
    base: KnowledgeBase,
    fileId: string,
    page: PageRequest,
  ): Promise<Page<StoredChunk>>
  find(
    workspaceId: string,
    base: KnowledgeBase,
    fileId: string,
    chunkId: string,
  ): Promise<FoundChunk | undefined>
  /** Those that may be shown: of live batches, and enabled. In any order. */
  fetch(workspaceId: string, generationId: string, addresses: ChunkAddress[]): Promise<FoundChunk[]>
  setEnabled(workspaceId: string, chunk: FoundChunk, enabled: boolean, now: number): Promise<boolean>
  /**
   * Puts the corrected chunk into a batch of its own, which takes the old one's place. False when it was changed or
   * removed meanwhile.
   */
  correct(
    workspaceId: string,
    base: KnowledgeBase,
    chunk: FoundChunk,
    correction: ChunkCorrection,
  ): Promise<boolean>
  /** The live batches that a filter leaves. */
  batchesOf(workspaceId: string, base: KnowledgeBase, filter: ChunkFilter): Promise<Set<string>>
  /** The same, or undefined when it leaves more than `most`: there may be very many. */
  fewBatchesOf(
    workspaceId: string,
    base: KnowledgeBase,
    filter: ChunkFilter,
    most: number,
  ): Promise<Set<string> | undefined>
}
