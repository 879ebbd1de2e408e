import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from './call.ts'
import type { CallData, CallInput, ItemOf } from './operations.ts'

type ListKey =
  | 'POST /api/v1/agent/list'
  | 'POST /api/v1/workflow/list'
  | 'POST /api/v1/knowledge'
  | 'POST /api/v1/model/list'
  | 'POST /api/v1/secret/list'
  | 'POST /api/v1/token/list'
  | 'POST /api/v1/tool/list'
  | 'POST /api/v1/trigger/list'
  | 'POST /api/v1/workspace/list'

interface ListPage<Item> {
  next_cursor: string | null
  items: Item[]
}

/** Larger lists are paged on their own page; items beyond this are shown by id. */
const maxPages = 20

/** Leads from page to page of a list: the cursor of the first page is empty. */
export const cursorPages = {
  initialPageParam: '',
  getNextPageParam: (last: { next_cursor: string | null }): string | undefined =>
    last.next_cursor ?? undefined,
}

/** The cursor as a field of a request. */
export const withCursor = (cursor: string): { cursor?: string } => (cursor === '' ? {} : { cursor })

async function callAll<Key extends ListKey>(key: Key, signal: AbortSignal): Promise<ItemOf<Key>[]> {
  const items: ItemOf<Key>[] = []
  let cursor = ''
  for (let page = 1; page <= maxPages; page++) {
    const body = { ...withCursor(cursor), page_size: 100 }
    const answer = (await call(key, { body, signal } as unknown as CallInput<Key>)) as ListPage<ItemOf<Key>>
    items.push(...answer.items)
    if (answer.next_cursor === null) break
    cursor = answer.next_cursor
  }
  return items
}

/** Query key prefix of an operation's `useAll` data. */
export const allKey = (key: ListKey) => ['all', key] as const

/** All items of a list that stays small, so that it can be sorted, filtered and used for names in the browser. */
export function useAll<Key extends ListKey>(key: Key, { enabled = true } = {}) {
  return useQuery({
    queryKey: allKey(key),
    queryFn: ({ signal }) => callAll(key, signal),
    enabled,
  })
}

/** Names by id; items without a name are shown by id. Undefined while loading. */
export type Names = ReadonlyMap<string, string> | undefined

const namesOf = (items: { id: string; name: string }[] | undefined): Names =>
  items && new Map(items.map(({ id, name }) => [id, name || id]))

export const useAgentNames = ({ enabled = true } = {}): Names =>
  namesOf(useAll('POST /api/v1/agent/list', { enabled }).data)

export const useWorkflowNames = ({ enabled = true } = {}): Names =>
  namesOf(useAll('POST /api/v1/workflow/list', { enabled }).data)

export const optionsOf = (names: Names): { value: string; label: string }[] =>
  [...(names ?? [])].map(([value, label]) => ({ value, label }))

export type Server = CallData<'GET /api/v1/server'>
export type FeatureName = keyof Server['features']
export type Setting = Server['settings'][number]

/** The server's version, features and settings. */
export function useServer({ enabled = true } = {}) {
  return useQuery({
    queryKey: ['server'],
    queryFn: ({ signal }) => call('GET /api/v1/server', { signal }),
    enabled,
  })
}

export type Usage = CallData<'GET /api/v1/usage'>
export type UsageDay = Usage['days'][number]
export type Counts = Usage['totals']
export type UsageFilter = CallInput<'GET /api/v1/usage'>['query']

export const useUsage = (filter: UsageFilter) =>
  useQuery({
    queryKey: ['usage', filter],
    queryFn: ({ signal }) => call('GET /api/v1/usage', { query: filter, signal }),
    placeholderData: keepPreviousData,
  })
