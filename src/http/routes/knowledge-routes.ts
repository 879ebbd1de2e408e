import { knowledgeOperations as operations } from '../../contract/knowledge-operations.ts'
import { type PageRequest, pageAnswer } from '../../contract/paging.ts'
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

    route(operations.list, ({ token, body }) => {
      const filter = { keyword: body.keyword ?? '', ids: body.knowledge_ids }
      return pageAnswer(body, page => bases.list(token.workspaceId, filter, page), baseOnWire)
    }),

    route(operations.get, async ({ token, params }) =>
      baseOnWire(await bases.get(token.workspaceId, params.knowledge_id)),
    ),

    route(operations.update, async ({ token, params, body }) =>
      baseOnWire(await bases.update(token.workspaceId, params.knowledge_id, knowledgePatch(body))),
    ),

    route(operations.delete, ({ token, params }) => bases.remove(token.workspaceId, params.knowledge_id)),

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

    route(operations.files, ({ token, params, query }) => {
      const filter = { status: query.status, keyword: query.keyword ?? '' }
      const list = (page: PageRequest) => documents.list(token.workspaceId, params.knowledge_id, filter, page)
      return pageAnswer(query, list, documentOnWire)
    }),

    route(operations.deleteFile, ({ token, params }) =>
      documents.remove(token.workspaceId, params.knowledge_id, params.file_id),
    ),
  ]
}

function chunkRoutes({ chunks }: KnowledgeParts): Route[] {
  return [
    route(operations.chunks, ({ token, params, query }) => {
      const list = (page: PageRequest) =>
        chunks.list(token.workspaceId, params.knowledge_id, params.file_id, page)
      return pageAnswer(query, list, chunkOnWire)
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
