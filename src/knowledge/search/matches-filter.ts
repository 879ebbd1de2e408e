import type { ChunkFilter, FilterCondition, FoundChunk } from '../chunk-store.ts'
import type { Metadata, MetadataValue } from '../knowledge-base.ts'

/** As the database compares: numbers with numbers, everything else as text. */
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

/** What a filter means, for a chunk that was found already. `batchesOf` of the store means the same. */
export const matchesFilter = (chunk: FoundChunk, { fileIds, conditions }: ChunkFilter): boolean =>
  (!fileIds || fileIds.includes(chunk.fileId)) && matchesConditions(chunk.metadata, conditions)
