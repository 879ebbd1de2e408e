import { pointerSegment } from '../../contract/finding.ts'
import { limits } from '../../contract/limits.ts'
import { invalidField } from '../../kernel/app-error.ts'
import type { Metadata, MetadataValue } from '../../knowledge/knowledge-base.ts'
import type { FilterCondition } from '../../knowledge/metadata-filter.ts'

/** Counts code points, like the schemas. The length in UTF-16 units is a cheap bound. */
const isWithin = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= max * 2 && [...text].length <= max)

const isText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

const isMetadataValue = (value: unknown): value is MetadataValue =>
  typeof value === 'boolean' ||
  // JSON allows 1e400, which no database can store.
  (typeof value === 'number' && Number.isFinite(value)) ||
  (typeof value === 'string' && isWithin(value, limits.metadataValueLength) && isText(value))

const valueDescription = `a text of at most ${limits.metadataValueLength} characters, a number or a boolean`

function checkItems(items: unknown[], pointer: string): asserts items is MetadataValue[] {
  const wrong = items.findIndex(item => !isMetadataValue(item))
  if (wrong !== -1) throw invalidField(`${pointer}/${wrong}`, `must be ${valueDescription}`)
}

/** `__proto__` is rejected, since it is dangerous for programs that read the metadata. */
function checkKey(key: string, pointer: string): void {
  if (key === '' || !isWithin(key, limits.metadataKeyLength) || !isText(key) || key === '__proto__')
    throw invalidField(
      pointer,
      `has a key that cannot be used; a key is a text of 1 to ${limits.metadataKeyLength} characters`,
    )
}

/** The metadata of a request, checked so that it can be stored and filtered. */
export function checkedMetadata(sent: Record<string, unknown>): Metadata {
  const entries = Object.entries(sent)
  if (entries.length > limits.metadataKeys)
    throw invalidField('/metadata', `must have at most ${limits.metadataKeys} keys`)
  if (entries.flatMap(([, value]) => value).length > limits.metadataValues)
    throw invalidField(
      '/metadata',
      `must have at most ${limits.metadataValues} values, those in lists included`,
    )
  for (const [key, value] of entries) {
    checkKey(key, '/metadata')
    const pointer = `/metadata/${pointerSegment(key)}`
    if (!Array.isArray(value)) {
      if (!isMetadataValue(value))
        throw invalidField(pointer, `must be ${valueDescription}, or a list of these`)
      continue
    }
    if (value.length > limits.metadataListItems)
      throw invalidField(pointer, `must have at most ${limits.metadataListItems} items`)
    checkItems(value, pointer)
  }
  return sent as Metadata
}

type Bounds = Partial<Record<'gt' | 'gte' | 'lt' | 'lte', number | string>>

const isBound = (name: string): name is keyof Bounds => ['gt', 'gte', 'lt', 'lte'].includes(name)

function listOf(value: unknown, pointer: string): MetadataValue[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > limits.filterListItems)
    throw invalidField(pointer, `must be a list of 1 to ${limits.filterListItems} values`)
  checkItems(value, pointer)
  return value
}

function boundOf(value: unknown, pointer: string): number | string {
  if (!isMetadataValue(value) || typeof value === 'boolean')
    throw invalidField(
      pointer,
      `must be a number or a text of at most ${limits.metadataValueLength} characters`,
    )
  return value
}

/** Unknown operators are rejected: ignoring one would return too much. */
function operatorConditions(key: string, operators: object, pointer: string): FilterCondition[] {
  const conditions: FilterCondition[] = []
  // One condition for all bounds: a single item of a list must satisfy them together.
  const bounds: Bounds = {}
  for (const [name, value] of Object.entries(operators)) {
    const place = `${pointer}/${pointerSegment(name)}`
    if (isBound(name)) bounds[name] = boundOf(value, place)
    else if (name === 'in') conditions.push({ key, in: listOf(value, place) })
    else if (name === 'eq') {
      if (!isMetadataValue(value)) throw invalidField(place, `must be ${valueDescription}`)
      conditions.push({ key, equals: value })
    } else throw invalidField(place, 'is not one of eq, in, gt, gte, lt, lte')
  }
  const kinds = new Set(Object.values(bounds).map(bound => typeof bound))
  if (kinds.size > 1) throw invalidField(pointer, 'must have bounds of one kind: all numbers or all texts')
  if (kinds.size === 1) conditions.push({ key, ...bounds })
  if (conditions.length === 0) throw invalidField(pointer, 'needs one of eq, in, gt, gte, lt, lte')
  return conditions
}

/** The filter of a search, as conditions that must all hold. */
export function filterConditions(filter: Record<string, unknown>): FilterCondition[] {
  const entries = Object.entries(filter)
  if (entries.length > limits.filterKeys)
    throw invalidField('/filter', `must have at most ${limits.filterKeys} keys`)
  return entries.flatMap(([key, value]): FilterCondition[] => {
    checkKey(key, '/filter')
    const pointer = `/filter/${pointerSegment(key)}`
    if (isMetadataValue(value)) return [{ key, equals: value }]
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw invalidField(
        pointer,
        `must be ${valueDescription}, or an object such as {"in": […]} or {"gt": 1}`,
      )
    return operatorConditions(key, value, pointer)
  })
}
