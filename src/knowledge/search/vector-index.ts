import type { ChunkAddress } from '../chunk-store.ts'
import type { Generation } from '../knowledge-base.ts'

export interface VectorHit extends ChunkAddress {
  /** Cosine of the angle, -1 to 1. */
  similarity: number
}

/** Finds the nearest vectors of a generation. The rows are the truth; whatever speeds it up is derived from them. */
export interface VectorIndex {
  search(
    workspaceId: string,
    generation: Generation,
    vector: Float32Array,
    limit: number,
    batchIds: Set<string> | undefined,
  ): Promise<VectorHit[]>
  /** New vectors were made visible: a good moment to take them in. */
  refresh(workspaceId: string, generationId: string): void
  /** Builds and removes what is derived. */
  tidy(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}
