import type { TSchema } from 'typebox'
import { integer, integerIn, optional } from './fields.ts'
import { Type } from './schema.ts'

export const pagingFields = optional({
  page: integerIn('Page number, from 1.', [1, 1_000_000], { default: 1 }),
  page_size: integerIn('Items per page.', [1, 100], { default: 20 }),
})

export interface PageRequest {
  page: number
  pageSize: number
}

export interface Page<Item> {
  total: number
  items: Item[]
}

export const pageOf = <Item extends TSchema>(item: Item) =>
  Type.Object({
    total: integer('Total number of items.'),
    page: integer('Page number.', 1),
    page_size: integer('Items per page.', 20),
    items: Type.Array(item),
  })

/** The response of an operation that lists something. */
export async function pageAnswer<Item>(
  { page = 1, page_size: pageSize = 20 }: { page?: number; page_size?: number },
  list: (request: PageRequest) => Promise<Page<Item>>,
  itemOnWire: (item: Item) => unknown,
) {
  const { total, items } = await list({ page, pageSize })
  return { total, page, page_size: pageSize, items: items.map(itemOnWire) }
}
