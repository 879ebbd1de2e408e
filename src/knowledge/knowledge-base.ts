import type { Chunking } from './chunking.ts'

export type SearchMode = 'hybrid' | 'keyword' | 'semantic'

/** How a base is searched where a question does not say otherwise. */
export interface Retrieval {
  /** Undefined: hybrid where there is an embedding model, else keyword. */
  mode?: SearchMode
  topK: number
  scoreThreshold: number
  rerank: boolean
}

export const defaultRetrieval: Retrieval = { topK: 5, scoreThreshold: 0, rerank: false }

/** Text that describes a document or a base, by key. */
export type Metadata = Record<string, MetadataValue | MetadataValue[]>
export type MetadataValue = string | number | boolean

export interface KnowledgeSettings {
  name: string
  description: string
  chunking: Chunking
  /** Null: found by keywords only. */
  embeddingModel: string | null
  retrieval: Retrieval
  metadata: Metadata
}

/**
 * A generation is one whole index of a base, built with one way of cutting and one embedding model. A change of
 * either builds the next one beside the live one, which is searched until the next one is whole.
 */
export interface Generation {
  id: string
  chunking: Chunking
  embeddingModel: string | null
  /** Of its vectors; known since the first of them. */
  dimension: number | null
  /** Moves whenever what can be found in it changes. */
  revision: number
}

/** How far the next generation is. */
export interface Reindexing {
  total: number
  done: number
  failed: number
}

export interface KnowledgeBase extends KnowledgeSettings {
  id: string
  generation: Generation
  next: Generation | undefined
  createdAt: number
  updatedAt: number
}

export interface KnowledgeCounts {
  documents: number
  chunks: number
  failed: number
  /** Documents that are waiting or being read. */
  open: number
  reindexing: Reindexing | undefined
}
