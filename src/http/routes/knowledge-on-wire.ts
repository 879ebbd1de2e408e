import type { knowledgeOperations as operations } from '../../contract/knowledge-operations.ts'
import { checkFileName } from '../../files/file-name.ts'
import { invalidField } from '../../kernel/app-error.ts'
import { isoTime } from '../../kernel/clock.ts'
import type { Correction } from '../../knowledge/chunk-service.ts'
import type { StoredChunk } from '../../knowledge/chunk-store.ts'
import type { Chunking } from '../../knowledge/chunking.ts'
import type { NewDocuments } from '../../knowledge/document-service.ts'
import type { Skipped } from '../../knowledge/document-store.ts'
import type { KnowledgeDocument, Retrieval } from '../../knowledge/knowledge-base.ts'
import type { KnowledgePatch } from '../../knowledge/knowledge-service.ts'
import type { KnowledgeRecord } from '../../knowledge/knowledge-store.ts'
import type { SearchItem, SearchRequest, SearchResult } from '../../knowledge/search/search-request.ts'
import type { Call } from '../route.ts'
import { checkedMetadata, filterConditions } from './metadata-input.ts'

type Settings = Call<typeof operations.update>['body']
type SearchBody = Call<typeof operations.search>['body']

/** Only the fields that were sent: an omitted one must not replace a stored value. */
const present = <Values extends object>(values: Values): Partial<Values> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<Values>

function refuseBlank(text: string | undefined, pointer: string): void {
  if (text?.trim() === '') throw invalidField(pointer, 'must not be only white space')
}

// Field by field, so that unknown fields are never stored.
const chunkingOf = (sent: NonNullable<Settings['chunking']>): Partial<Chunking> => {
  const { strategy, size, overlap, separators } = sent
  return present({ strategy, size, overlap, separators })
}

const retrievalOf = (sent: NonNullable<Settings['retrieval']>): Partial<Retrieval> => {
  const { mode, top_k, score_threshold, rerank } = sent
  return present({ mode, topK: top_k, scoreThreshold: score_threshold, rerank })
}

export function knowledgePatch(body: Settings): KnowledgePatch {
  refuseBlank(body.name, '/name')
  return present({
    name: body.name,
    description: body.description,
    chunking: body.chunking && chunkingOf(body.chunking),
    embedding: body.embedding && present({ model: body.embedding.model }),
    retrieval: body.retrieval && retrievalOf(body.retrieval),
    metadata: body.metadata && checkedMetadata(body.metadata),
  })
}

export function newDocuments(body: Call<typeof operations.add>['body']): NewDocuments {
  const { file_ids: fileIds = [], texts = [] } = body
  if (fileIds.length === 0 && texts.length === 0)
    throw invalidField('/file_ids', 'is required, unless /texts is given; name at least one document')
  for (const [at, { name }] of texts.entries()) checkFileName(name, `/texts/${at}/name`)
  return {
    fileIds,
    texts: texts.map(({ name, content }) => ({ name, content })),
    ...(body.chunking && { chunking: chunkingOf(body.chunking) }),
    ...(body.metadata && { metadata: checkedMetadata(body.metadata) }),
  }
}

export function searchRequest(body: SearchBody): SearchRequest {
  refuseBlank(body.query, '/query')
  const { file_ids: fileIds, explain = false } = body
  const explained = typeof explain === 'object' ? [explain.file_id] : []
  return {
    query: body.query,
    ...retrievalOf(body),
    ...(fileIds && { fileIds }),
    ...(body.filter && { conditions: filterConditions(body.filter) }),
    ...(explain && { explain: true, explainFileIds: [...new Set([...explained, ...(fileIds ?? [])])] }),
  }
}

export function correctionOf(body: Call<typeof operations.updateChunk>['body']): Correction {
  const { content, enabled } = body
  if (content === undefined && enabled === undefined)
    throw invalidField('/content', 'is required, unless /enabled is given')
  refuseBlank(content, '/content')
  return present({ content, enabled })
}

export function baseOnWire({ counts, retrieval, embeddingModel, ...base }: KnowledgeRecord) {
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

export const documentOnWire = (document: KnowledgeDocument) => ({
  file_id: document.fileId,
  name: document.name,
  mime_type: document.mimeType,
  size: document.size,
  status: document.status,
  progress: document.progress,
  chunk_count: document.chunkCount,
  attempts: document.attempts,
  error: document.error ?? null,
  metadata: document.metadata,
  created_at: isoTime(document.createdAt),
  updated_at: isoTime(document.updatedAt),
  indexed_at: document.indexedAt === undefined ? null : isoTime(document.indexedAt),
})

export const skippedOnWire = (skipped: Skipped[]) =>
  skipped.map(({ fileId, reason }) => ({ file_id: fileId, reason }))

const placeOnWire = ({ position, heading, page, sheet, from, to }: StoredChunk) => ({
  position,
  heading,
  page: page ?? null,
  sheet: sheet ?? null,
  offsets: [from, to],
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
  scores: { keyword: null, semantic: null, rerank: null, ...scores },
  ...placeOnWire(chunk),
  highlights,
  metadata: chunk.metadata,
})

export const resultOnWire = ({ mode, tookMilliseconds, items, warning, explanation }: SearchResult) => ({
  mode,
  took_ms: tookMilliseconds,
  items: items.map(itemOnWire),
  ...(warning !== undefined && { warning }),
  ...(explanation && {
    explanation: {
      terms: explanation.terms.map(({ term, chunkCount, weight }) => ({
        term,
        chunk_count: chunkCount,
        weight,
      })),
      ranks: explanation.ranks.map(({ chunkId, keyword = null, semantic = null }) => ({
        chunk_id: chunkId,
        keyword,
        semantic,
      })),
      absent: explanation.absent.map(({ fileId, reason }) => ({ file_id: fileId, reason })),
    },
  }),
})
