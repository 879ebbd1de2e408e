import type { Metadata } from './upload-queue.ts'

/** One line of metadata as it is typed. */
export interface MetadataRow {
  key: string
  value: string
}

type Scalar = string | number | boolean

/** `2026` is a number and `true` a truth; in quotes they are text, as is everything else. */
export function scalarOf(text: string): Scalar {
  const trimmed = text.trim()
  if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true'
  if (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(trimmed)) return Number(trimmed)
  return /^".*"$/s.test(trimmed) ? trimmed.slice(1, -1) : trimmed
}

/** What is typed to get this value back. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  if (typeof value !== 'string') return String(value)
  return scalarOf(value) === value && !value.includes(',') ? value : `"${value}"`
}

/** Parts between commas; one in quotes may hold commas of its own. */
export function partsOf(text: string): string[] {
  const parts = text.match(/"[^"]*"|[^,"]+/g) ?? []
  return parts.map(part => part.trim()).filter(part => part !== '')
}

/** Several values between commas become a list. */
export function metadataOf(rows: readonly MetadataRow[]): Metadata {
  const filled = rows.filter(({ key }) => key.trim() !== '')
  return Object.fromEntries(
    filled.map(({ key, value }) => {
      const parts = partsOf(value)
      return [key.trim(), parts.length > 1 ? parts.map(scalarOf) : scalarOf(value)]
    }),
  )
}

export const rowsOf = (metadata: Metadata): MetadataRow[] =>
  Object.entries(metadata).map(([key, value]) => ({
    key,
    // A list of one would come back as a single value; filters treat both alike.
    value: textOf(value),
  }))
