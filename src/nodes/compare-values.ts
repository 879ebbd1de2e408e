import { isDeepStrictEqual } from 'node:util'
import type { LocalizedText } from '../contract/kind-operations.ts'
import { countValues } from '../kernel/count-values.ts'
import type { Pausable } from '../kernel/slices.ts'
import { parseJson } from '../tools/json-limits.ts'
import { isJsonRecord } from '../workflow/node-kind.ts'
import { stepFailed } from '../workflow/step.ts'
import { textOf } from './read-setting.ts'

/** A comparison that takes long may pause. */
type Comparison = (left: unknown, right: unknown) => boolean | Pausable<boolean>

export const comparisons: Readonly<Record<string, LocalizedText & { holds: Comparison }>> = {
  equals: { en: 'equals', zh: '等于', holds: (left, right) => equalTo(right)(left) },
  not_equals: { en: 'does not equal', zh: '不等于', holds: (left, right) => !equalTo(right)(left) },
  contains: { en: 'contains', zh: '包含', holds: contains },
  not_contains: { en: 'does not contain', zh: '不包含', holds: not(contains) },
  starts_with: { en: 'starts with', zh: '开头是', holds: withPart((text, part) => text.startsWith(part)) },
  ends_with: { en: 'ends with', zh: '结尾是', holds: withPart((text, part) => text.endsWith(part)) },
  empty: { en: 'is empty', zh: '为空', holds: isEmpty },
  not_empty: { en: 'is not empty', zh: '不为空', holds: left => !isEmpty(left) },
  gt: { en: 'is greater than', zh: '大于', holds: ordered((one, other) => one > other) },
  gte: { en: 'is at least', zh: '大于或等于', holds: ordered((one, other) => one >= other) },
  lt: { en: 'is less than', zh: '小于', holds: ordered((one, other) => one < other) },
  lte: { en: 'is at most', zh: '小于或等于', holds: ordered((one, other) => one <= other) },
  in: { en: 'is one of', zh: '是其中之一', holds: isIn },
  not_in: { en: 'is not one of', zh: '不是其中之一', holds: not(isIn) },
  all_in: { en: 'has only elements of', zh: '各项都属于', holds: allIn },
  none_in: { en: 'has no element of', zh: '各项都不属于', holds: noneIn },
  exists: { en: 'exists', zh: '存在', holds: exists },
  not_exists: { en: 'does not exist', zh: '不存在', holds: left => !exists(left) },
}

/** The limit for compared values, where texts count by their length; comparing more without a pause would take long. */
const maxComparedValues = 50_000
const comparedTextUnit = 64
/** A longer text is compared as text even if it is JSON. */
const maxTreeTextLength = 1_000_000

/** Fails for lists and objects that are too large to compare. */
export function refuseLarge(value: unknown): void {
  if (isTree(value) && countValues(value, maxComparedValues, comparedTextUnit) > maxComparedValues)
    throw stepFailed('A list or an object is too large to compare. Compare a part of it, such as one field.')
}

export const findComparison = (operator: string): Comparison | undefined =>
  Object.hasOwn(comparisons, operator) ? comparisons[operator]!.holds : undefined

/** Operators that use the left side only. */
export const unaryOperators: ReadonlySet<string> = new Set(['empty', 'not_empty', 'exists', 'not_exists'])

/**
 * Compares values for equality. Surrounding white space does not count, since models often end with a line break. Two
 * texts are compared letter by letter ("007" is not "7"), but if one side is a number the other is parsed as one. A list
 * or an object also equals its own JSON text. The forms of `value` are computed once for all comparisons.
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

/** A value that is a list or an object, or the JSON text of one; parsed from JSON, so that all prototypes are the same. */
function plainTree(value: unknown): unknown {
  const tree = typeof value === 'string' ? treeOfText(value) : value
  return isTree(tree) ? JSON.parse(JSON.stringify(tree)) : undefined
}

const isTree = (value: unknown): boolean => Array.isArray(value) || isJsonRecord(value)

/** Nothing contains an empty text: it most likely comes from an empty reference, and would match every text. */
function contains(left: unknown, right: unknown): boolean | Pausable<boolean> {
  if (Array.isArray(left)) return hasElement(left, right)
  const part = textOf(right)
  if (isJsonRecord(left)) return Object.hasOwn(left, part)
  return part !== '' && includesText(textOf(left), part)
}

function not(comparison: Comparison): Comparison {
  return function* (left, right) {
    const result = comparison(left, right)
    return !(typeof result === 'boolean' ? result : yield* result)
  }
}

function isIn(left: unknown, right: unknown): Pausable<boolean> {
  return hasElement(listOf(right), left)
}

/** Whether all elements of a list are among the others; false for an empty list. */
function* allIn(left: unknown, right: unknown): Pausable<boolean> {
  const [elements, others] = [listOf(left), listOf(right)]
  for (const element of elements) if (!(yield* hasElement(others, element))) return false
  return elements.length > 0
}

function* noneIn(left: unknown, right: unknown): Pausable<boolean> {
  const others = listOf(right)
  for (const element of listOf(left)) if (yield* hasElement(others, element)) return false
  return true
}

function* hasElement(list: readonly unknown[], value: unknown): Pausable<boolean> {
  const isEqual = equalTo(value)
  for (const element of list) {
    if (isEqual(element)) return true
    yield
  }
  return false
}

/** The limit for character comparisons of the built-in search, in its worst case. */
const maxCharacterComparisons = 20_000_000

/** The built-in search takes quadratic time for some texts, so long ones are searched by our own algorithm. */
const includesText = (text: string, part: string): boolean | Pausable<boolean> =>
  text.length * part.length <= maxCharacterComparisons ? text.includes(part) : searchText(text, part)

const charactersPerPause = 65_536

/** The algorithm of Knuth, Morris and Pratt, in linear time. */
function* searchText(text: string, part: string): Pausable<boolean> {
  if (part.length > text.length) return false
  /** For every prefix of the part, the length of the longest shorter prefix that it ends with. */
  const borders = new Int32Array(part.length)
  let matched = 0
  for (let at = 1; at < part.length; at += 1) {
    while (matched > 0 && part.charCodeAt(at) !== part.charCodeAt(matched)) matched = borders[matched - 1]!
    if (part.charCodeAt(at) === part.charCodeAt(matched)) matched += 1
    borders[at] = matched
    if (at % charactersPerPause === 0) yield
  }
  matched = 0
  for (let at = 0; at < text.length; at += 1) {
    while (matched > 0 && text.charCodeAt(at) !== part.charCodeAt(matched)) matched = borders[matched - 1]!
    if (text.charCodeAt(at) === part.charCodeAt(matched)) matched += 1
    if (matched === part.length) return true
    if (at % charactersPerPause === 0) yield
  }
  return false
}

/** Compares two texts. The right one must not be empty, as for `contains`. */
function withPart(holds: (text: string, part: string) => boolean): Comparison {
  return (left, right) => textOf(right) !== '' && holds(textOf(left), textOf(right))
}

/** The value of a skipped node or a missing field does not exist; an empty text does. */
function exists(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** Zero and false are values; blank texts and empty lists and objects are not. */
export function isEmpty(value: unknown): boolean {
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

export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  const text = typeof value === 'string' ? value.trim() : ''
  return text.length <= maxNumberLength && numberForm.test(text) ? Number(text) : undefined
}

const dateForm = /^(\d{4}-\d{2}-\d{2})([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/i

/** An ISO 8601 date or time; without an offset it is UTC, so that the result does not depend on the server. */
export function timeOf(value: unknown): number | undefined {
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

const maxListElements = 20_000

/** The elements of a list, of the JSON text of one, or of a comma-separated text. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  const text = textOf(value)
  const parsed = treeOfText(text)
  if (Array.isArray(parsed)) return parsed
  const elements = text.split(/[,，]/, maxListElements + 1)
  if (elements.length > maxListElements)
    throw stepFailed(`A comma-separated list may have at most ${maxListElements} elements; shorten the list.`)
  return elements.map(element => element.trim()).filter(element => element !== '')
}

const treeOfText = (text: string): unknown =>
  text.length <= maxTreeTextLength && /^\s*[[{]/.test(text) ? parseJson(text) : undefined
