/** A quoted field longer than this is one whose closing quote is missing. */
const longestQuoted = 512 * 1024

/** Reads the rows of delimited text, with quotes as RFC 4180 has them, and forgives what programs do to them. */
export class CsvRows {
  readonly #text: string
  readonly #delimiter: string
  #at: number
  /** After one quote without an end, quotes are believed only within their line. */
  #quotesBroken = false
  #knownLineEnd = -1

  constructor(text: string, delimiter: string, from = 0) {
    this.#text = text
    this.#delimiter = delimiter
    this.#at = from
  }

  *[Symbol.iterator](): Generator<string[]> {
    while (this.#at < this.#text.length) {
      const row = this.#row()
      if (row.some(cell => cell !== '')) yield row
    }
  }

  #row(): string[] {
    const row: string[] = []
    for (;;) {
      row.push(this.#field().trim())
      const next = this.#text[this.#at]
      if (next === this.#delimiter) {
        this.#at++
        continue
      }
      if (next === '\r' && this.#text[this.#at + 1] === '\n') this.#at++
      this.#at++
      return row
    }
  }

  /** Leaves off at the delimiter, the line break or the end. */
  #field(): string {
    if (this.#text[this.#at] !== '"') return this.#plain()
    const close = this.#closingQuote()
    if (close < 0) return this.#plain()
    const inside = this.#text.slice(this.#at + 1, close)
    this.#at = close + 1
    const value = inside.includes('"') ? inside.replaceAll('""', '"') : inside
    // What stands after the closing quote belongs to the field all the same.
    return value + this.#plain()
  }

  #plain(): string {
    const from = this.#at
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at]
      if (character === this.#delimiter || character === '\n' || character === '\r') break
      this.#at++
    }
    return this.#text.slice(from, this.#at)
  }

  #lineEnd(): number {
    // Looked for once per line, since a line may hold a million fields.
    if (this.#knownLineEnd < this.#at) {
      const end = this.#text.indexOf('\n', this.#at)
      this.#knownLineEnd = end < 0 ? this.#text.length : end
    }
    return this.#knownLineEnd
  }

  #closingQuote(): number {
    const last = this.#quotesBroken ? this.#lineEnd() : this.#at + longestQuoted
    let close = this.#text.indexOf('"', this.#at + 1)
    while (close >= 0 && close <= last && this.#text[close + 1] === '"')
      close = this.#text.indexOf('"', close + 2)
    if (close >= 0 && close <= last) return this.#isClean(close) ? close : -1
    this.#quotesBroken = true
    return -1
  }

  /** A quote lines below, in the middle of some text, is the opening one of another field. */
  #isClean(close: number): boolean {
    const next = this.#text[close + 1]
    if (next === undefined || next === this.#delimiter || /\s/.test(next)) return true
    return close < this.#lineEnd()
  }
}
