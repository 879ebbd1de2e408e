import { isRecord } from '../../kernel/is-record.ts'
import { parseKeepingDigits } from '../../kernel/parse-in-pieces.ts'
import type { JsonRecord } from '../../workflow/json-record.ts'

// Everything in a foreign file may be missing or of another type; these readers give an empty value instead.

const ownAt = (record: JsonRecord, key: string): unknown =>
  Object.hasOwn(record, key) ? record[key] : undefined

export const valueAt = (record: JsonRecord, ...keys: string[]): unknown =>
  keys.reduce<unknown>((value, key) => (isRecord(value) ? ownAt(value, key) : undefined), record)

export const recordAt = (record: JsonRecord, ...keys: string[]): JsonRecord => {
  const value = valueAt(record, ...keys)
  return isRecord(value) ? value : {}
}

export const listAt = (record: JsonRecord, ...keys: string[]): readonly unknown[] => {
  const value = valueAt(record, ...keys)
  return Array.isArray(value) ? value : []
}

export const recordsAt = (record: JsonRecord, ...keys: string[]): readonly JsonRecord[] =>
  listAt(record, ...keys).filter(isRecord)

/** YAML reads an id such as 1729851066338 as a number. */
export const asText = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? `${value}`
      : ''

export const textAt = (record: JsonRecord, ...keys: string[]): string => asText(valueAt(record, ...keys))

export const textsAt = (record: JsonRecord, ...keys: string[]): string[] =>
  listAt(record, ...keys)
    .map(asText)
    .filter(text => text !== '')

/** Exports write flags as booleans, numbers or texts. */
export const flagAt = (record: JsonRecord, ...keys: string[]): boolean =>
  [true, 1, 'true'].includes(valueAt(record, ...keys) as boolean)

export function numberAt(record: JsonRecord, ...keys: string[]): number | undefined {
  const value = valueAt(record, ...keys)
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** The beginning of a text, without half of a character at its end. */
export const clipped = (text: string, length: number): string => text.slice(0, length).toWellFormed()

/** Looks up a name of the file in a table; the name may be that of an inherited member, such as `constructor`. */
export const namedIn = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

/** The members that are set. */
export const setMembers = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined && value !== ''))

/** Converts a constant to its type; Dify writes lists and objects as JSON text. */
export function typedValue(value: unknown, type: string): unknown {
  if (typeof value !== 'string' || type === 'string') return value ?? ''
  if (value === '' && type.startsWith('array')) return []
  try {
    return parseKeepingDigits(value)
  } catch {
    return value
  }
}
