import { jsonStart } from '../kernel/write-in-pieces.ts'
import { isJsonRecord, type JsonRecord, ownValue } from '../workflow/node-kind.ts'

/** A text of `data`; empty if it is missing or not a text. */
export function readText(data: JsonRecord, name: string): string {
  const value = ownValue(data, name)
  return typeof value === 'string' ? value : ''
}

export function readNumber(data: JsonRecord, name: string): number | undefined {
  const value = ownValue(data, name)
  return typeof value === 'number' ? value : undefined
}

export function readList(data: JsonRecord, name: string): readonly unknown[] {
  const value = ownValue(data, name)
  return Array.isArray(value) ? value : []
}

/** A list of objects, as the shape of the field guarantees. */
export const readObjects = (data: JsonRecord, name: string): readonly JsonRecord[] =>
  readList(data, name) as readonly JsonRecord[]

export function readRecord(data: JsonRecord, name: string): JsonRecord {
  const value = ownValue(data, name)
  return isJsonRecord(value) ? value : {}
}

/** A value as a template inserts it: text as it is, a missing value as nothing, anything else as JSON. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)

const maxQuotedLength = 80

/** A text as an error message shows it: short, and in quotes. */
export function quote(text: string): string {
  const characters = [...text.slice(0, maxQuotedLength * 2)]
  const isShort = text.length <= maxQuotedLength
  return JSON.stringify(isShort ? text : `${characters.slice(0, maxQuotedLength - 1).join('')}…`)
}

/** Any value as an error message shows it; a long one is not converted as a whole. */
export const quoteValue = (value: unknown): string =>
  value === undefined
    ? 'nothing'
    : quote(typeof value === 'string' ? value : jsonStart(value, maxQuotedLength * 2))

/** The beginning of a text. Half of a surrogate pair at the end would not be valid text. */
export const clipText = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')
