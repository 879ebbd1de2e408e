import { pointerSegment } from '../../contract/finding.ts'
import { limits } from '../../contract/limits.ts'
import { invalidField } from '../../kernel/app-error.ts'
import type { MetadataValue } from '../../knowledge/knowledge-base.ts'
import type { FilterCondition } from '../../knowledge/metadata-filter.ts'
import { checkKey, isMetadataValue, valueWords } from './checked-metadata.ts'

type Bounds = Partial<Record<'gt' | 'gte' | 'lt' | 'lte', number | string>>

const isBound = (name: string): name is keyof Bounds => ['gt', 'gte', 'lt', 'lte'].includes(name)

function listOf(value: unknown, pointer: string): MetadataValue[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > limits.filterListItems)
    throw invalidField(pointer, `must be a list of 1 to ${limits.filterListItems} values`)
  const wrong = value.findIndex(item => !isMetadataValue(item))
  if (wrong !== -1) throw invalidField(`${pointer}/${wrong}`, `must be ${valueWords}`)
  return value as MetadataValue[]
}

function boundOf(value: unknown, pointer: string): number | string {
  if (!isMetadataValue(value) || typeof value === 'boolean')
    throw invalidField(
      pointer,
      `must be a number or a text of at most ${limits.metadataValueLength} characters`,
    )
  return value
}

/** An operator that nobody knows is refused: to ignore it would find more than was asked for. */
function operatorConditions(key: string, operators: object, pointer: string): FilterCondition[] {
  const conditions: FilterCondition[] = []
  // Together, so that of a list in the metadata one item has to lie between them.
  const bounds: Bounds = {}
  for (const [name, value] of Object.entries(operators)) {
    const place = `${pointer}/${pointerSegment(name)}`
    if (isBound(name)) bounds[name] = boundOf(value, place)
    else if (name === 'in') conditions.push({ key, in: listOf(value, place) })
    else if (name === 'eq') {
      if (!isMetadataValue(value)) throw invalidField(place, `must be ${valueWords}`)
      conditions.push({ key, equals: value })
    } else throw invalidField(place, 'is not one of eq, in, gt, gte, lt, lte')
  }
  const kinds = new Set(Object.values(bounds).map(bound => typeof bound))
  if (kinds.size > 1) throw invalidField(pointer, 'must have bounds of one kind: all numbers or all texts')
  if (kinds.size === 1) conditions.push({ key, ...bounds })
  if (conditions.length === 0) throw invalidField(pointer, 'needs one of eq, in, gt, gte, lt, lte')
  return conditions
}

/** The filter of a search as conditions that must all hold. */
export function filterConditions(filter: Record<string, unknown>): FilterCondition[] {
  const entries = Object.entries(filter)
  if (entries.length > limits.filterKeys)
    throw invalidField('/filter', `must have at most ${limits.filterKeys} keys`)
  return entries.flatMap(([key, value]): FilterCondition[] => {
    checkKey(key, '/filter')
    const pointer = `/filter/${pointerSegment(key)}`
    if (isMetadataValue(value)) return [{ key, equals: value }]
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw invalidField(pointer, `must be ${valueWords}, or an object such as {"in": […]} or {"gt": 1}`)
    return operatorConditions(key, value, pointer)
  })
}
