import { limits } from '../contract/limits.ts'
import type { Page, PageRequest } from '../contract/paging.ts'
import { type AppError, invalidField } from '../kernel/app-error.ts'
import { countRows, type Database, type Reader } from './database.ts'
import { type Columns, Query, type RawSql, raw, type SqlValue, sql } from './sql.ts'

interface SortKey {
  column: string
  isDescending: boolean
}

/** A total order of a list: the last column is unique among its rows, and an index has the same columns. */
export class Order {
  readonly keys: readonly SortKey[]
  readonly text: string

  constructor(...columns: string[]) {
    this.text = columns.join(', ')
    this.keys = columns.map(column => ({
      column: column.replace(/ DESC$/, ''),
      isDescending: column.endsWith(' DESC'),
    }))
  }

  /** The keys of a row under names of their own, since a list may not show them. */
  get selected(): string {
    return this.keys.map(({ column }, index) => `${column} AS "sort_key_${index}"`).join(', ')
  }

  /** Takes the keys out of a row. */
  takeKeys(row: Record<string, unknown>): SqlValue[] {
    return this.keys.map((_, index) => {
      const name = `sort_key_${index}`
      const value = row[name]
      delete row[name]
      return value as SqlValue
    })
  }

  /** The rows after the one with these keys. */
  after(values: readonly SqlValue[]): Query {
    const [first, second] = this.keys
    const than = ({ isDescending }: SortKey): string => (isDescending ? '<' : '>')
    if (!second) return new Query(`${first!.column} ${than(first!)} ?`, values)
    if (first!.isDescending === second.isDescending)
      return new Query(`(${first!.column}, ${second.column}) ${than(first!)} (?, ?)`, values)
    // A comparison of pairs has one direction. The first condition finds the place in the index.
    return new Query(
      `${first!.column} ${than(first!)}= ? AND (${first!.column} ${than(first!)} ? OR ${second.column} ${than(second)} ?)`,
      [values[0]!, values[0]!, values[1]!],
    )
  }
}

interface Cursor {
  page: number
  values: SqlValue[]
}

/** A cursor holds the order, so that one of another list is refused, and the number of its page. */
export const encodeCursor = (order: Order, { page, values }: Cursor): string =>
  Buffer.from(JSON.stringify([order.text, page, ...values])).toString('base64url')

function decodeCursor(order: Order, cursor: string): Cursor {
  try {
    const [text, page, ...values] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    const isValue = (value: unknown): value is SqlValue =>
      typeof value === 'string' || Number.isSafeInteger(value)
    if (text === order.text && Number.isSafeInteger(page) && values.length === order.keys.length)
      if (values.every(isValue)) return { page: page as number, values }
  } catch {
    // Not made by this server.
  }
  throw invalidField('/cursor', 'is not a cursor of this list; send the next_cursor of its previous page')
}

/** A condition that may hold for few rows, which are found in an index of their own. */
export interface Narrowing {
  /** The condition itself. */
  readonly exact: Query
  /** Part of FROM: entries of the index, at least those of all rows that fulfil it. */
  readonly entries: Query
  /** Joins an entry with its row. */
  readonly link: RawSql
}

interface Rows {
  /** What follows FROM. */
  source: RawSql | Query
  where: Query
}

export interface List<Row> extends Rows {
  columns: Columns<Row>
  order: Order
  page: PageRequest
  narrowing?: Narrowing | undefined
  /** As many rows as the list has without the narrowing, if they can be counted faster. */
  counted?: Rows
}

/** Counts up to this many are cheap enough for the main thread. */
const quickCount = 1000

/**
 * One page of a list. Its cost does not depend on how long the list is: totals are counted up to a limit, pages beyond it
 * are reached by cursor, and a keyword is looked up in an index.
 */
export async function readPage<Row>(database: Database, list: List<Row>): Promise<Page<Row>> {
  const { page, order } = list
  const cursor = page.cursor === undefined ? undefined : decodeCursor(order, page.cursor)
  if (cursor && page.page > 1) throw invalidField('/page', 'cannot be combined with a cursor; leave it out')
  const plan = await planOf(database, list)
  const number = cursor?.page ?? page.page
  const skipped = cursor ? 0 : (page.page - 1) * page.pageSize
  const total = {
    total: plan.total,
    ...(plan.isCapped && { isCapped: true as const }),
    ...(cursor && { page: number }),
  }
  if (skipped >= plan.total) {
    if (plan.isCapped && skipped > 0) throw tooDeep(page)
    if (!cursor) return { ...total, items: [] }
  }
  const reader = skipped > quickCount ? database.background : plan.reader
  const where = cursor ? sql`${plan.where} AND ${order.after(cursor.values)}` : plan.where
  const rows = await reader.all(sql`
    SELECT ${list.columns}, ${raw(order.selected)} FROM ${plan.source} WHERE ${where}
    ORDER BY ${raw(order.text)} LIMIT ${page.pageSize + 1} OFFSET ${skipped}`)
  const keys = rows.map(row => order.takeKeys(row as Record<string, unknown>))
  const items = rows.slice(0, page.pageSize) as Row[]
  if (rows.length <= page.pageSize) return { ...total, items }
  const next = encodeCursor(order, { page: number + 1, values: keys[page.pageSize - 1]! })
  return { ...total, nextCursor: next, items }
}

const tooDeep = ({ page, pageSize }: PageRequest): AppError =>
  invalidField(
    '/page',
    `${page} with ${pageSize} items per page is beyond the first ${limits.countedItems} items; read on with next_cursor, or narrow the list down`,
  )

interface Plan extends Rows {
  total: number
  isCapped: boolean
  /** Where the page is read. */
  reader: Reader
}

/** Counts the rows, and decides how to find those of the page. */
async function planOf<Row>(database: Database, list: List<Row>): Promise<Plan> {
  const { source, where, narrowing, counted = { source, where } } = list
  if (!narrowing) return { ...(await countAll(database, counted)), source, where, reader: database }
  const { exact, entries, link } = narrowing
  const reader = database.background
  const candidates = await count(reader, { source: entries, where: sql`1 = 1` }, limits.countedItems)
  const all = sql`${where} AND ${exact}`
  const narrow = { source: sql`${entries} CROSS JOIN ${source}`, where: sql`${link} AND ${all}` }
  const total = candidates.total === 0 ? candidates : await count(reader, narrow, limits.countedItems)
  // The entries are in no useful order. Where very many rows match, the first ones of the list are found soon.
  return { ...total, ...(candidates.isCapped ? { source, where: all } : narrow), reader }
}

/** A short list is counted at once, a long one in the background. */
async function countAll(database: Database, rows: Rows) {
  const quick = await count(database, rows, quickCount)
  return quick.isCapped ? count(database.background, rows, limits.countedItems) : quick
}

async function count(reader: Reader, { source, where }: Rows, limit: number) {
  // A limit that is bound as a parameter would compile the statement again each time.
  const some = sql`SELECT 1 FROM ${source} WHERE ${where} LIMIT ${raw(String(limit + 1))}`
  const total = await countRows(reader, sql`(${some}) AS counted`)
  return { total: Math.min(total, limit), isCapped: total > limit }
}
