import type { Line } from './page-lines.ts'
import { RunningLines } from './running-lines.ts'

const clearlyLarger = 1.15
const maxHeadingLength = 160
const maxLevel = 6

const rounded = (size: number): number => Math.round(size * 2) / 2

const addTo = <Key>(counts: Map<Key, number>, key: Key, count = 1): void => {
  counts.set(key, (counts.get(key) ?? 0) + count)
}

const mostOf = <Key extends number | string>(counts: Map<Key, number>, otherwise: Key): Key => {
  let best = otherwise
  let most = 0
  for (const [value, count] of counts)
    if (count > most || (count === most && value < best)) {
      best = value
      most = count
    }
  return best
}

const isTitleText = (text: string): boolean =>
  text.length <= maxHeadingLength && /\p{L}/u.test(text) && !/[,，;；、。]$/.test(text)

const maxHyphenated = 20_000
const hyphenatedWord = /\p{L}{2,}-\p{L}{2,}/gu

/** Titles compare without their numbers and spaces. */
const titleKey = (text: string): string =>
  text
    .toLowerCase()
    .replace(/^(?:chapter|section|appendix|part)?\s*[\d.ivx]*[.:)\s]+/u, '')
    .replace(/\s+/g, '')

export interface OutlineEntry {
  title: string
  /** The level in the outline, from 1. */
  depth: number
}

/** Facts from the pages read so far. Reading is ahead of writing, so that they are known by then. */
export class DocumentFacts {
  readonly #characters = new Map<number, number>()
  readonly #fonts = new Map<string, number>()
  readonly #titleSizes = new Set<number>()
  readonly #spacings = new Map<number, number>()
  readonly #running = new RunningLines()
  readonly #outline = new Map<string, number>()
  readonly #hyphenated = new Set<string>()
  /** Whether the document writes a word with its hyphen, for words that were looked up. */
  readonly #keepsHyphen = new Map<string, boolean>()
  readonly #ahead: Line[][] = []
  #linesAhead = 0
  #levels: Map<number, number> | undefined
  #body = 0
  #spacing = 1.2

  constructor(outline: OutlineEntry[] = []) {
    for (const { title, depth } of outline) {
      const key = titleKey(title)
      if (key.length > 1 && !this.#outline.has(key)) this.#outline.set(key, depth)
    }
  }

  get ahead(): readonly Line[][] {
    return this.#ahead
  }

  /** The font of most characters. */
  get bodyFont(): string {
    return mostOf(this.#fonts, '')
  }

  /** Whether headings show by their font size, or are in the outline. */
  get hasHeadings(): boolean {
    return this.#settle().size > 0 || this.#outline.size > 0
  }

  /** Running text or a heading of the same size. */
  mayBeHeading({ size, text }: Line): boolean {
    this.#settle()
    return size >= this.#body * 0.95 && isTitleText(text)
  }

  /** Pages that were learnt but not yet taken. */
  get pagesAhead(): number {
    return this.#ahead.length
  }

  get linesAhead(): number {
    return this.#linesAhead
  }

  learn(lines: Line[]): void {
    this.#ahead.push(lines)
    this.#linesAhead += lines.length
    this.#levels = undefined
    this.#running.learn(lines)
    for (const [index, line] of lines.entries()) {
      const { size, text } = line
      addTo(this.#characters, rounded(size), text.length)
      addTo(this.#fonts, line.font, text.length)
      if (line.cells.length === 1 && !line.rotated && isTitleText(text)) this.#titleSizes.add(rounded(size))
      if (text.includes('-')) this.#learnHyphens(text)
      const before = lines[index - 1]
      if (before?.region !== line.region || Math.abs(before.size - size) > 0.5) continue
      const spacing = Math.round(((line.y - before.y) / size) * 20) / 20
      if (spacing > 0.8 && spacing < 3) addTo(this.#spacings, spacing)
    }
  }

  /** The next page, without running titles and page numbers. */
  take(): Line[] {
    const lines = this.#ahead.shift() ?? []
    this.#linesAhead -= lines.length
    const kept = lines.filter(line => !this.#running.has(line))
    // A document of forms may consist only of such lines.
    return kept.length > 0 || lines.every(line => /^\W*\d*\W*$/.test(line.text)) ? kept : lines
  }

  #learnHyphens(text: string): void {
    for (const [word] of text.matchAll(hyphenatedWord))
      if (this.#hyphenated.size < maxHyphenated) this.#hyphenated.add(word.toLowerCase())
  }

  #settle(): Map<number, number> {
    if (this.#levels) return this.#levels
    this.#body = mostOf(this.#characters, 0)
    this.#spacing = mostOf(this.#spacings, 1.2)
    const sizes = [...this.#titleSizes].filter(size => size >= this.#body * clearlyLarger)
    this.#levels = new Map(
      sizes.sort((one, other) => other - one).map((size, index) => [size, Math.min(index + 1, maxLevel)]),
    )
    return this.#levels
  }

  /** The most common line spacing within a column, relative to the font size. */
  get spacing(): number {
    this.#settle()
    return this.#spacing
  }

  /** The level of a heading, by its size; titles of the outline and lines in bold are below. Else undefined. */
  levelOf(line: Line, isBold: boolean): number | undefined {
    const levels = this.#settle()
    if (line.cells.length > 1 || !isTitleText(line.text)) return undefined
    if (line.size >= this.#body * clearlyLarger) return levels.get(rounded(line.size))
    if (line.rotated || line.size < this.#body * 0.95) return undefined
    const depth = this.#outline.size > 0 ? this.#outline.get(titleKey(line.text)) : undefined
    const below = levels.size + 1
    if (depth !== undefined) return Math.min(Math.max(below, depth), maxLevel)
    return isBold ? Math.min(below, maxLevel) : undefined
  }

  /** Whether a hyphen at the end of a line belongs to the word: elsewhere the word is always written with it. */
  keepsHyphen(start: string, end: string): boolean {
    const before = /\p{L}+$/u.exec(start)?.[0] ?? ''
    const after = /^\p{L}+/u.exec(end)?.[0] ?? ''
    const word = `${before}-${after}`.toLowerCase()
    if (!this.#hyphenated.has(word)) return false
    const known = this.#keepsHyphen.get(word)
    if (known !== undefined) return known
    const joined = before.toLowerCase() + after.toLowerCase()
    const isSeen = this.#ahead.some(lines => lines.some(({ text }) => text.toLowerCase().includes(joined)))
    this.#keepsHyphen.set(word, !isSeen)
    return !isSeen
  }
}
