import type { ModelCaller } from './model-caller.ts'

export interface RankedDocument {
  /** Index in the list of documents that was given. */
  index: number
  /** From 0 to 1. */
  score: number
}

/** Scores how well documents match a query. */
export interface Reranker {
  /** Every document with its score, the best first. Fails with a `ModelFailure`. */
  rerank(query: string, documents: string[], caller: ModelCaller): Promise<RankedDocument[]>
}
