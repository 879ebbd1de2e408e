import type { Metadata, MetadataValue } from './knowledge-base.ts'

/** A condition on one metadata key of a document. */
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

function isOrdered(value: MetadataValue, condition: Extract<FilterCondition, { gt?: unknown }>): boolean {
  const compares = (bound: number | string | undefined, holds: (order: number) => boolean): boolean => {
    if (bound === undefined) return true
    if ((typeof value === 'number') !== (typeof bound === 'number')) return false
    const comparable = typeof value === 'boolean' ? String(value) : value
    return holds(comparable < bound ? -1 : comparable > bound ? 1 : 0)
  }
  return (
    compares(condition.gt, order => order > 0) &&
    compares(condition.lt, order => order < 0) &&
    compares(condition.gte, order => order >= 0) &&
    compares(condition.lte, order => order <= 0)
  )
}

function holds(value: MetadataValue, condition: FilterCondition): boolean {
  if ('equals' in condition) return isSame(value, condition.equals)
  if ('in' in condition) return condition.in.some(wanted => isSame(value, wanted))
  return isOrdered(value, condition)
}

export const matchesConditions = (metadata: Metadata, conditions: FilterCondition[]): boolean =>
  conditions.every(condition => {
    const value = Object.hasOwn(metadata, condition.key) ? metadata[condition.key] : undefined
    if (value === undefined) return false
    return (Array.isArray(value) ? value : [value]).some(one => holds(one, condition))
  })

/** Applies a filter to a chunk, with the same result as `ChunkStore.batchesOf`. */
export const matchesFilter = (
  chunk: { fileId: string; metadata: Metadata },
  { fileIds, conditions }: ChunkFilter,
): boolean => (!fileIds || fileIds.includes(chunk.fileId)) && matchesConditions(chunk.metadata, conditions)
