import { useQuery } from '@tanstack/react-query'
import { call } from './call.ts'
import type { CallInput, ItemOf } from './operations.ts'

type ListKey =
  | 'POST /api/v1/agent/list'
  | 'POST /api/v1/workflow/list'
  | 'POST /api/v1/knowledge'
  | 'POST /api/v1/model/list'
  | 'POST /api/v1/token/list'
  | 'POST /api/v1/workspace/list'

/** More is no small list any more: what lies behind is called by its id, and found on its own page. */
const mostPages = 20

async function callAll<Key extends ListKey>(key: Key, signal: AbortSignal): Promise<ItemOf<Key>[]> {
  const items: ItemOf<Key>[] = []
  for (let page = 1; page <= mostPages; page++) {
    const input = { body: { page, page_size: 100 }, signal } as unknown as CallInput<Key>
    const answer = (await call(key, input)) as { total: number; items: ItemOf<Key>[] }
    items.push(...answer.items)
    if (items.length >= answer.total || answer.items.length === 0) break
  }
  return items
}

/** Below this key lies what `useAll` knows of an operation. */
export const allKey = (key: ListKey) => ['all', key] as const

/** Every item of a list that stays small, so that it can be sorted, filtered and named from in the browser. */
export function useAll<Key extends ListKey>(key: Key, { enabled = true } = {}) {
  return useQuery({
    queryKey: allKey(key),
    queryFn: ({ signal }) => callAll(key, signal),
    enabled,
  })
}
