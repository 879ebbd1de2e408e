import Type, { type TSchema } from 'typebox'

export const pagingFields = {
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1, description: 'Page number, from 1.' }),
  ),
  page_size: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Items per page.' }),
  ),
}

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
    total: Type.Integer({ description: 'Total number of items.' }),
    page: Type.Integer({ description: 'Page number.', examples: [1] }),
    page_size: Type.Integer({ description: 'Items per page.', examples: [20] }),
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
