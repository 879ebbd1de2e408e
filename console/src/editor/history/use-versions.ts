import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { ItemOf } from '../../api/operations.ts'
import { cursorPages, withCursor } from '../../api/queries.ts'
import type { Graph } from '../model/graph.ts'
import { useEditorState, useWorkflowEditor } from '../workflow-editor.ts'

export type VersionItem = ItemOf<'GET /api/v1/workflow/versions'>

const pageSize = 30

export interface Versions {
  items: readonly VersionItem[]
  total: number
  error: unknown
  isLoading: boolean
  hasMore: boolean
  loadMore(): void
}

/** The versions on the server, newest first, page by page. */
export function useVersions(): Versions {
  const { workflowId, saving } = useWorkflowEditor()
  const query = useInfiniteQuery({
    // A new version shifts all pages.
    queryKey: ['workflow-versions', workflowId, saving.version],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/v1/workflow/versions', {
        query: { id: workflowId, ...withCursor(pageParam), page_size: pageSize },
        signal,
      }),
    ...cursorPages,
    placeholderData: before => before,
  })
  return {
    items: query.data?.pages.flatMap(({ items }) => items) ?? [],
    total: query.data?.pages[0]?.total ?? 0,
    error: query.error ?? undefined,
    isLoading: query.isFetching,
    hasMore: query.hasNextPage,
    loadMore: () => void query.fetchNextPage(),
  }
}

/** The graph of a version, or the current draft. */
export function useGraphOf(side: Side): { graph: Graph | undefined; error: unknown } {
  const { workflowId } = useWorkflowEditor()
  const { graph } = useEditorState()
  const query = useQuery({
    queryKey: ['workflow-version', workflowId, side],
    queryFn: ({ signal }) =>
      call('GET /api/v1/workflow/version', { query: { id: workflowId, version: Number(side) }, signal }),
    enabled: side !== 'now',
    // A version never changes.
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (side === 'now') return { graph, error: undefined }
  return { graph: query.data?.config as Graph | undefined, error: query.error ?? undefined }
}

/** `now` is the current draft. */
export type Side = number | 'now'
