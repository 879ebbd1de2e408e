import { countTokens } from './count-tokens.ts'
import type { Unit } from './piece.ts'
import { type Source, textUnit } from './text-unit.ts'

const escaped = (separator: string): string => separator.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** A line end or a full stop stays with what it ends; a mark such as "###" stays with what it begins. */
const endsText = (separator: string): boolean => /[\s.?!;,。！？；，、…]$/.test(separator)

function* endsAt(text: string, pattern: RegExp): Generator<number> {
  for (const match of text.matchAll(pattern)) {
    const [whole, separator = whole] = match
    const end = endsText(separator) ? match.index + whole.length : match.index
    if (end > 0) yield end
  }
}

/**
 * Takes running text apart at the separators a person has chosen, across paragraphs: what lies between two separators
 * is one unit. Without separators each paragraph is one.
 */
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

  /** `source` is a paragraph with the gap after it, so that a separator made of line ends is found there, too. */
  *push(source: Source): Generator<Unit> {
    if (!this.#pattern) return yield textUnit(source, this.#size)
    let start = 0
    for (const end of endsAt(source.text, this.#pattern)) {
      if (end > start) this.#append(source, start, end)
      yield* this.end()
      start = end
    }
    if (start < source.text.length) this.#append(source, start, source.text.length)
    // What does not fit into a chunk need not be gathered any longer.
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
