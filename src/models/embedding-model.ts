/** Turns texts into vectors of length 1, so that their dot product is their similarity. */
export interface EmbeddingModel {
  /**
   * One vector per text, in the order of the texts, all of one dimension. Fails with a `ModelFailure`. What is learned
   * about the limits of the provider applies to the workspace.
   */
  embed(model: string, texts: string[], signal?: AbortSignal, workspaceId?: string): Promise<Float32Array[]>
}
