import type { FilterCondition, FoundChunk } from '../chunk-store.ts'
import type { SearchMode } from '../knowledge-base.ts'

export interface SearchRequest {
  query: string
  topK?: number
  mode?: SearchMode
  scoreThreshold?: number
  rerank?: boolean
  fileIds?: string[]
  conditions?: FilterCondition[]
  explain?: boolean
  /** With `explain`: every file whose absence is to be explained, those of `fileIds` included. */
  explainFileIds?: string[]
}

export interface LegScores {
  keyword?: number
  semantic?: number
  rerank?: number
}

export interface SearchItem {
  chunk: FoundChunk
  score: number
  scores: LegScores
  /** Ranges of the content that the question's words stand in. */
  highlights: [number, number][]
}

export interface Explanation {
  /** The terms that took part in the keyword leg, the rarest first. */
  terms: { term: string; chunkCount: number; weight: number }[]
  /** Where each item stood in each leg, from 1. */
  ranks: { chunkId: string; keyword: number | undefined; semantic: number | undefined }[]
  /** For each file that was asked for but did not come up: why. */
  absent: { fileId: string; reason: string }[]
}

export interface SearchResult {
  mode: SearchMode
  tookMilliseconds: number
  items: SearchItem[]
  /** What a person should know about how this was found. */
  warning: string | undefined
  explanation: Explanation | undefined
}
