import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { call } from '../../../api/call.ts'
import type { CallInput, ItemOf } from '../../../api/operations.ts'
import { useFailureToast } from '../../../ui/failure.tsx'
import { useRefreshKnowledge } from '../use-knowledge.ts'

export type WebPage = ItemOf<'GET /api/v1/knowledge/{knowledge_id}/pages'>
type PageChange = CallInput<'POST /api/v1/knowledge/{knowledge_id}/pages/{page_id}/update'>['body']
type Filter = CallInput<'GET /api/v1/knowledge/{knowledge_id}/pages'>['query']

const pollMilliseconds = 1200
const soonMilliseconds = 10_000

/** A page that waits long for its next attempt is not polled for. */
const isMoving = ({ status, next_fetch_at }: WebPage): boolean =>
  status === 'fetching' ||
  status === 'deleting' ||
  (status === 'queued' &&
    (next_fetch_at === null || Date.parse(next_fetch_at) - Date.now() < soonMilliseconds))

export function useWebPages(knowledgeId: string, filter: Filter) {
  const queries = useQueryClient()
  const pages = useQuery({
    queryKey: ['knowledge', 'base', knowledgeId, 'pages', filter],
    queryFn: ({ signal }) =>
      call('GET /api/v1/knowledge/{knowledge_id}/pages', {
        params: { knowledge_id: knowledgeId },
        query: filter,
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.items.some(page => isMoving(page) || (page.sitemap?.pages.open ?? 0) > 0)
        ? pollMilliseconds
        : false,
  })
  // Pages that were fetched are documents, which other tabs show.
  const changed = pages.data?.items.map(({ changed_at }) => changed_at).join()
  useEffect(() => {
    if (changed === undefined) return
    for (const kind of ['record', 'documents'])
      void queries.invalidateQueries({ queryKey: ['knowledge', 'base', knowledgeId, kind] })
  }, [queries, knowledgeId, changed])
  return pages
}

/** The actions for one page. With `isQuiet` the caller shows failures of a change. */
export function useWebPageActions(knowledgeId: string, pageId: string, { isQuiet = false } = {}) {
  const refreshLists = useRefreshKnowledge()
  const onError = useFailureToast()
  const params = { knowledge_id: knowledgeId, page_id: pageId }
  const onSettled = () => refreshLists(knowledgeId)
  const refresh = useMutation({
    mutationFn: () => call('POST /api/v1/knowledge/{knowledge_id}/pages/{page_id}/refresh', { params }),
    onError,
    onSettled,
  })
  const update = useMutation({
    mutationFn: (body: PageChange) =>
      call('POST /api/v1/knowledge/{knowledge_id}/pages/{page_id}/update', { params, body }),
    ...(!isQuiet && { onError }),
    onSettled,
  })
  const remove = useMutation({
    mutationFn: () => call('POST /api/v1/knowledge/{knowledge_id}/pages/{page_id}/delete', { params }),
    onError,
    onSettled,
  })
  return { refresh, update, remove }
}
