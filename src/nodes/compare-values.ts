import { isDeepStrictEqual } from 'node:util'
import type { LocalizedText } from '../contract/kind-operations.ts'
import { parseJson } from '../tools/json-depth.ts'
import { isJsonRecord } from '../workflow/node-kind.ts'
import { textOf } from './read-setting.ts'

type Comparison = (left: unknown, right: unknown) => boolean

export const comparisons: Readonly<Record<string, LocalizedText & { holds: Comparison }>> = {
  equals: { en: 'equals', zh: '等于', holds: (left, right) => equalTo(right)(left) },
  not_equals: { en: 'does not equal', zh: '不等于', holds: (left, right) => !equalTo(right)(left) },
  contains: { en: 'contains', zh: '包含', holds: contains },
  not_contains: { en: 'does not contain', zh: '不包含', holds: (left, right) => !contains(left, right) },
  starts_with: { en: 'starts with', zh: '开头是', holds: withPart((text, part) => text.startsWith(part)) },
  ends_with: { en: 'ends with', zh: '结尾是', holds: withPart((text, part) => text.endsWith(part)) },
  empty: { en: 'is empty', zh: '为空', holds: isEmpty },
  not_empty: { en: 'is not empty', zh: '不为空', holds: left => !isEmpty(left) },
  gt: { en: 'is greater than', zh: '大于', holds: ordered((one, other) => one > other) },
  gte: { en: 'is at least', zh: '大于或等于', holds: ordered((one, other) => one >= other) },
  lt: { en: 'is less than', zh: '小于', holds: ordered((one, other) => one < other) },
  lte: { en: 'is at most', zh: '小于或等于', holds: ordered((one, other) => one <= other) },
  in: { en: 'is one of', zh: '是其中之一', holds: (left, right) => listOf(right).some(equalTo(left)) },
}

export const findComparison = (operator: string): Comparison | undefined =>
  Object.hasOwn(comparisons, operator) ? comparisons[operator]!.holds : undefined

/** Operators that use the left side only. */
export const unaryOperators: ReadonlySet<string> = new Set(['empty', 'not_empty'])

/**
 * Surrounding white space does not count, since models often end with a line break. Two texts are compared letter by
 * letter ("007" is not "7"), but if one side is a number the other is parsed as one. A list or an object also equals
 * its own JSON text. The forms of the value are computed once, however many others it is compared with.
 */
function equalTo(value: unknown): (other: unknown) => boolean {
  const number = numberOf(value)
  const tree = plainTree(value)
  const text = isTree(value) ? '' : textOf(value).trim()
  return other => {
    if (number !== undefined && (typeof value === 'number' || typeof other === 'number')) {
      const otherNumber = numberOf(other)
      if (otherNumber !== undefined) return otherNumber === number
    }
    // A list or an object equals only another one, or the JSON text of one.
    if (isTree(value) || isTree(other)) return tree !== undefined && isDeepStrictEqual(tree, plainTree(other))
    return textOf(other).trim() === text
  }
}

/** The list or the object that a value is or whose JSON text it is; through JSON, so that all prototypes are the same. */
function plainTree(value: unknown): unknown {
  const tree = typeof value === 'string' ? treeOfText(value) : value
  return isTree(tree) ? JSON.parse(JSON.stringify(tree)) : undefined
}

const isTree = (value: unknown): boolean => Array.isArray(value) || isJsonRecord(value)

/**
 * A list contains its elements, an object its keys, a text its substrings. Nothing contains an empty text: it most
 * likely comes from an empty reference, and would match every text.
 */
function contains(left: unknown, right: unknown): boolean {
  if (Array.isArray(left)) return left.some(equalTo(right))
  const part = textOf(right)
  if (isJsonRecord(left)) return Object.hasOwn(left, part)
  return part !== '' && textOf(left).includes(part)
}

/** Compares two texts. The right one must not be empty, as for `contains`. */
function withPart(holds: (text: string, part: string) => boolean): Comparison {
  return (left, right) => textOf(right) !== '' && holds(textOf(left), textOf(right))
}

/** Zero and false are values; blank texts and empty lists and objects are not. */
function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  if (isJsonRecord(value)) return Object.keys(value).length === 0
  return textOf(value).trim() === ''
}

/** Numbers are compared with numbers and dates with dates; anything else has no order, so no comparison holds. */
function ordered(holds: (one: number, other: number) => boolean): Comparison {
  return (left, right) => {
    for (const read of [numberOf, timeOf]) {
      const [one, other] = [read(left), read(right)]
      if (one !== undefined && other !== undefined) return holds(one, other)
    }
    return false
  }
}

const numberForm = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i
/** The largest number has 309 digits when written out. */
const maxNumberLength = 400

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  const text = typeof value === 'string' ? value.trim() : ''
  return text.length <= maxNumberLength && numberForm.test(text) ? Number(text) : undefined
}

const dateForm = /^(\d{4}-\d{2}-\d{2})([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/i

/** An ISO 8601 date or time; without an offset it is UTC, so that the result does not depend on the server. */
function timeOf(value: unknown): number | undefined {
  const match = typeof value === 'string' ? dateForm.exec(value.trim()) : null
  if (!match) return undefined
  const [, date, clock, , , offset] = match
  const day = Date.parse(`${date}T00:00:00Z`)
  // Date.parse reads 30 February as a day in March.
  if (Number.isNaN(day) || !new Date(day).toISOString().startsWith(date!)) return undefined
  if (clock === undefined) return day
  const time = Date.parse(`${date}T${clock.slice(1)}${offset === undefined ? 'Z' : ''}`)
  return Number.isNaN(time) ? undefined : time
}

/** The elements of a list, of the JSON text of one, or of a comma-separated text. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  const text = textOf(value)
  const parsed = treeOfText(text)
  if (Array.isArray(parsed)) return parsed
  return text
    .split(/[,，]/)
    .map(element => element.trim())
    .filter(element => element !== '')
}

const treeOfText = (text: string): unknown => (/^\s*[[{]/.test(text) ? parseJson(text) : undefined)
