import { knowledgeOperations as operations } from '../../contract/knowledge-operations.ts'
import { pageAnswer, pageRequest } from '../../contract/paging.ts'
import type { ChunkService } from '../../knowledge/chunk-service.ts'
import type { DocumentService } from '../../knowledge/document-service.ts'
import type { KnowledgeService } from '../../knowledge/knowledge-service.ts'
import type { SearchService } from '../../knowledge/search/search-service.ts'
import { type Route, route } from '../route.ts'
import {
  baseOnWire,
  chunkOnWire,
  correctionOf,
  documentOnWire,
  knowledgePatch,
  newDocuments,
  resultOnWire,
  searchRequest,
  skippedOnWire,
} from './knowledge-on-wire.ts'

export interface KnowledgeParts {
  bases: KnowledgeService
  documents: DocumentService
  chunks: ChunkService
  search: SearchService
}

function baseRoutes({ bases, search }: KnowledgeParts): Route[] {
  return [
    route(operations.create, async ({ token, body }) =>
      baseOnWire(await bases.create(token.workspaceId, { ...knowledgePatch(body), name: body.name })),
    ),

    route(operations.list, async ({ token, body }) => {
      const request = pageRequest(body)
      const filter = { keyword: body.keyword ?? '', ids: body.knowledge_ids }
      const page = await bases.list(token.workspaceId, filter, request)
      return pageAnswer(request, { total: page.total, items: page.items.map(baseOnWire) })
    }),

    route(operations.get, async ({ token, params }) =>
      baseOnWire(await bases.get(token.workspaceId, params.knowledge_id)),
    ),

    route(operations.update, async ({ token, params, body }) =>
      baseOnWire(await bases.update(token.workspaceId, params.knowledge_id, knowledgePatch(body))),
    ),

    route(operations.delete, async ({ token, params }) => {
      await bases.remove(token.workspaceId, params.knowledge_id)
      return {}
    }),

    route(operations.search, async ({ token, params, body }) =>
      resultOnWire(await search.search(token.workspaceId, params.knowledge_id, searchRequest(body))),
    ),
  ]
}

function documentRoutes({ documents }: KnowledgeParts): Route[] {
  return [
    route(operations.add, async ({ token, params, body }) => {
      const { added, skipped } = await documents.add(
        token.workspaceId,
        params.knowledge_id,
        newDocuments(body),
      )
      return { items: added.map(documentOnWire), skipped: skippedOnWire(skipped) }
    }),

    route(operations.rebind, async ({ token, params, body }) => {
      const { accepted, skipped } = await documents.requeue(
        token.workspaceId,
        params.knowledge_id,
        body.file_ids,
      )
      return { accepted, skipped: skippedOnWire(skipped) }
    }),

    route(operations.files, async ({ token, params, query }) => {
      const request = pageRequest(query)
      const filter = { status: query.status, keyword: query.keyword ?? '' }
      const page = await documents.list(token.workspaceId, params.knowledge_id, filter, request)
      return pageAnswer(request, { total: page.total, items: page.items.map(documentOnWire) })
    }),

    route(operations.deleteFile, async ({ token, params }) => {
      await documents.remove(token.workspaceId, params.knowledge_id, params.file_id)
      return {}
    }),
  ]
}

function chunkRoutes({ chunks }: KnowledgeParts): Route[] {
  return [
    route(operations.chunks, async ({ token, params, query }) => {
      const request = pageRequest(query)
      const page = await chunks.list(token.workspaceId, params.knowledge_id, params.file_id, request)
      return pageAnswer(request, { total: page.total, items: page.items.map(chunkOnWire) })
    }),

    route(operations.updateChunk, async ({ token, params, body }) => {
      const { knowledge_id, file_id, chunk_id } = params
      const correction = correctionOf(body)
      return chunkOnWire(await chunks.correct(token.workspaceId, knowledge_id, file_id, chunk_id, correction))
    }),
  ]
}

export const knowledgeRoutes = (parts: KnowledgeParts): Route[] => [
  ...baseRoutes(parts),
  ...documentRoutes(parts),
  ...chunkRoutes(parts),
]
