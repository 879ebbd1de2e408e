import type { Page, PageRequest } from '../contract/paging.ts'

const pageSize = 100

/** All items of a listing, page after page. */
export async function everyPage<Item>(list: (page: PageRequest) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = []
  for (let page = 1; ; page++) {
    const found = await list({ page, pageSize })
    items.push(...found.items)
    if (found.items.length < pageSize) return items
  }
}
