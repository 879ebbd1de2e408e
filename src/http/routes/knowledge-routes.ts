import type { QuotaService } from '../../access/quota-service.ts'
import { knowledgeOperations as operations } from '../../contract/knowledge-operations.ts'
import { type PageRequest, pageAnswer } from '../../contract/paging.ts'
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
  search: SearchService
  quotas: Pick<QuotaService, 'within'>
}

function baseRoutes({ bases, search }: KnowledgeParts): Route[] {
  return [
    route(operations.create, async ({ workspaceId, body }) =>
      baseOnWire(await bases.create(workspaceId, { ...knowledgePatch(body), name: body.name })),
    ),

    route(operations.list, ({ workspaceId, body }) => {
      const filter = { keyword: body.keyword ?? '', ids: body.knowledge_ids }
      return pageAnswer(body, page => bases.list(workspaceId, filter, page), baseOnWire)
    }),

    route(operations.get, async ({ workspaceId, params }) =>
      baseOnWire(await bases.get(workspaceId, params.knowledge_id)),
    ),

    route(operations.update, async ({ workspaceId, params, body }) =>
      baseOnWire(await bases.update(workspaceId, params.knowledge_id, knowledgePatch(body))),
    ),

    route(operations.delete, ({ workspaceId, params }) => bases.remove(workspaceId, params.knowledge_id)),

    route(operations.search, async ({ workspaceId, params, body }) =>
      resultOnWire(await search.search(workspaceId, params.knowledge_id, searchRequest(body))),
    ),
  ]
}

function documentRoutes({ documents, quotas }: KnowledgeParts): Route[] {
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

    route(operations.updateChunk, async ({ workspaceId, params, body }) => {
      const { knowledge_id, file_id, chunk_id } = params
      const correction = correctionOf(body)
      return chunkOnWire(
        await documents.correctChunk(workspaceId, knowledge_id, file_id, chunk_id, correction),
      )
    }),
  ]
}

export const knowledgeRoutes = (parts: KnowledgeParts): Route[] => [
  ...baseRoutes(parts),
  ...documentRoutes(parts),
]
