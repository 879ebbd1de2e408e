import type { Metadata } from '../../ui/uploads/upload-queue.ts'

/** One row of metadata as it is typed. */
export interface MetadataRow {
  key: string
  value: string
  /** The original value, until the text is edited: it is sent back unchanged. */
  untouched?: { readonly value: unknown }
}

type Scalar = string | number | boolean

/** An integer with too many digits for a double, such as a long id, stays text. */
function isNumber(text: string): boolean {
  return (
    /^-?(0|[1-9]\d*)\.\d+$/.test(text) || (text !== '-0' && String(Number(text)) === text && /\d/.test(text))
  )
}

const quoted = /"(?:[^"\\]|\\.)*"/s
const isQuoted = (text: string): boolean => new RegExp(`^(?:${quoted.source})$`, 's').test(text)
const escaped = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`
const unescaped = (text: string): string => text.slice(1, -1).replace(/\\(["\\])/g, '$1')

/** `2026` is a number and `true` a boolean; in quotes they are text, like everything else. */
export function scalarOf(text: string): Scalar {
  const trimmed = text.trim()
  if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true'
  if (isNumber(trimmed)) return Number(trimmed)
  return isQuoted(trimmed) ? unescaped(trimmed) : trimmed
}

/** Splits at commas; a quoted part may contain commas. Quotes inside of a part are literal. */
export function partsOf(text: string): string[] {
  const parts = text.match(new RegExp(`\\s*${quoted.source}\\s*(?=,|$)|[^,]+`, 'gs')) ?? []
  return parts.map(part => part.trim()).filter(part => part !== '')
}

/** Values separated by commas are a list; a trailing comma makes a list of one, and a comma alone an empty list. */
export function typedValueOf(text: string): Scalar | Scalar[] {
  const parts = partsOf(text)
  const isList = parts.length > 1 || (!isQuoted(text.trim()) && /,\s*$/.test(text))
  return isList ? parts.map(scalarOf) : scalarOf(text)
}

/** The text that parses to these values as a list. */
export const listTextOf = (values: readonly unknown[]): string => values.map(partTextOf).join(', ')

/** The text that parses to this value. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.length > 1 ? listTextOf(value) : `${listTextOf(value)},`
  return value === '' ? '' : partTextOf(value)
}

function partTextOf(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? ''
  const isPlain = value !== '' && !value.includes(',') && scalarOf(value) === value
  return isPlain ? value : escaped(value)
}

export function metadataOf(rows: readonly MetadataRow[]): Metadata {
  const filled = rows.filter(({ key }) => key.trim() !== '')
  return Object.fromEntries(
    filled.map(({ key, value, untouched }) => [
      key.trim(),
      untouched ? untouched.value : typedValueOf(value),
    ]),
  )
}

export const rowsOf = (metadata: Metadata): MetadataRow[] =>
  Object.entries(metadata).map(([key, value]) => ({ key, value: textOf(value), untouched: { value } }))

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Applies the changes since `start` to the current metadata: keys that others changed are kept. */
export function mergeMetadata(start: Metadata, mine: Metadata, current: Metadata): Metadata {
  const before = new Map(Object.entries(start))
  const after = new Map(Object.entries(mine))
  const merged = new Map(Object.entries(current))
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    if (isSame(before.get(key), after.get(key))) continue
    if (after.has(key)) merged.set(key, after.get(key))
    else merged.delete(key)
  }
  return Object.fromEntries(merged)
}
