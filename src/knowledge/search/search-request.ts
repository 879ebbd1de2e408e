import type { AbsenceCode } from '../../contract/knowledge-search.ts'
import type { WorkspaceModels } from '../../models/workspace-models.ts'
import type { ChunkStore, FoundChunk } from '../chunk-store.ts'
import type { DocumentStore } from '../document-store.ts'
import type { Embedder } from '../embedder.ts'
import type { KeywordSearch } from '../index/keyword-index.ts'
import type { WeighedTerm } from '../index/weigh-terms.ts'
import type { KnowledgeBase, Retrieval, SearchMode } from '../knowledge-base.ts'
import type { KnowledgeService } from '../knowledge-service.ts'
import type { ChunkFilter, FilterCondition } from '../metadata-filter.ts'
import type { QueryTerms } from '../text/query-terms.ts'
import type { ChunkReader } from './chunk-reader.ts'
import type { Candidate } from './fuse-scores.ts'
import type { VectorIndex } from './vector-index.ts'

/** For omitted options, the settings of the base apply. */
export interface SearchRequest extends Partial<Retrieval> {
  query: string
  fileIds?: string[]
  conditions?: FilterCondition[]
  explain?: boolean
  /** With `explain`: the files whose absence is explained, including those of `fileIds`. */
  explainFileIds?: string[]
}

export interface SearchItem {
  chunk: FoundChunk
  score: number
  scores: { keyword?: number; semantic?: number; rerank?: number }
  highlights: [number, number][]
}

export interface Absence {
  fileId: string
  code: AbsenceCode
  reason: string
}

interface Explanation {
  /** The terms of the keyword search, rarest first. */
  terms: WeighedTerm[]
  /** The rank of each item in the keyword and the semantic search, from 1. */
  ranks: { chunkId: string; keyword: number | undefined; semantic: number | undefined }[]
  absent: Absence[]
}

export interface SearchResult {
  mode: SearchMode
  tookMilliseconds: number
  items: SearchItem[]
  /** Why the search was not done as requested. */
  warning: string | undefined
  explanation: Explanation | undefined
}

export interface SearchParts {
  bases: KnowledgeService
  documents: DocumentStore
  chunks: ChunkStore
  keywords: KeywordSearch
  vectors: VectorIndex
  embedder: Embedder
  models: Pick<WorkspaceModels, 'reranker'>
}

/** A request, prepared for the keyword and the vector index. */
export interface Query {
  workspaceId: string
  base: KnowledgeBase
  mode: SearchMode
  text: string
  terms: QueryTerms
  vector: Float32Array | undefined
  filter: ChunkFilter | undefined
  /** The batches that match the filter, if they are few enough to list. */
  allowed: Set<string> | undefined
  reader: ChunkReader
}

export interface FoundItem extends SearchItem {
  candidate: Candidate
  /** 1 for the first copy of a better candidate, 2 for the second; 0 for an original. */
  copy: number
}
