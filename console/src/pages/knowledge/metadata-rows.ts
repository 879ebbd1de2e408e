import type { Metadata } from '../../ui/uploads/upload-queue.ts'

/** One line of metadata as it is typed. */
export interface MetadataRow {
  key: string
  value: string
  /** What the text was made from, until somebody types: it is sent back as it was. */
  untouched?: { readonly value: unknown }
}

type Scalar = string | number | boolean

/** A whole number with more digits than numbers here can hold, such as a long id, stays the text that it is. */
function isNumber(text: string): boolean {
  return (
    /^-?(0|[1-9]\d*)\.\d+$/.test(text) || (text !== '-0' && String(Number(text)) === text && /\d/.test(text))
  )
}

const quoted = /"(?:[^"\\]|\\.)*"/s
const isQuoted = (text: string): boolean => new RegExp(`^(?:${quoted.source})$`, 's').test(text)
const escaped = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`
const unescaped = (text: string): string => text.slice(1, -1).replace(/\\(["\\])/g, '$1')

/** `2026` is a number and `true` a truth; in quotes they are text, as is everything else. */
export function scalarOf(text: string): Scalar {
  const trimmed = text.trim()
  if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true'
  if (isNumber(trimmed)) return Number(trimmed)
  return isQuoted(trimmed) ? unescaped(trimmed) : trimmed
}

/** Parts between commas; one in quotes may hold commas of its own. Quotes inside of a part are nothing special. */
export function partsOf(text: string): string[] {
  const parts = text.match(new RegExp(`\\s*${quoted.source}\\s*(?=,|$)|[^,]+`, 'gs')) ?? []
  return parts.map(part => part.trim()).filter(part => part !== '')
}

/** Several values between commas are a list; so is one that a comma follows, and a comma alone is an empty one. */
export function typedValueOf(text: string): Scalar | Scalar[] {
  const parts = partsOf(text)
  const isList = parts.length > 1 || (!isQuoted(text.trim()) && /,\s*$/.test(text))
  return isList ? parts.map(scalarOf) : scalarOf(text)
}

/** What is typed to get these values back as a list. */
export const listTextOf = (values: readonly unknown[]): string => values.map(partTextOf).join(', ')

/** What is typed to get this value back. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.length > 1 ? listTextOf(value) : `${listTextOf(value)},`
  return value === '' ? '' : partTextOf(value)
}

function partTextOf(value: unknown): string {
  if (typeof value !== 'string') return String(value)
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

/** What was changed since `start`, put into what is there by now: keys that others changed stay as they are. */
export function mergeMetadata(start: Metadata, mine: Metadata, current: Metadata): Metadata {
  const merged = { ...current }
  for (const key of new Set([...Object.keys(start), ...Object.keys(mine)])) {
    if (isSame(start[key], mine[key])) continue
    if (key in mine) merged[key] = mine[key]
    else delete merged[key]
  }
  return merged
}
