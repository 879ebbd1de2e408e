import { endOfString, longRun, nextStructural } from './json-strings.ts'
import type { Pausable } from './slices.ts'

/** Parsing this much takes about a millisecond. */
const pieceLength = 64 << 10

/** The length of an escape such as "\\u0041". */
const longestEscape = 6

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const openBrace = 0x7b
/** The distance of the character codes from "[" to "]" and from "{" to "}". */
const toClosing = 2

/** Most texts contain no number that loses digits. */
export const manyDigits = /\d{16}/
const wholeNumber = /^-?\d+$/

/** Whether the last digits of an integer changed, because it is beyond 2^53. */
export const hasLostDigits = (value: number, source = ''): boolean =>
  wholeNumber.test(source) && !Number.isSafeInteger(value)

const digitsOf = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' && hasLostDigits(value, context?.source) ? context!.source : value

/** Like JSON.parse, but an integer that would lose digits becomes a text: ids of other systems must not change. */
export const parseKeepingDigits = (json: string): unknown =>
  manyDigits.test(json) ? JSON.parse(json, digitsOf) : JSON.parse(json)

/** The number in a text, or the text itself if the number would lose digits. */
export function exactNumber(text: string): number | string {
  const [value, source] = [Number(text), text.trim()]
  return hasLostDigits(value, source) ? source : value
}

export interface ParseOptions {
  /** As in `parseKeepingDigits`. */
  keepsDigits?: boolean
}

/** The same value as JSON.parse, or a SyntaxError, but long lists, objects and strings are parsed piece by piece. */
export const parseInPieces = (text: string, { keepsDigits = false }: ParseOptions = {}): Pausable<unknown> =>
  new PieceParser(text, keepsDigits).value(0, text.length)

const notSpace = /[^ \n\r\t]/g
/** An escape sequence, or a control character, which is invalid in a string. */
const notVerbatim = /[\\\x00-\x1f]/

/** Adds members as JSON.parse does: __proto__ is a name like any other. */
function define(object: Record<string, unknown>, members: object): void {
  for (const [key, value] of Object.entries(members))
    if (key === '__proto__')
      Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
    else object[key] = value
}

type Range = readonly [start: number, end: number]

class PieceParser {
  readonly #text: string
  /** The position of the search for the end of a member, and how many lists and objects are open there. */
  #at = 0
  #depth = 0

  readonly #keepsDigits: boolean

  constructor(text: string, keepsDigits: boolean) {
    this.#text = text
    this.#keepsDigits = keepsDigits
  }

  /** The value in a part of the text, which may be surrounded by white space. */
  *value(from: number, to: number): Pausable<unknown> {
    const start = this.#skipSpace(from)
    const open = this.#text.charCodeAt(start)
    if (open === quote && to - start > pieceLength) return yield* this.#string(start, to)
    if (to - start <= pieceLength || (open !== openBracket && open !== openBrace))
      return this.#parse([start, to], '', '')
    const list: unknown[] = []
    const object: Record<string, unknown> = {}
    let end = start
    for (const found of this.#pieces(start)) {
      yield
      if (found === undefined) continue
      const [piece, isLong] = found
      end = piece[1]
      if (open === openBracket) {
        if (isLong) list.push(yield* this.value(...piece))
        else for (const each of this.#parse(piece, '[', ']') as unknown[]) list.push(each)
      } else if (isLong) define(object, yield* this.#member(piece))
      else define(object, this.#parse(piece, '{', '}') as object)
    }
    if (this.#text.charCodeAt(end) !== open + toClosing) throw this.#unexpected(end)
    const rest = this.#skipSpace(end + 1)
    if (rest < to) throw this.#unexpected(rest)
    return open === openBracket ? list : object
  }

  *#string(start: number, to: number): Pausable<string> {
    const end = endOfString(this.#text, start)
    const rest = this.#skipSpace(end + 1)
    if (rest < to) throw this.#unexpected(rest)
    const pieces: string[] = []
    // A substring takes no memory of its own, but keeps the whole text in memory.
    let isPart = end - start > this.#text.length / 2
    for (let from = start + 1; from < end; ) {
      const next = Math.min(this.#endOfEscape(from, from + pieceLength), end)
      const piece = this.#text.slice(from, next)
      const needsParsing = notVerbatim.test(piece)
      pieces.push(needsParsing ? (this.#parse([from, next], '"', '"') as string) : piece)
      isPart &&= !needsParsing
      from = next
      yield
    }
    if (end === this.#text.length) throw this.#unexpected(end)
    return isPart ? this.#text.slice(start + 1, end) : pieces.join('')
  }

  /** The position itself, or the end of the escape sequence that it would cut; `from` is not inside of one. */
  #endOfEscape(from: number, position: number): number {
    const text = this.#text
    const near = Math.max(from, position - longestEscape)
    const last = text.slice(near, position).lastIndexOf('\\')
    if (last === -1) return position
    let at = near + last
    // In a run of backslashes, every second one is itself escaped.
    let count = 1
    while (at - count >= from && text[at - count] === '\\') count++
    if (count % 2 === 0) at--
    return Math.max(position, at + (text[at + 1] === 'u' ? longestEscape : 2))
  }

  /** A member of an object with a long value. */
  *#member([from, to]: Range): Pausable<object> {
    const start = this.#skipSpace(from)
    if (this.#text.charCodeAt(start) !== quote) throw this.#unexpected(start)
    const end = endOfString(this.#text, start) + 1
    const separator = this.#skipSpace(end)
    if (this.#text.charCodeAt(separator) !== colon) throw this.#unexpected(separator)
    const key = this.#parse([start, end], '', '') as string
    return { [key]: yield* this.value(separator + 1, to) }
  }

  /**
   * The members of the list or object that opens at `start`: short ones together, each long one alone. Yields undefined
   * to pause while it looks for the end of a long one.
   */
  *#pieces(start: number): Generator<readonly [piece: Range, isLong: boolean] | undefined> {
    let from = start + 1
    for (let at = from; ; ) {
      this.#at = at
      this.#depth = 0
      while (!this.#findEnd()) yield
      const end = this.#at
      const isLast = this.#text.charCodeAt(end) !== comma
      if (end - at > pieceLength) {
        if (at > from) yield [[from, at - 1], false]
        yield [[at, end], true]
        from = end + 1
      } else if (isLast || end - from > pieceLength) {
        const isBlank = this.#skipSpace(from) >= end
        if (isBlank && (from > start + 1 || !isLast)) throw this.#unexpected(end)
        yield [[from, end], false]
        from = end + 1
      }
      if (isLast) return
      at = end + 1
    }
  }

  /** Moves on to the comma or bracket after a member, but not much further than one piece. */
  #findEnd(): boolean {
    const text = this.#text
    const until = this.#at + pieceLength
    for (let at = this.#at, last = at; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === quote) at = endOfString(text, at)
      else if (code === openBracket || code === openBrace) this.#depth++
      else if (code === comma || code === openBracket + toClosing || code === openBrace + toClosing) {
        if (this.#depth === 0) {
          this.#at = at
          return true
        }
        if (code !== comma) this.#depth--
      } else if (at - last > longRun) at = nextStructural(text, at) - 1
      else continue
      last = at
      if (at > until) {
        this.#at = at + 1
        return false
      }
    }
    throw this.#unexpected(text.length)
  }

  #parse([from, to]: Range, before: string, after: string): unknown {
    try {
      const json = before + this.#text.slice(from, to) + after
      return this.#keepsDigits ? parseKeepingDigits(json) : JSON.parse(json)
    } catch (error) {
      const { message } = error as SyntaxError
      // Turns a position in the piece into the position in the text.
      const shift = (_: string, at: string): string => `position ${Number(at) + from - before.length}`
      throw new SyntaxError(message.replace(/position (\d+).*$/s, shift))
    }
  }

  #skipSpace(from: number): number {
    notSpace.lastIndex = from
    return notSpace.test(this.#text) ? notSpace.lastIndex - 1 : this.#text.length
  }

  #unexpected(at: number): SyntaxError {
    const found = this.#text[at]
    return new SyntaxError(
      found === undefined
        ? 'Unexpected end of JSON input'
        : `Unexpected token ${JSON.stringify(found)} in JSON at position ${at}`,
    )
  }
}
