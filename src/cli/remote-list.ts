import type { Page } from '../contract/paging.ts'
import { allPages } from './command.ts'
import type { ServerClient } from './server-client.ts'

export interface RemotePage<Item> {
  total: number
  total_capped: boolean
  next_cursor: string | null
  items: Item[]
}

export const pageFrom = <Item>({
  total,
  total_capped,
  next_cursor,
  items,
}: RemotePage<Item>): Page<Item> => ({
  ...{ total, items },
  ...(total_capped && { isCapped: true as const }),
  ...(next_cursor !== null && { nextCursor: next_cursor }),
})

/** All items of a list of the server. Fails at once when the server does not respond. */
export const listAll = <Item>(
  client: ServerClient,
  list: { method: string; path: string },
  filter: Record<string, unknown>,
): Promise<Item[]> =>
  allPages(async ({ pageSize, cursor }) => {
    const json = { ...filter, page_size: pageSize, ...(cursor !== undefined && { cursor }) }
    return pageFrom(await client.call<RemotePage<Item>>(list, { json, maxAttempts: 1 }))
  })
