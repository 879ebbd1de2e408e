import { isoTime } from '../../kernel/clock.ts'
import type { FoundChunk, StoredChunk } from '../../knowledge/chunk-store.ts'
import type { Skipped } from '../../knowledge/document-store.ts'
import type { DocumentError, KnowledgeDocument } from '../../knowledge/knowledge-base.ts'
import type { KnowledgeRecord } from '../../knowledge/knowledge-store.ts'
import type { Explanation, SearchItem, SearchResult } from '../../knowledge/search/search-request.ts'

export function baseOnWire(base: KnowledgeRecord) {
  const { counts, retrieval, embeddingModel } = base
  const { strategy, size, overlap, separators } = base.chunking
  return {
    knowledge_id: base.id,
    name: base.name,
    description: base.description,
    chunking: { strategy, size, overlap, ...(separators && { separators }) },
    embedding: embeddingModel === null ? null : { model: embeddingModel },
    retrieval: {
      mode: retrieval.mode ?? (embeddingModel === null ? 'keyword' : 'hybrid'),
      top_k: retrieval.topK,
      score_threshold: retrieval.scoreThreshold,
      rerank: retrieval.rerank,
    },
    metadata: base.metadata,
    status: counts.open > 0 || base.next ? 'indexing' : 'ready',
    document_count: counts.documents,
    chunk_count: counts.chunks,
    failed_count: counts.failed,
    reindexing: counts.reindexing ?? null,
    created_at: isoTime(base.createdAt),
    updated_at: isoTime(base.updatedAt),
  }
}

const errorOnWire = ({ code, message, retryable }: DocumentError) => ({ code, message, retryable })

export const documentOnWire = (document: KnowledgeDocument) => ({
  file_id: document.fileId,
  name: document.name,
  mime_type: document.mimeType,
  size: document.size,
  status: document.status,
  progress: document.progress,
  chunk_count: document.chunkCount,
  attempts: document.attempts,
  error: document.error ? errorOnWire(document.error) : null,
  metadata: document.metadata,
  created_at: isoTime(document.createdAt),
  updated_at: isoTime(document.updatedAt),
  indexed_at: document.indexedAt === undefined ? null : isoTime(document.indexedAt),
})

export const skippedOnWire = (skipped: Skipped[]) =>
  skipped.map(({ fileId, reason }) => ({ file_id: fileId, reason }))

const placeOnWire = (chunk: StoredChunk | FoundChunk) => ({
  position: chunk.position,
  heading: chunk.heading,
  page: chunk.page ?? null,
  sheet: chunk.sheet ?? null,
  offsets: [chunk.from, chunk.to],
})

export const chunkOnWire = (chunk: StoredChunk) => ({
  chunk_id: chunk.id,
  content: chunk.content,
  ...placeOnWire(chunk),
  tokens: chunk.tokens,
  enabled: chunk.enabled,
  edited: chunk.edited,
})

const itemOnWire = ({ chunk, score, scores, highlights }: SearchItem) => ({
  chunk_id: chunk.id,
  file_id: chunk.fileId,
  file_name: chunk.fileName,
  content: chunk.content,
  score,
  scores: {
    keyword: scores.keyword ?? null,
    semantic: scores.semantic ?? null,
    rerank: scores.rerank ?? null,
  },
  ...placeOnWire(chunk),
  highlights,
  metadata: chunk.metadata,
})

const explanationOnWire = ({ terms, ranks, absent }: Explanation) => ({
  terms: terms.map(({ term, chunkCount, weight }) => ({ term, chunk_count: chunkCount, weight })),
  ranks: ranks.map(({ chunkId, keyword, semantic }) => ({
    chunk_id: chunkId,
    keyword: keyword ?? null,
    semantic: semantic ?? null,
  })),
  absent: absent.map(({ fileId, reason }) => ({ file_id: fileId, reason })),
})

export const resultOnWire = ({ mode, tookMilliseconds, items, warning, explanation }: SearchResult) => ({
  mode,
  took_ms: tookMilliseconds,
  items: items.map(itemOnWire),
  ...(warning !== undefined && { warning }),
  ...(explanation && { explanation: explanationOnWire(explanation) }),
})
