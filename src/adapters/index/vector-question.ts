export interface GenerationName {
  workspaceId: string
  id: string
  dimension: number
}

export interface VectorQuestion {
  vector: Float32Array
  limit: number
  /** Undefined: everything that is alive. */
  batchIds: ReadonlySet<string> | undefined
}
