import { isDeepStrictEqual } from 'node:util'
import { parseJson } from '../tools/json-depth.ts'
import { isJsonRecord } from '../workflow/node-kind.ts'
import { textOf } from './read-setting.ts'

type Comparison = (left: unknown, right: unknown) => boolean

/** Every comparison of a condition, by its name in a graph. */
const comparisons = {
  equals: (left, right) => equalTo(right)(left),
  not_equals: (left, right) => !equalTo(right)(left),
  contains,
  not_contains: (left, right) => !contains(left, right),
  starts_with: (left, right) => textOf(right) !== '' && textOf(left).startsWith(textOf(right)),
  ends_with: (left, right) => textOf(right) !== '' && textOf(left).endsWith(textOf(right)),
  empty: isEmpty,
  not_empty: left => !isEmpty(left),
  gt: ordered((one, other) => one > other),
  gte: ordered((one, other) => one >= other),
  lt: ordered((one, other) => one < other),
  lte: ordered((one, other) => one <= other),
  in: (left, right) => listOf(right).some(equalTo(left)),
} satisfies Record<string, Comparison>

export type Operator = keyof typeof comparisons

export const operators = Object.keys(comparisons) as readonly Operator[]

export const findComparison = (operator: string): Comparison | undefined =>
  Object.hasOwn(comparisons, operator) ? comparisons[operator as Operator] : undefined

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
