/** First characters that make a spreadsheet evaluate a cell as a formula. */
const formulaStart = /^[=+\-@\t\r]/
const guarded = /^'(?=[=+\-@\t\r])/

/** A cell that a spreadsheet shows as text and never evaluates, quoted as RFC 4180 asks. */
function csvCell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = formulaStart.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const csvRow = (cells: readonly (string | number)[]): string => `${cells.map(csvCell).join(',')}\r\n`

const delimiters = [',', ';', '\t'] as const

/** The delimiter that splits the header into the most names. */
function delimiterOf(text: string): string {
  const header = /^[^\r\n]*/.exec(text)![0]
  const count = (delimiter: string): number => header.split(delimiter).length
  return [...delimiters].sort((left, right) => count(right) - count(left))[0]!
}

/** A longer quoted field is taken for one without a closing quote. */
const maxQuotedLength = 512 * 1024
/** The limit of spreadsheet programs. A longer row continues as another row, so that no block takes seconds. */
const maxColumns = 16_384

interface CsvRow {
  /** Number of its first line. */
  line: number
  cells: string[]
}

/** Parses delimited text with RFC 4180 quoting and tolerates the deviations that programs produce. */
export class CsvRows {
  readonly #text: string
  readonly #delimiter: string
  #at: number
  #line = 1
  /** After one unclosed quote, quotes must close on the same line. */
  #quotesBroken = false
  #knownLineEnd = -1

  constructor(text: string, delimiter: string, from = 0) {
    this.#text = text
    this.#delimiter = delimiter
    this.#at = from
  }

  *[Symbol.iterator](): Generator<CsvRow> {
    while (this.#at < this.#text.length) yield { line: this.#line, cells: this.#row() }
  }

  #row(): string[] {
    const row = [this.#field()]
    while (this.#text[this.#at] === this.#delimiter) {
      this.#at++
      if (row.length === maxColumns) return row
      row.push(this.#field())
    }
    this.#at += this.#text.startsWith('\r\n', this.#at) ? 2 : 1
    this.#line++
    return row
  }

  /** Reads a field up to the delimiter, the line break or the end. */
  #field(): string {
    if (this.#text[this.#at] !== '"') return this.#plain()
    const close = this.#closingQuote()
    if (close < 0) return this.#plain()
    const inside = this.#text.slice(this.#at + 1, close)
    this.#at = close + 1
    if (inside.includes('\n')) this.#line += inside.split('\n').length - 1
    const value = inside.includes('"') ? inside.replaceAll('""', '"') : inside
    // Text after the closing quote still belongs to the field.
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
    // The line end is searched once per line, because a line may have a million fields.
    if (this.#knownLineEnd < this.#at) {
      const end = this.#text.indexOf('\n', this.#at)
      this.#knownLineEnd = end < 0 ? this.#text.length : end
    }
    return this.#knownLineEnd
  }

  #closingQuote(): number {
    const last = this.#quotesBroken ? this.#lineEnd() : this.#at + maxQuotedLength
    let close = this.#text.indexOf('"', this.#at + 1)
    while (close >= 0 && close <= last && this.#text[close + 1] === '"')
      close = this.#text.indexOf('"', close + 2)
    if (close >= 0 && close <= last) return this.#isClean(close) ? close : -1
    this.#quotesBroken = true
    return -1
  }

  /** A quote on a later line in the middle of text opens another field. */
  #isClean(close: number): boolean {
    const next = this.#text[close + 1]
    if (next === undefined || next === this.#delimiter || /\s/.test(next)) return true
    return close < this.#lineEnd()
  }
}

/** The records of delimited text without blank ones. The apostrophe before a formula is removed again. */
export function* parseCsv(content: string): Generator<CsvRow> {
  const text = content.replace(/^\ufeff/, '')
  for (const { line, cells } of new CsvRows(text, delimiterOf(text)))
    if (cells.some(cell => cell.trim() !== ''))
      yield { line, cells: cells.map(cell => cell.replace(guarded, '')) }
}
