import { type Gap, isJsonRecord, type JsonRecord, ownValue } from '../workflow/node-kind.ts'

/** A text of `data`; what is missing or no text is empty. */
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

export function readRecord(data: JsonRecord, name: string): JsonRecord {
  const value = ownValue(data, name)
  return isJsonRecord(value) ? value : {}
}

/** A value as a template would insert it: a text as it is, nothing as nothing, anything else as JSON. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)

/** What to say about a number outside of its range; nothing where it is not set. */
export function numberGaps(
  data: JsonRecord,
  name: string,
  range: { from: number; to: number; whole?: boolean },
): Gap[] {
  const value = readNumber(data, name)
  const { from, to, whole = false } = range
  if (value === undefined || (value >= from && value <= to && (!whole || Number.isInteger(value)))) return []
  return [
    {
      place: [name],
      message: `Must be a ${whole ? 'whole ' : ''}number from ${from} to ${to}, but is ${value}.`,
    },
  ]
}

/** What to say about a text that is none of the known words; nothing where it is not set. */
export function choiceGaps(data: JsonRecord, name: string, choices: readonly string[]): Gap[] {
  const value = ownValue(data, name)
  if (value === undefined || choices.includes(value as string)) return []
  return [
    {
      place: [name],
      message: `Must be one of ${choices.join(', ')}, but is ${quote(readText(data, name))}.`,
    },
  ]
}

const longestQuoted = 80

/** A text as a message names it: short, and in quotes. */
export function quote(text: string): string {
  const characters = [...text.slice(0, longestQuoted * 2)]
  const isShort = text.length <= longestQuoted
  return JSON.stringify(isShort ? text : `${characters.slice(0, longestQuoted - 1).join('')}…`)
}
