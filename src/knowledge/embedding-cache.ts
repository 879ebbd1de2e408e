/** Vectors by the hash of their text, so that reading a text again does not pay again. */
export interface EmbeddingCache {
  find(workspaceId: string, model: string, hashes: string[], now: number): Promise<Map<string, Float32Array>>
  keep(workspaceId: string, model: string, vectors: Map<string, Float32Array>, now: number): Promise<void>
  /** Drops what was not used for long; true when there may be more. */
  forget(usedBefore: number): Promise<boolean>
}
