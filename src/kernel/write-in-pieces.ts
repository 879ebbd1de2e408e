import { countValues } from './count-values.ts'
import { inSlices, type Pausable } from './slices.ts'

/** Writing this much takes well under a millisecond. */
const pieceValues = 2000
const pieceLength = 64 << 10
const textUnit = pieceLength / pieceValues
/** Far deeper than any JSON that is accepted. Each level makes every piece below it slower. */
const maxDepth = 1000

/** Whether JSON.stringify writes a value in a few milliseconds. */
export const isShort = (value: unknown): boolean => isWithin(value, 10)

const isWithin = (value: unknown, pieces: number): boolean =>
  countValues(value, pieces * pieceValues, textUnit) <= pieces * pieceValues

/** The text of JSON.stringify for a JSON value, in pieces. */
function* jsonPieces(value: unknown, depth = 0): Generator<string> {
  if (depth > maxDepth)
    throw new RangeError(`The value contains itself, or is deeper than ${maxDepth} levels`)
  if (typeof value === 'string' && value.length > pieceLength) yield* textPieces(value)
  else if (typeof value !== 'object' || value === null || isWithin(value, 1))
    yield JSON.stringify(value) ?? 'null'
  else if (Array.isArray(value)) yield* listPieces(value, depth)
  else {
    let before = '{'
    for (const key of Object.keys(value)) {
      const inner = (value as Record<string, unknown>)[key]
      if (inner === undefined) continue
      yield `${before}${JSON.stringify(key)}:`
      yield* jsonPieces(inner, depth + 1)
      before = ','
    }
    yield before === '{' ? '{}' : '}'
  }
}

/** Writes as many elements together as make a piece; the first guess is twice the previous number. */
function* listPieces(list: readonly unknown[], depth: number): Generator<string> {
  let before = '['
  for (let at = 0, count = pieceValues; at < list.length; at += count) {
    count = Math.min(count * 2, pieceValues)
    while (count > 1 && !isWithin(list.slice(at, at + count), 1)) count = Math.ceil(count / 4)
    yield before
    if (count > 1) yield JSON.stringify(list.slice(at, at + count)).slice(1, -1)
    else yield* jsonPieces(list[at] ?? null, depth + 1)
    before = ','
  }
  yield ']'
}

function* textPieces(text: string): Generator<string> {
  yield '"'
  for (const piece of piecesOf(text, pieceLength)) yield JSON.stringify(piece).slice(1, -1)
  yield '"'
}

/** Pairs of surrogates stay together: half of one can neither be encoded nor stored. */
export function* piecesOf(text: string, length: number): Generator<string> {
  for (let at = 0, end: number; at < text.length; at = end) {
    end = at + length
    if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end += 1
    yield text.slice(at, end)
  }
}

/** The text of a JSON value; undefined if it is longer than `maxLength`. */
export function* writeInPieces(value: unknown, maxLength: number): Pausable<string | undefined> {
  const pieces: string[] = []
  let length = 0
  for (const piece of jsonPieces(value)) {
    pieces.push(piece)
    length += piece.length
    if (length > maxLength) return undefined
    yield
  }
  return pieces.join('')
}

/** The text of a JSON value, at once if it is short. */
export const writeJson = (value: unknown): string | Promise<string> =>
  isShort(value)
    ? JSON.stringify(value)
    : (inSlices(writeInPieces(value, Number.POSITIVE_INFINITY)) as string | Promise<string>)

/** The start of the text of a JSON value, not much longer than `maxLength`. */
export function jsonStart(value: unknown, maxLength: number): string {
  let start = ''
  for (const piece of jsonPieces(value)) {
    start += piece
    if (start.length > maxLength) break
  }
  return start
}
