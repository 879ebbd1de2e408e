import type { Chunking } from './chunking.ts'
import type { DocumentFailureCode } from './ingest/document-failure.ts'

export type SearchMode = 'hybrid' | 'keyword' | 'semantic'

export interface Retrieval {
  /** Undefined means hybrid search with an embedding model, and keyword search without. */
  mode?: SearchMode
  topK: number
  scoreThreshold: number
  rerank: boolean
}

export const defaultRetrieval: Retrieval = { topK: 5, scoreThreshold: 0, rerank: false }

/** The user's metadata of a document or a base, by key. */
export type Metadata = Record<string, MetadataValue | MetadataValue[]>
export type MetadataValue = string | number | boolean

export interface KnowledgeSettings {
  name: string
  description: string
  chunking: Chunking
  /** Null for keyword search only. */
  embeddingModel: string | null
  retrieval: Retrieval
  metadata: Metadata
  /** How many golden questions a change may lose; null: any number. */
  goldenMaxLost: number | null
}

/** A complete index. A change of chunking or model builds the next one beside the live one, which is searched meanwhile. */
export interface Generation {
  id: string
  chunking: Chunking
  embeddingModel: string | null
  /** Dimension of the vectors; known after the first one. */
  dimension: number | null
  /** Increases whenever the searchable content changes. */
  revision: number
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
  /** Documents that are queued or in progress. */
  open: number
  /** Progress of the next generation, in documents. */
  reindexing: { total: number; done: number; failed: number } | undefined
}

export type DocumentStatus = 'queued' | 'parsing' | 'chunking' | 'embedding' | 'ready' | 'failed' | 'disabled'

export interface DocumentError {
  code: DocumentFailureCode
  message: string
  retryable: boolean
}
