import { indexedText, list, type Query, type RawSql, raw, sql } from '../database/sql.ts'
import type { Metadata, MetadataValue } from './knowledge-base.ts'

export type FilterCondition =
  | { key: string; equals: MetadataValue }
  | { key: string; in: MetadataValue[] }
  | { key: string; gt?: number | string; lt?: number | string; gte?: number | string; lte?: number | string }

export interface ChunkFilter {
  fileIds: string[] | undefined
  conditions: FilterCondition[]
}

/** Like the database: numbers are compared as numbers, everything else as text. */
const isSame = (left: MetadataValue, right: MetadataValue): boolean =>
  typeof left === 'number' || typeof right === 'number' ? left === right : String(left) === String(right)

type Bound = number | string
const comparisons = {
  gt: { operator: raw('>'), holds: (order: number) => order > 0 },
  lt: { operator: raw('<'), holds: (order: number) => order < 0 },
  gte: { operator: raw('>='), holds: (order: number) => order >= 0 },
  lte: { operator: raw('<='), holds: (order: number) => order <= 0 },
}

/** Compares with a bound of the same kind; undefined for another kind. Texts have the order of their UTF-8 bytes. */
function orderOf(value: Bound, bound: Bound): number | undefined {
  if (typeof value === 'number') return typeof bound === 'number' ? value - bound : undefined
  if (typeof bound === 'number') return undefined
  return Buffer.compare(Buffer.from(storedText(value)), Buffer.from(storedText(bound)))
}

const comparisonNames = Object.keys(comparisons) as (keyof typeof comparisons)[]

function holds(value: MetadataValue, condition: FilterCondition): boolean {
  if ('equals' in condition) return isSame(value, condition.equals)
  if ('in' in condition) return condition.in.some(wanted => isSame(value, wanted))
  const comparable = typeof value === 'boolean' ? String(value) : value
  return comparisonNames.every(name => {
    const bound = condition[name]
    if (bound === undefined) return true
    const order = orderOf(comparable, bound)
    return order !== undefined && comparisons[name].holds(order)
  })
}

/** Applies a filter to a document or a chunk, with the same result as `ChunkStore.batchesOf`. */
export const matchesFilter = (
  { fileId, metadata }: { fileId: string; metadata: Metadata },
  { fileIds, conditions }: ChunkFilter,
): boolean =>
  (!fileIds || fileIds.includes(fileId)) &&
  conditions.every(condition => {
    const value = Object.hasOwn(metadata, condition.key) ? metadata[condition.key] : undefined
    if (value === undefined) return false
    return (Array.isArray(value) ? value : [value]).some(one => holds(one, condition))
  })

const storedText = (value: string | boolean): string => indexedText(String(value))

/** The rows by which filters find a document. */
export const valueRows = (
  document: { workspaceId: string; knowledgeId: string; fileId: string },
  metadata: Metadata,
) =>
  Object.entries(metadata).flatMap(([key, value]) =>
    [...new Set(Array.isArray(value) ? value : [value])].map(one => ({
      ...document,
      key,
      textValue: typeof one === 'number' ? undefined : storedText(one),
      numberValue: typeof one === 'number' ? one : undefined,
    })),
  )

function compare(operator: RawSql, value: MetadataValue): Query {
  return typeof value === 'number'
    ? sql`v.number_value ${operator} ${value}`
    : sql`v.text_value ${operator} ${storedText(value)}`
}

function isIn(values: MetadataValue[]): Query {
  const texts = values.filter(value => typeof value !== 'number').map(storedText)
  const numbers = values.filter(value => typeof value === 'number')
  if (values.length === 0) return sql`1 = 0`
  if (texts.length === 0) return sql`v.number_value IN ${list(numbers)}`
  if (numbers.length === 0) return sql`v.text_value IN ${list(texts)}`
  return sql`(v.text_value IN ${list(texts)} OR v.number_value IN ${list(numbers)})`
}

function comparisonsOf(condition: FilterCondition): Query[] {
  if ('equals' in condition) return [compare(raw('='), condition.equals)]
  if ('in' in condition) return [isIn(condition.in)]
  return comparisonNames.flatMap(name => {
    const bound = condition[name]
    return bound === undefined ? [] : compare(comparisons[name].operator, bound)
  })
}

interface BaseKey {
  workspaceId: string
  knowledgeId: string
}

/** The files of a base that meet a condition. A file with several such values appears several times. */
function filesWith({ workspaceId, knowledgeId }: BaseKey, condition: FilterCondition): Query {
  const compared = comparisonsOf(condition).reduce<Query>((all, each) => sql`${all} AND ${each}`, sql``)
  return sql`
    SELECT v.file_id FROM document_values v WHERE v.workspace_id = ${workspaceId}
      AND v.knowledge_id = ${knowledgeId} AND v.key = ${condition.key}${compared}`
}

/**
 * The sources and conditions of a SELECT over batches `b`. SQLite has no statistics, so the query fixes the plan: with
 * CROSS JOIN it begins with the values of the first condition, not with all batches of the base, and the files of each
 * other condition are read once: with EXISTS, all values in a range would be read again for each document. The empty
 * text keeps it from looking up batches by these lists instead of by the first condition.
 */
export function filterSql(base: BaseKey, { fileIds, conditions }: ChunkFilter) {
  const [first] = fileIds ? [] : conditions
  const others = first ? conditions.slice(1) : conditions
  const where = others.reduce<Query>(
    (before, condition) => sql`${before} AND (b.file_id || '') IN (${filesWith(base, condition)})`,
    fileIds ? sql`AND b.file_id IN ${list(fileIds)}` : sql``,
  )
  if (!first) return { from: sql`batches b`, where }
  const from = sql`(${filesWith(base, first)}) AS matching CROSS JOIN batches b`
  return { from, where: sql`${where} AND b.file_id = matching.file_id` }
}
