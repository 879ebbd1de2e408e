import type { ModelCaller } from './model-caller.ts'

/** Turns texts into vectors of length 1, so that their dot product is their similarity. */
export interface EmbeddingModel {
  /** One vector per text, in the order of the texts, all of one dimension. Fails with a `ModelFailure`. */
  embed(model: string, texts: string[], caller: ModelCaller): Promise<Float32Array[]>
}
