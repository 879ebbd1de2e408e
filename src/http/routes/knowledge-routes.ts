import type { QuotaService } from '../../access/quota-service.ts'
import { knowledgeOperations as operations } from '../../contract/knowledge-operations.ts'
import { chunkPreview, previewedChunk } from '../../contract/knowledge-preview.ts'
import { knowledgeSchemas } from '../../contract/knowledge-records.ts'
import { searchAbsence, searchItem, searchRank, searchTerm } from '../../contract/knowledge-search.ts'
import { chunkingFields, retrievalFields } from '../../contract/knowledge-settings.ts'
import { documentView, viewPart } from '../../contract/knowledge-view.ts'
import { limits } from '../../contract/limits.ts'
import { type PageRequest, pageAnswer } from '../../contract/paging.ts'
import { checkFileName } from '../../files/file-name.ts'
import { invalidField, refuseBlank } from '../../kernel/app-error.ts'
import type { StoredChunk } from '../../knowledge/chunk-store.ts'
import type { Correction, DocumentService, NewDocuments } from '../../knowledge/document-service.ts'
import type { KnowledgeDocument } from '../../knowledge/document-store.ts'
import type { KnowledgePatch, KnowledgeService } from '../../knowledge/knowledge-service.ts'
import type { KnowledgeRecord } from '../../knowledge/knowledge-store.ts'
import { isManual, type ManualPassages } from '../../knowledge/manual-passages.ts'
import type { PreviewService } from '../../knowledge/preview-service.ts'
import type { SearchItem, SearchRequest, SearchResult } from '../../knowledge/search/search-request.ts'
import type { SearchService } from '../../knowledge/search/search-service.ts'
import type { FindUsers } from '../../workflow/used-by.ts'
import { type Call, type Route, route } from '../route.ts'
import { wireReader, wireWriter } from '../wire.ts'
import { checkedMetadata, filterConditions } from './metadata-input.ts'

type Settings = Call<typeof operations.update>['body']
type SearchBody = Call<typeof operations.search>['body']

const chunkingOf = wireReader(chunkingFields)
const retrievalOf = wireReader(retrievalFields)

function knowledgePatch(body: Settings): KnowledgePatch {
  refuseBlank(body.name)
  const { name, description, chunking, embedding, retrieval, metadata, golden_max_lost } = body
  return {
    name,
    description,
    chunking: chunking && chunkingOf(chunking),
    embedding,
    retrieval: retrieval && retrievalOf(retrieval),
    metadata: metadata && checkedMetadata(metadata),
    goldenMaxLost: golden_max_lost,
  }
}

function newDocuments(body: Call<typeof operations.add>['body']): NewDocuments {
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

function searchRequest(body: SearchBody): SearchRequest {
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

/** Limits a passage that is added by hand to less than the length of an edited chunk. */
function refuseLong(content = ''): void {
  if (content.length > limits.manualPassageLength)
    throw invalidField('/content', `must be at most ${limits.manualPassageLength} characters long`)
}

function correctionOf(body: Call<typeof operations.updateChunk>['body']): Correction {
  const { content, enabled } = body
  if (content === undefined && enabled === undefined)
    throw invalidField('/content', 'is required, unless /enabled is given')
  refuseBlank(content, '/content')
  return { content, enabled }
}

const baseFields = wireWriter(knowledgeSchemas.KnowledgeBase.properties, { knowledge_id: 'id' })

const baseOnWire = ({ counts, check, retrieval, embeddingModel, ...base }: KnowledgeRecord) =>
  baseFields({
    ...base,
    embedding: embeddingModel === null ? null : { model: embeddingModel },
    retrieval: {
      mode: retrieval.mode ?? (embeddingModel === null ? 'keyword' : 'hybrid'),
      top_k: retrieval.topK,
      score_threshold: retrieval.scoreThreshold,
      rerank: retrieval.rerank,
    },
    // While the next index waits for the decision of a user, nothing is being indexed.
    status: counts.open > 0 || (base.next && check?.status !== 'lost') ? 'indexing' : 'ready',
    documentCount: counts.documents,
    chunkCount: counts.chunks,
    failedCount: counts.failed,
    reindexing: counts.reindexing,
    goldenCheck: check && {
      ...{ run_id: check.id, reason: check.reason, status: check.status },
      ...{ lost: check.lost, total: check.total, error: check.error },
    },
  })

const documentFields = wireWriter(knowledgeSchemas.Document.properties)

const documentOnWire = ({ pagesDone = 0, pagesTotal, warnings = [], ...document }: KnowledgeDocument) =>
  documentFields({
    ...document,
    warnings: warnings.map(({ pageCount, ...warning }) => ({ ...warning, page_count: pageCount })),
    recognition: pagesTotal === undefined ? null : { pages_done: pagesDone, pages_total: pagesTotal },
  })

const skippedOnWire = (skipped: readonly { fileId: string; reason: string }[]) =>
  skipped.map(({ fileId, reason }) => ({ file_id: fileId, reason }))

const chunkFields = wireWriter(knowledgeSchemas.Chunk.properties, { chunk_id: 'id' })

const chunkOnWire = (chunk: StoredChunk) =>
  chunkFields({ ...chunk, offsets: [chunk.from, chunk.to], manual: isManual(chunk.id) })

const partOnWire = wireWriter(viewPart.properties, { chunk_id: 'id' })
const viewFields = wireWriter(documentView.properties)

function kindOfView(mimeType: string): 'pdf' | 'image' | 'text' {
  if (mimeType === 'application/pdf') return 'pdf'
  return mimeType.startsWith('image/') ? 'image' : 'text'
}

const viewOnWire = ({ document, passage, parts, ...view }: Awaited<ReturnType<DocumentService['view']>>) =>
  viewFields({
    ...view,
    ...{ fileId: document.fileId, name: document.name, mimeType: document.mimeType },
    sourceUrl: document.sourceUrl,
    kind: kindOfView(document.mimeType),
    passage: passage && {
      ...{ chunk_id: passage.id, position: passage.position },
      ...{ page: passage.page ?? null, last_page: passage.lastPage ?? null },
      ...{ offsets: [passage.from, passage.to], pages: passage.pages },
    },
    items: parts.map(part => partOnWire({ ...part, offsets: [part.from, part.to] })),
  })

const previewedFields = wireWriter(previewedChunk.properties)
const previewFields = wireWriter(chunkPreview.properties)

const previewOnWire = ({ items, ...preview }: Awaited<ReturnType<PreviewService['preview']>>) =>
  previewFields({
    ...preview,
    items: items.map(chunk => previewedFields({ ...chunk, offsets: [chunk.from, chunk.to] })),
  })

const itemFields = wireWriter(searchItem.properties, { chunk_id: 'id' })

const itemOnWire = ({ chunk, score, scores, highlights }: SearchItem) =>
  itemFields({
    ...chunk,
    offsets: [chunk.from, chunk.to],
    score,
    scores: { keyword: null, semantic: null, rerank: null, ...scores },
    highlights,
  })

const termOnWire = wireWriter(searchTerm.properties)
const rankOnWire = wireWriter(searchRank.properties)
const absenceOnWire = wireWriter(searchAbsence.properties)

const resultOnWire = ({ mode, tookMilliseconds, items, warning, explanation }: SearchResult) => ({
  mode,
  took_ms: tookMilliseconds,
  items: items.map(itemOnWire),
  ...(warning !== undefined && { warning }),
  ...(explanation && {
    explanation: {
      terms: explanation.terms.map(termOnWire),
      ranks: explanation.ranks.map(rankOnWire),
      absent: explanation.absent.map(absenceOnWire),
    },
  }),
})

interface KnowledgeParts {
  bases: KnowledgeService
  documents: DocumentService
  search: SearchService
  previews: PreviewService
  passages: ManualPassages
  quotas: Pick<QuotaService, 'within'>
  users: readonly FindUsers[]
}

function baseRoutes({ bases, search, users }: KnowledgeParts): Route[] {
  return [
    route(operations.create, async ({ workspaceId, body }) =>
      baseOnWire(await bases.create(workspaceId, { ...knowledgePatch(body), name: body.name })),
    ),

    route(operations.list, ({ workspaceId, body }) => {
      const filter = { keyword: body.keyword ?? '', ids: body.knowledge_ids }
      return pageAnswer(body, page => bases.store.list(workspaceId, filter, page), baseOnWire)
    }),

    route(operations.get, async ({ workspaceId, params }) =>
      baseOnWire(await bases.get(workspaceId, params.knowledge_id)),
    ),

    route(operations.update, async ({ workspaceId, params, body }) =>
      baseOnWire(await bases.update(workspaceId, params.knowledge_id, knowledgePatch(body))),
    ),

    route(operations.usedBy, async ({ workspaceId, params: { knowledge_id: id } }) => {
      await bases.find(workspaceId, id)
      return { items: (await Promise.all(users.map(find => find(workspaceId, id)))).flat() }
    }),

    route(operations.delete, ({ workspaceId, params }) => bases.remove(workspaceId, params.knowledge_id)),

    route(operations.search, async ({ workspaceId, params, body }) =>
      resultOnWire(await search.search(workspaceId, params.knowledge_id, searchRequest(body))),
    ),
  ]
}

function documentRoutes({ documents, previews, passages, quotas }: KnowledgeParts): Route[] {
  return [
    route(operations.add, async ({ token, workspaceId, params, body }) => {
      const add = () => documents.add(workspaceId, params.knowledge_id, newDocuments(body))
      const { added, skipped } = await quotas.within(token, ['documents', 'storageBytes'], add)
      return { items: added.map(documentOnWire), skipped: skippedOnWire(skipped) }
    }),

    route(operations.rebind, async ({ workspaceId, params, body }) => {
      const { accepted, skipped } = await documents.requeue(workspaceId, params.knowledge_id, body.file_ids)
      return { accepted, skipped: skippedOnWire(skipped) }
    }),

    route(operations.files, ({ workspaceId, params, query }) => {
      const filter = { status: query.status, keyword: query.keyword ?? '' }
      const list = (page: PageRequest) => documents.list(workspaceId, params.knowledge_id, filter, page)
      return pageAnswer(query, list, documentOnWire)
    }),

    route(operations.deleteFile, ({ workspaceId, params }) =>
      documents.remove(workspaceId, params.knowledge_id, params.file_id),
    ),

    route(operations.chunks, ({ workspaceId, params, query }) => {
      const list = (page: PageRequest) =>
        documents.listChunks(workspaceId, params.knowledge_id, params.file_id, page)
      return pageAnswer(query, list, chunkOnWire)
    }),

    route(operations.view, async ({ workspaceId, params, query }) => {
      const { chunk_id: chunkId, page, page_size: pageSize = 20 } = query
      const request = { chunkId, page, pageSize }
      return viewOnWire(await documents.view(workspaceId, params.knowledge_id, params.file_id, request))
    }),

    route(operations.preview, async ({ workspaceId, params, body }) => {
      const { file_id: fileId, chunking = {}, max_chunks: maxChunks = 20 } = body
      const request = { fileId, chunking: chunkingOf(chunking), maxChunks }
      return previewOnWire(await previews.preview(workspaceId, params.knowledge_id, request))
    }),

    route(operations.updateChunk, async ({ workspaceId, params, body }) => {
      const { knowledge_id, file_id, chunk_id } = params
      const correction = correctionOf(body)
      if (isManual(chunk_id)) {
        refuseLong(correction.content)
        return chunkOnWire(await passages.edit(workspaceId, knowledge_id, file_id, chunk_id, correction))
      }
      return chunkOnWire(
        await documents.correctChunk(workspaceId, knowledge_id, file_id, chunk_id, correction),
      )
    }),

    route(operations.createChunk, async ({ workspaceId, params, body }) => {
      refuseBlank(body.content, '/content')
      return chunkOnWire(await passages.add(workspaceId, params.knowledge_id, params.file_id, body.content))
    }),

    route(operations.deleteChunk, ({ workspaceId, params }) =>
      passages.remove(workspaceId, params.knowledge_id, params.file_id, params.chunk_id),
    ),
  ]
}

export const knowledgeRoutes = (parts: KnowledgeParts): Route[] => [
  ...baseRoutes(parts),
  ...documentRoutes(parts),
]
