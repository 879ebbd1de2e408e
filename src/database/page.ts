import { limits } from '../contract/limits.ts'
import type { Page, PageRequest } from '../contract/paging.ts'
import { type AppError, invalidField } from '../kernel/app-error.ts'
import { countRows, type Database, type Reader } from './database.ts'
import { decodeCursor, encodeCursor, type Order } from './order.ts'
import { Columns, type Query, type RawSql, raw, type SqlValue, sql } from './sql.ts'

/** A condition that may hold for few rows, which are found in an index of their own. */
export interface IndexedFilter {
  /** The condition on a row. */
  readonly condition: Query
  /** Part of FROM: entries of the index, at least those of all rows of the list that fulfil the condition. */
  readonly entries: Query
  /** Whether every entry fulfils the condition. */
  readonly isExact: boolean
  /** Part of FROM: the row of an `entry`; see `rowOfEntry`. */
  readonly row: Query
  /** A share of the entries, where counting very many of them takes long. */
  readonly sample?: Query
}

/**
 * The row that fulfils the condition, joined with an `entry`. PostgreSQL is made to look up one row after the other: where
 * its statistics are wrong, it would read the index of the entries again for every row.
 */
export const rowOfEntry = (
  dialect: Database['dialect'],
  table: RawSql,
  alias: RawSql,
  condition: Query,
): Query =>
  dialect === 'sqlite'
    ? sql`CROSS JOIN ${table} AS ${alias} ON ${condition}`
    : sql`CROSS JOIN LATERAL (SELECT * FROM ${table} AS ${alias} WHERE ${condition} OFFSET 0) AS ${alias}`

interface Rows {
  /** What follows FROM. */
  source: RawSql | Query
  where: Query
}

interface List<Row> extends Rows {
  /** Further parts of FROM. */
  joins?: Query
  /** The workspace whose turn it is when reads wait for a thread; empty for lists of the whole server. */
  workspaceId: string
  columns: Columns<Row>
  order: Order
  page: PageRequest
  indexedFilter?: IndexedFilter | undefined
  /** Conditions beyond those that every entry of the indexed filter fulfils. */
  filter?: Query | undefined
  /** No index alone finds the rows, so even the first count runs in a thread. */
  mayTakeLong?: boolean
  /** Rows that are as many as those of the list without any filter, but can be counted faster. */
  counted?: Rows
}

/** Counting or skipping up to this many rows is cheap enough for the main thread. */
const quickCount = 1000
/** Up to this many rows are all looked up and sorted. */
const fewEntries = 1000
/** Rows of the list that are searched for the rows of a page, in its order. */
const nearby = 3000
/** So many entries in a sample mean far more than `countedItems` entries altogether. */
const manySamples = 500

interface Total {
  total: number
  isCapped: boolean
}

/** The rows of a page and one more, if there is one. */
interface Slice {
  skipped: number
  after: readonly SqlValue[] | undefined
  limit: number
}

interface Found<Row> extends Total {
  rows: Row[]
}

/**
 * One page of a list. Its cost does not depend on how long the list is: totals are counted up to a limit, pages beyond it
 * are reached by cursor, and a keyword is looked up in an index.
 */
export async function readPage<Row>(database: Database, list: List<Row>): Promise<Page<Row>> {
  const place = placeOf(list)
  const found = await (list.indexedFilter
    ? readFiltered(database, list, list.indexedFilter, place)
    : readAll(database, list, place))
  if (found.isCapped && place.skipped >= found.total) throw tooDeep(list.page)
  return pageOf(list, place, found)
}

/** One page of rows that their sort key numbers from 0 without gaps: a range, at any depth. */
export async function readNumbered<Row>(
  reader: Reader,
  list: Omit<List<Row>, 'workspaceId'>,
  total: number,
): Promise<Page<Row>> {
  const place = placeOf(list)
  const { skipped, after, limit } = place
  const first = after ? Number(after[0]) + 1 : skipped
  const key = raw(list.order.keys[0]!.column)
  const range = sql`${list.where} AND ${key} >= ${first} AND ${key} < ${first + limit}`
  const next = { skipped: 0, after: undefined, limit }
  const rows = await readInOrder(reader, list, { source: list.source, where: range }, next)
  return pageOf(list, place, { total, isCapped: false, rows })
}

interface Place extends Slice {
  number: number
}

function placeOf({ order, page }: Pick<List<unknown>, 'order' | 'page'>): Place {
  const limit = page.pageSize + 1
  if (page.cursor === undefined)
    return { number: page.page, skipped: (page.page - 1) * page.pageSize, after: undefined, limit }
  if (page.page > 1) throw invalidField('/page', 'cannot be combined with a cursor; leave it out')
  const { page: number, values } = decodeCursor(order, page.cursor)
  return { number, skipped: 0, after: values, limit }
}

function pageOf<Row>(
  { order, page: { pageSize } }: Pick<List<Row>, 'order' | 'page'>,
  { number, after }: Place,
  { total, isCapped, rows }: Found<Row>,
): Page<Row> {
  const keys = rows.map(row => order.takeKeys(row as Record<string, unknown>))
  return {
    total,
    ...(isCapped && { isCapped }),
    ...(after && { page: number }),
    ...(rows.length > pageSize && {
      nextCursor: encodeCursor(order, { page: number + 1, values: keys[pageSize - 1]! }),
    }),
    items: rows.slice(0, pageSize),
  }
}

const tooDeep = ({ page, pageSize }: PageRequest): AppError =>
  invalidField(
    '/page',
    `${page} with ${pageSize} items per page is beyond the first ${limits.countedItems} items; continue with next_cursor, or filter the list`,
  )

async function readAll<Row>(database: Database, list: List<Row>, slice: Slice): Promise<Found<Row>> {
  const rows = filtered(list)
  const counted = (!list.filter && list.counted) || rows
  const background = database.background(list.workspaceId)
  const { mayTakeLong = false } = list
  let total = mayTakeLong ? undefined : await count(database, counted, quickCount)
  if (!total || total.isCapped) total = await count(background, counted, limits.countedItems)
  if (slice.skipped >= total.total) return { ...total, rows: [] }
  const reader = mayTakeLong || slice.skipped > quickCount ? background : database
  return { ...total, rows: await readInOrder(reader, list, rows, slice) }
}

/**
 * With few entries, all their rows are looked up and sorted. With more, a page is usually found among the next rows of
 * the list; if not, because the matches are far behind, all rows are looked up as well. With very many entries, the
 * list is read in its order, and the number of entries stands for that of the rows.
 */
async function readFiltered<Row>(
  database: Database,
  list: List<Row>,
  indexedFilter: IndexedFilter,
  slice: Slice,
): Promise<Found<Row>> {
  const reader = database.background(list.workspaceId)
  const entries = await countEntries(reader, indexedFilter)
  if (entries.total === 0) return { ...entries, rows: [] }
  if (entries.total <= fewEntries) return lookUp(reader, list, indexedFilter, slice)
  const rows = filtered(list, indexedFilter.condition)
  if (entries.isCapped) {
    const total = list.filter ? await count(reader, rows, limits.countedItems) : entries
    const isBehind = slice.skipped >= total.total
    return { ...total, rows: isBehind ? [] : await readInOrder(reader, list, rows, slice) }
  }
  const near = await readInOrder(reader, list, await nearRows(reader, list, rows, slice), slice)
  if (near.length < slice.limit) return lookUp(reader, list, indexedFilter, slice)
  const isCounted = indexedFilter.isExact && !list.filter
  const total = isCounted
    ? entries
    : await count(reader, candidatesOf(list, indexedFilter), limits.countedItems)
  return { ...total, rows: near }
}

const keysOnly = new Columns<Record<string, unknown>>('1 AS one', [])

/** Restricts the rows to those among the next `nearby` rows of the list. */
async function nearRows<Row>(
  reader: Reader,
  list: List<Row>,
  { source, where }: Rows,
  { after }: Slice,
): Promise<Rows> {
  const next = { after, skipped: nearby, limit: 1 }
  const [far] = await readInOrder(
    reader,
    { ...list, columns: keysOnly },
    filtered({ ...list, filter: undefined }),
    next,
  )
  if (!far) return { source, where }
  const before = list.order.reversed.after(list.order.takeKeys(far))
  return { source, where: sql`${where} AND ${before}` }
}

async function countEntries(reader: Reader, { sample, entries }: IndexedFilter): Promise<Total> {
  const every = sql`1 = 1`
  if (sample && (await count(reader, { source: sample, where: every }, manySamples)).isCapped)
    return { total: limits.countedItems, isCapped: true }
  return count(reader, { source: entries, where: every }, limits.countedItems)
}

const joined = <Row>({ joins }: List<Row>, source: RawSql | Query) =>
  joins ? sql`${source} ${joins}` : source

const filtered = <Row>(list: List<Row>, condition?: Query): Rows => {
  const own = list.filter ? sql`${list.where} AND ${list.filter}` : list.where
  return { source: joined(list, list.source), where: condition ? sql`${own} AND ${condition}` : own }
}

const candidatesOf = <Row>(list: List<Row>, { entries, row, isExact, condition }: IndexedFilter): Rows => {
  const { where } = filtered(list, isExact ? undefined : condition)
  return { source: joined(list, sql`${entries} ${row}`), where }
}

/** Looks at the row of each entry once: counts the rows, and reads those of the page. */
async function lookUp<Row>(
  reader: Reader,
  list: List<Row>,
  indexedFilter: IndexedFilter,
  { skipped, after, limit }: Slice,
): Promise<Found<Row>> {
  const order = list.order.ofSelected
  const candidates = candidatesOf(list, indexedFilter)
  const page = sql`SELECT * FROM matches ${after ? sql`WHERE ${order.after(after)}` : sql``}
    ORDER BY ${raw(order.text)} LIMIT ${limit} OFFSET ${skipped}`
  const found = (await reader.all(sql`
    WITH matches AS MATERIALIZED (
      SELECT entry, ${raw(list.order.selected)} FROM ${candidates.source} WHERE ${candidates.where})
    SELECT ${list.columns}, ${raw(order.selected)}, (SELECT COUNT(*) FROM matches) AS "matchTotal"
    FROM ${joined(list, sql`(${page}) AS page ${indexedFilter.row}`)} WHERE ${list.where} ORDER BY ${raw(order.text)}`)) as (Row & {
    matchTotal: number
  })[]
  // A page behind the last one has no row with the total.
  const total = found[0]?.matchTotal ?? (await count(reader, candidates, limits.countedItems)).total
  return { total, isCapped: false, rows: found.map(({ matchTotal: _, ...row }) => row as Row) }
}

function readInOrder<Row>(
  reader: Reader,
  { columns, order }: Pick<List<Row>, 'columns' | 'order'>,
  { source, where }: Rows,
  { skipped, after, limit }: Slice,
): Promise<Row[]> {
  const rest = after ? sql`${where} AND ${order.after(after)}` : where
  return reader.all(sql`
    SELECT ${columns}, ${raw(order.selected)} FROM ${source} WHERE ${rest}
    ORDER BY ${raw(order.text)} LIMIT ${limit} OFFSET ${skipped}`) as Promise<Row[]>
}

async function count(reader: Reader, { source, where }: Rows, limit: number): Promise<Total> {
  // A limit that is bound as a parameter would compile the statement again each time.
  const some = sql`SELECT 1 FROM ${source} WHERE ${where} LIMIT ${raw(String(limit + 1))}`
  const total = await countRows(reader, sql`(${some}) AS counted`)
  return { total: Math.min(total, limit), isCapped: total > limit }
}
