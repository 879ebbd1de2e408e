import Type, { type TSchema } from 'typebox'
import { integer, integerIn, optional } from './fields.ts'

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

export const pageRequest = (body: { page?: number; page_size?: number }): PageRequest => ({
  page: body.page ?? 1,
  pageSize: body.page_size ?? 20,
})

export const pageAnswer = <Item>(request: PageRequest, page: Page<Item>) => ({
  total: page.total,
  page: request.page,
  page_size: request.pageSize,
  items: page.items,
})
