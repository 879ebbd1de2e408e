import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { call } from '../../api/call.ts'
import type { CallData, CallInput, ItemOf } from '../../api/operations.ts'

export type Found = CallData<'POST /api/v1/knowledge/{knowledge_id}/search'>
export type KnowledgeBase = CallData<'GET /api/v1/knowledge/{knowledge_id}'>
export type KnowledgeDocument = ItemOf<'GET /api/v1/knowledge/{knowledge_id}/files'>
export type Chunk = ItemOf<'GET /api/v1/knowledge/{knowledge_id}/files/{file_id}/chunks'>
export type DocumentStatus = KnowledgeDocument['status']
type DocumentFilter = CallInput<'GET /api/v1/knowledge/{knowledge_id}/files'>['query']

/** The polling interval while something is in progress. */
const pollMilliseconds = 1200

const isMoving = (status: DocumentStatus): boolean =>
  status === 'queued' || status === 'parsing' || status === 'chunking' || status === 'embedding'

const isBeingChecked = (base: KnowledgeBase | undefined): boolean =>
  base?.golden_check?.status === 'queued' || base?.golden_check?.status === 'running'

/** Query key prefix of a knowledge base. */
const baseKey = (knowledgeId: string) => ['knowledge', 'base', knowledgeId] as const

export function useKnowledgeList(filter: { keyword: string; page: number; page_size: number }) {
  return useQuery({
    queryKey: ['knowledge', 'list', filter],
    queryFn: ({ signal }) => call('POST /api/v1/knowledge', { body: filter, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.items.some(base => base.status === 'indexing') ? pollMilliseconds : false,
  })
}

export function useKnowledgeBase(knowledgeId: string) {
  return useQuery({
    queryKey: [...baseKey(knowledgeId), 'record'],
    queryFn: ({ signal }) =>
      call('GET /api/v1/knowledge/{knowledge_id}', { params: { knowledge_id: knowledgeId }, signal }),
    refetchInterval: ({ state }) =>
      state.data?.status === 'indexing' || isBeingChecked(state.data) ? pollMilliseconds : false,
  })
}

export function useDocuments(base: KnowledgeBase, filter: DocumentFilter) {
  const queries = useQueryClient()
  const knowledgeId = base.knowledge_id
  const isIndexing = base.status === 'indexing'
  // The last status of a document may change between two polls of the list.
  useEffect(() => {
    if (!isIndexing) queries.invalidateQueries({ queryKey: [...baseKey(knowledgeId), 'documents'] })
  }, [queries, knowledgeId, isIndexing])
  return useQuery({
    queryKey: [...baseKey(knowledgeId), 'documents', filter],
    queryFn: ({ signal }) =>
      call('GET /api/v1/knowledge/{knowledge_id}/files', {
        params: { knowledge_id: knowledgeId },
        query: filter,
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      isIndexing || state.data?.items.some(({ status }) => isMoving(status)) ? pollMilliseconds : false,
  })
}

/** Refetches a knowledge base and the list. */
export function useRefreshKnowledge(): (knowledgeId?: string) => Promise<void> {
  const queries = useQueryClient()
  return async knowledgeId => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['knowledge', 'list'] }),
      ...(knowledgeId === undefined ? [] : [queries.invalidateQueries({ queryKey: baseKey(knowledgeId) })]),
    ])
  }
}

/** Whether the server has an embedding model and a rerank model. */
export function useFeatures() {
  return useQuery({
    queryKey: ['knowledge', 'server'],
    queryFn: ({ signal }) => call('GET /api/v1/server', { signal }),
    staleTime: 60_000,
    select: ({ features }) => features,
  })
}
