import type { ChunkAddress } from '../chunk-store.ts'
import type { Generation } from '../knowledge-base.ts'

export interface VectorHit extends ChunkAddress {
  /** Cosine of the angle, -1 to 1. */
  similarity: number
}

/** Finds the nearest vectors of a generation. The database rows are the source of truth; an index is derived. */
export interface VectorIndex {
  search(
    workspaceId: string,
    generation: Generation,
    vector: Float32Array,
    limit: number,
    batchIds: Set<string> | undefined,
  ): Promise<VectorHit[]>
  /** New vectors became visible and can be indexed. */
  refresh(workspaceId: string, generationId: string): void
  /** Builds and removes derived indexes. */
  tidy(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}
