import type { Reranker } from '../../models/reranker.ts'
import type { ChunkFilter, ChunkStore } from '../chunk-store.ts'
import type { DocumentStore } from '../document-store.ts'
import type { Embedder } from '../embedder.ts'
import type { KeywordIndex, WeighedTerm } from '../index/keyword-index.ts'
import type { KnowledgeBase, SearchMode } from '../knowledge-base.ts'
import type { KnowledgeService } from '../knowledge-service.ts'
import type { Candidate } from './fuse-ranks.ts'
import type { SearchItem } from './search-request.ts'
import type { VectorIndex } from './vector-index.ts'

export interface SearchParts {
  bases: KnowledgeService
  documents: DocumentStore
  chunks: ChunkStore
  keywords: KeywordIndex
  vectors: VectorIndex
  embedder: Embedder
  reranker: Reranker | undefined
}

/** What a question is looked up with. */
export interface Question {
  workspaceId: string
  base: KnowledgeBase
  mode: SearchMode
  text: string
  terms: string[]
  vector: Float32Array | undefined
  filter: ChunkFilter | undefined
  /** The batches that the filter leaves, where they are few enough to list. */
  allowed: Set<string> | undefined
}

export interface FoundItem extends SearchItem {
  candidate: Candidate
}

export interface Recalled {
  found: FoundItem[]
  terms: WeighedTerm[]
}
