import type { TSchema } from 'typebox'
import { boolean, integer, integerIn, named, optional, orNull, text } from './fields.ts'
import { limits } from './limits.ts'
import { Type } from './schema.ts'

const { countedItems, cursorLength } = limits

export const pagingFields = optional({
  page: integerIn(`Page number, from 1, within the first ${countedItems} items.`, [1, 1_000_000], {
    default: 1,
  }),
  page_size: integerIn('Items per page.', [1, 100], { default: 20 }),
  cursor: text('`next_cursor` of the previous page, in place of `page`.', [1, cursorLength]),
})

export interface PageRequest {
  page: number
  pageSize: number
  /** `nextCursor` of the previous page, in place of a page number. */
  cursor?: string | undefined
}

export interface Page<Item> {
  total: number
  /** There are more than `total` items, because counting stops at a limit. */
  isCapped?: true
  /** The number of this page, where a cursor may have led to it. */
  page?: number
  /** Leads to the next page, if there is one. */
  nextCursor?: string
  items: Item[]
}

/** The name of a record, or of a schema that is only referred to. */
const nameOf = (schema: TSchema): string | undefined => {
  const { 'x-name': name, 'x-schema': reference } = schema as { 'x-name'?: string; 'x-schema'?: string }
  return name ?? reference
}

export function pageOf<Item extends TSchema>(item: Item) {
  const page = Type.Object({
    total: integer(`Number of items, counted up to ${countedItems}.`),
    total_capped: boolean('Whether there are more than `total`.', false),
    page: integer('Page number.', 1),
    page_size: integer('Items per page.', 20),
    next_cursor: orNull(Type.String(), '`cursor` of the next page; null on the last one.', null),
    items: Type.Array(item),
  })
  const name = nameOf(item)
  return name === undefined ? page : named(`${name}Page`, page)
}

/** The whole list, read page by page. */
export async function* everyItem<Item>(
  list: (request: PageRequest) => Promise<Page<Item>>,
): AsyncGenerator<Item> {
  let cursor: string | undefined
  do {
    const found = await list({ page: 1, pageSize: 100, cursor })
    yield* found.items
    cursor = found.nextCursor
  } while (cursor !== undefined)
}

/** The response of an operation that lists something. */
export async function pageAnswer<Item>(
  { page = 1, page_size: pageSize = 20, cursor }: { page?: number; page_size?: number; cursor?: string },
  list: (request: PageRequest) => Promise<Page<Item>>,
  itemOnWire: (item: Item) => unknown,
) {
  const found = await list({ page, pageSize, cursor })
  return {
    total: found.total,
    total_capped: found.isCapped ?? false,
    page: found.page ?? page,
    page_size: pageSize,
    next_cursor: found.nextCursor ?? null,
    items: found.items.map(itemOnWire),
  }
}
