import { DocumentFailure } from '../../document-failure.ts'

/** Numbers keep their text: 1.10 stays searchable as 1.10, and long identifiers keep all digits. */
export class JsonNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type JsonValue = string | JsonNumber | boolean | null | JsonValue[] | Map<string, JsonValue>

const maxDepth = 200
const blank = /[\s\ufeff]*/y
const number = /-?(?:\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|Infinity)|NaN/y
const word = /true|false|null/y
const plainString = /"[^"\\\u0000-\u001f]*"/y
const escapes: Record<string, string> = {
  ...{ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' },
}
const words: Record<string, boolean | null> = { true: true, false: false, null: null }

/** Parses JSON incrementally, and accepts what is common in settings: comments, trailing commas, line breaks in strings. */
export class JsonParser {
  readonly #text: string
  #at = 0
  /** The first line break in the last string with one, and the end of the string. */
  #lineBreak = { at: 0, end: -1 }

  constructor(text: string) {
    this.#text = text
  }

  /** The next significant character, or `undefined` at the end. */
  peek(): string | undefined {
    for (;;) {
      blank.lastIndex = this.#at
      blank.test(this.#text)
      this.#at = blank.lastIndex
      if (this.#text[this.#at] !== '/') return this.#text[this.#at]
      this.#comment()
    }
  }

  #comment(): void {
    const line = this.#text.startsWith('//', this.#at)
    if (!line && !this.#text.startsWith('/*', this.#at)) throw this.#broken('a value')
    const end = this.#text.indexOf(line ? '\n' : '*/', this.#at + 2)
    if (end < 0 && !line) throw this.#broken('the end of a comment')
    this.#at = end < 0 ? this.#text.length : end + (line ? 1 : 2)
  }

  /** A syntax error with its position as an editor shows it. */
  #broken(expected: string): DocumentFailure {
    const { at, end } = this.#lineBreak
    // The string before the error was not closed, and ended at the first quote of a later line.
    if (end >= 0 && this.#text.slice(end, this.#at).trim() === '') {
      this.#lineBreak.end = -1
      this.#at = at
      return this.#broken('the end of a string')
    }
    const before = this.#text.slice(0, this.#at)
    const line = before.split('\n').length
    const column = this.#at - before.lastIndexOf('\n')
    const found =
      this.#at >= this.#text.length ? 'the end of the file' : JSON.stringify(this.#text[this.#at])
    return new DocumentFailure(
      'broken_file',
      `The JSON is invalid at line ${line}, column ${column} (character ${this.#at}): expected ${expected}, found ${found}.`,
    )
  }

  #expect(character: string): void {
    if (this.peek() !== character) throw this.#broken(`"${character}"`)
    this.#at++
  }

  /** Consumes a closing bracket if it is next. */
  #ends(bracket: string): boolean {
    if (this.peek() !== bracket) return false
    this.#at++
    return true
  }

  /** Whether the next array begins with an object. */
  holdsRecords(): boolean {
    const at = this.#at
    this.#expect('[')
    const first = this.peek()
    this.#at = at
    return first === '{'
  }

  /** The indexes of the next array; the caller must read each element with `value`. */
  *elements(): Generator<number> {
    this.#expect('[')
    for (let index = 0; !this.#ends(']'); index++) {
      yield index
      if (this.#ends(']')) return
      this.#expect(',')
    }
  }

  /** The keys of the next object; the caller must read each value. */
  *keys(): Generator<string> {
    this.#expect('{')
    while (!this.#ends('}')) {
      if (this.peek() !== '"') throw this.#broken('a key in double quotes')
      const key = this.#string()
      this.#expect(':')
      yield key
      if (this.#ends('}')) return
      this.#expect(',')
    }
  }

  value(depth = 0): JsonValue {
    const next = this.peek()
    if (depth > maxDepth)
      throw new DocumentFailure('too_complex', `The JSON is nested more than ${maxDepth} levels deep.`)
    if (next === '"') return this.#string()
    if (next === '[') {
      const array: JsonValue[] = []
      for (const _ of this.elements()) array.push(this.value(depth + 1))
      return array
    }
    if (next === '{') {
      const object = new Map<string, JsonValue>()
      for (const key of this.keys()) object.set(key, this.value(depth + 1))
      return object
    }
    return this.#scalar()
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  #scalar(): JsonValue {
    const digits = this.#match(number)
    if (digits !== undefined) return new JsonNumber(digits)
    const found = this.#match(word)
    if (found === undefined) throw this.#broken('a value')
    return words[found]!
  }

  #string(): string {
    const plain = this.#match(plainString)
    if (plain !== undefined) return plain.slice(1, -1)
    const pieces: string[] = []
    let lineBreak = -1
    let from = ++this.#at
    for (;;) {
      const character = this.#text[this.#at]
      if (character === '\n' && lineBreak < 0) lineBreak = this.#at
      if (lineBreak >= 0 && (character === undefined || character === '"'))
        this.#lineBreak = { at: lineBreak, end: this.#at + (character ? 1 : 0) }
      if (character === undefined) throw this.#broken('the end of a string')
      if (character === '"' || character === '\\') pieces.push(this.#text.slice(from, this.#at))
      this.#at++
      if (character === '"') return pieces.join('')
      if (character !== '\\') continue
      pieces.push(this.#escape())
      from = this.#at
    }
  }

  #escape(): string {
    const character = this.#text[this.#at] ?? ''
    const code =
      character === 'u' ? /^[\da-fA-F]{4}$/.exec(this.#text.slice(this.#at + 1, this.#at + 5)) : null
    if (!code && !Object.hasOwn(escapes, character)) throw this.#broken('an escape such as \\n')
    this.#at += code ? 5 : 1
    return code ? String.fromCharCode(Number.parseInt(code[0], 16)) : escapes[character]!
  }
}
