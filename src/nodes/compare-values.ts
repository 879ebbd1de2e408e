import { isDeepStrictEqual } from 'node:util'
import { isTooDeep } from '../tools/json-depth.ts'
import { isJsonRecord } from '../workflow/node-kind.ts'
import { textOf } from './read-setting.ts'

type Comparison = (left: unknown, right: unknown) => boolean

/** Every comparison of a condition, by its name in a graph. */
const comparisons = {
  equals: isEqual,
  not_equals: (left, right) => !isEqual(left, right),
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
  in: (left, right) => hasEqual(listOf(right), left),
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
 * its own JSON text.
 */
function isEqual(left: unknown, right: unknown): boolean {
  return areEqual(new Side(left), new Side(right))
}

function hasEqual(elements: readonly unknown[], value: unknown): boolean {
  const side = new Side(value)
  return elements.some(element => areEqual(new Side(element), side))
}

function areEqual(left: Side, right: Side): boolean {
  if (typeof left.value === 'number' || typeof right.value === 'number')
    if (left.number !== undefined && right.number !== undefined) return left.number === right.number
  // A list or an object equals only another one, or the JSON text of one.
  if (isTree(left.value) || isTree(right.value))
    return left.tree !== undefined && right.tree !== undefined && isDeepStrictEqual(left.tree, right.tree)
  return left.text === right.text
}

/** One side of a comparison. Its forms are computed once, however many elements it is compared with. */
class Side {
  readonly value: unknown
  #text: string | undefined
  #number: { value: number | undefined } | undefined
  #tree: { value: unknown } | undefined

  constructor(value: unknown) {
    this.value = value
  }

  get text(): string {
    this.#text ??= textOf(this.value).trim()
    return this.#text
  }

  get number(): number | undefined {
    this.#number ??= { value: numberOf(this.value) }
    return this.#number.value
  }

  /** The list or the object that it is, or whose JSON text it is. */
  get tree(): unknown {
    this.#tree ??= { value: plainTree(this.value) }
    return this.#tree.value
  }
}

/** Through JSON, so that all objects have the same prototype. */
function plainTree(value: unknown): unknown {
  const tree = typeof value === 'string' ? parseJson(value) : value
  return isTree(tree) ? JSON.parse(JSON.stringify(tree)) : undefined
}

const isTree = (value: unknown): boolean => Array.isArray(value) || isJsonRecord(value)

/**
 * A list contains its elements, an object its keys, a text its substrings. Nothing contains an empty text: it most
 * likely comes from an empty reference, and would match every text.
 */
function contains(left: unknown, right: unknown): boolean {
  if (Array.isArray(left)) return hasEqual(left, right)
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
  const parsed = parseJson(text)
  if (Array.isArray(parsed)) return parsed
  return text
    .split(/[,，]/)
    .map(element => element.trim())
    .filter(element => element !== '')
}

function parseJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || isTooDeep(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
