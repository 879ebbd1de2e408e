import { countTokens } from '../../../kernel/count-tokens.ts'
import type { Block, Place } from '../block.ts'
import { sentencesWithin, splitAfter, splitToFit } from './split-text.ts'

/** The text from one heading to the next. Two sections are the same only if they are the same object. */
export interface Section {
  readonly path: readonly string[]
}

/** The header that a chunk repeats when a table continues from an earlier chunk. */
export interface TableHeader {
  text: string
  tokens: number
}

/** A part of a chunk. Pieces are contiguous: the white space after a piece, also between blocks, belongs to its text. */
export interface Piece {
  kind: Block['kind']
  text: string
  tokens: number
  from: number
  section: Section
  place: Place
  header?: TableHeader
  hasHeader?: boolean
}

/** A paragraph, a table or a block of code, which should stay together. */
export interface Unit extends Piece {
  /** Pieces that each fit into a chunk, for a unit with more tokens than that. */
  split(): Iterable<Piece>
}

/** A text with its trailing separator and its position. */
export type Source = Omit<Piece, 'tokens' | 'header' | 'hasHeader'>

function* piecesOf(source: Source, texts: Iterable<string>): Generator<Piece> {
  let from = source.from
  for (const text of texts) {
    yield { ...source, text, from, tokens: countTokens(text) }
    from += text.length
  }
}

const blankLine = /\n\s*\n/g

/** Code split at blank lines; indentation stays with its line. */
function* codeParts(text: string, size: number): Generator<string> {
  for (const part of splitAfter(text, blankLine)) yield* splitToFit(part, size)
}

export const textUnit = (source: Source, size: number): Unit => {
  const parts = source.kind === 'code' ? codeParts : sentencesWithin
  return {
    ...source,
    tokens: countTokens(source.text),
    split: () => piecesOf(source, parts(source.text, size)),
  }
}

const escaped = (separator: string): string => separator.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** A line break or full stop ends the text before it; a marker such as "###" starts the text after it. */
const endsText = (separator: string): boolean => /[\s.?!;,。！？；，、…]$/.test(separator)

function* endsAt(text: string, pattern: RegExp): Generator<number> {
  for (const match of text.matchAll(pattern)) {
    const [whole, separator = whole] = match
    const end = endsText(separator) ? match.index + whole.length : match.index
    if (end > 0) yield end
  }
}

/** Splits running text at the configured separators, across paragraphs. Without separators each paragraph is a unit. */
export class SeparatedText {
  readonly #size: number
  readonly #pattern: RegExp | undefined
  #open: Source | undefined
  #openTokens = 0

  constructor(size: number, separators: string[] = []) {
    this.#size = size
    const known = separators.filter(separator => separator !== '').sort((a, b) => b.length - a.length)
    if (known.length > 0) this.#pattern = new RegExp(`(${known.map(escaped).join('|')})\\s*`, 'g')
  }

  /** `source` includes the trailing blank line, so that a separator of line breaks is found there too. */
  *push(source: Source): Generator<Unit> {
    if (!this.#pattern) return yield textUnit(source, this.#size)
    let start = 0
    for (const end of endsAt(source.text, this.#pattern)) {
      if (end > start) this.#append(source, start, end)
      yield* this.end()
      start = end
    }
    if (start < source.text.length) this.#append(source, start, source.text.length)
    // Text that exceeds a chunk need not be collected further.
    if (this.#openTokens > this.#size) yield* this.end()
  }

  *end(): Generator<Unit> {
    const open = this.#open
    this.#open = undefined
    this.#openTokens = 0
    if (open) yield textUnit(open, this.#size)
  }

  #append(source: Source, start: number, end: number): void {
    const text = source.text.slice(start, end)
    this.#openTokens += countTokens(text)
    if (this.#open) this.#open = { ...this.#open, text: this.#open.text + text }
    else this.#open = { ...source, text, from: source.from + start }
  }
}
