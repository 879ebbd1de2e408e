import type { Chunking } from '../../chunking.ts'
import type { Block, Place, ReadBlocks } from '../block.ts'
import { type Chunk, ChunkWriter } from './chunk.ts'
import { blockGap, blockText, rowText } from './document-text.ts'
import { type Limits, Packer } from './packer.ts'
import { type Found, type Pair, QuestionsInText, questionsInTable, writePair } from './questions.ts'
import { type TableSource, tableUnit } from './table-units.ts'
import { type Section, SeparatedText, type Source, textUnit, type Unit } from './text-units.ts'

/** Longer headings are mislabelled text and would be stored with every chunk. */
const maxHeadingLength = 200
const maxHeadingLevel = 9
/** A shorter paragraph carries too little meaning on its own. */
const tinyParagraph = 30

const graphemes = new Intl.Segmenter('zh', { granularity: 'grapheme' })

const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, ' ')
  if (line.length <= maxHeadingLength) return line
  const start = line.slice(0, maxHeadingLength)
  // The slice may end inside a grapheme.
  const last = [...graphemes.segment(start)].at(-1)
  return `${start.slice(0, last?.index || maxHeadingLength).trimEnd()}…`
}

class HeadingPath {
  #levels: { level: number; text: string }[] = []
  section: Section = { path: [] }

  /** A heading closes those of its own and deeper levels. */
  enter(level: number, text: string): void {
    const bounded = Math.min(maxHeadingLevel, Math.max(1, level))
    this.#levels = this.#levels.filter(open => open.level < bounded)
    this.#levels.push({ level: bounded, text: shortened(text) })
    this.section = { path: this.#levels.map(open => open.text) }
  }
}

const isBelow = (inner: readonly string[], outer: readonly string[]): boolean =>
  inner.length > outer.length && outer.every((heading, index) => heading === inner[index])

/** Whether the heading is part of that section's path, and therefore of its chunks. */
const isInPathOf = ({ section, text }: Unit, next: Section): boolean =>
  section.path.every((heading, index) => heading === next.path[index]) && section.path.at(-1) === text.trim()

/**
 * Decides which sections and units share a chunk.
 *
 * A section starts a new chunk unless it and the open chunk are small together: many tiny sections should share a
 * chunk, while two sections of a fair size should not be mixed. The start of a section is held back until its size is
 * known. A line or two before the first subsection joins that subsection. The strategies `heading` and `paragraph`
 * join no sections, but a heading without text joins the next one.
 */
class Sections {
  readonly #packer: Packer
  readonly #strategy: Chunking['strategy']
  readonly #size: number
  /** The largest size of sections that share a chunk. */
  readonly #joinedSize: number
  #held: Unit[] = []
  #heldTokens = 0
  #holding = false

  constructor(packer: Packer, strategy: Chunking['strategy'], size: number) {
    this.#packer = packer
    this.#strategy = strategy
    this.#size = size
    this.#joinedSize = strategy === 'heading' || strategy === 'paragraph' ? 0 : size
  }

  *heading(unit: Unit): Generator<Chunk> {
    if (this.#heldBody) yield* this.#settle()
    this.#holding = true
    yield* this.#hold(unit)
  }

  *body(unit: Unit): Generator<Chunk> {
    if (this.#holding) return yield* this.#hold(unit)
    const { bodyTokens } = this.#packer
    if (this.#strategy === 'paragraph') {
      if (bodyTokens >= Math.min(tinyParagraph, Math.floor(this.#size / 2))) yield* this.#packer.flush()
      // A citation of one page is easier to follow, so a fair-sized chunk does not continue on the next page.
    } else if (this.#strategy !== 'heading' && bodyTokens * 4 >= this.#size && this.#isOnAnotherPage(unit))
      yield* this.#packer.flush(unit)
    yield* this.#packer.place(unit)
  }

  /** A unit that is larger than a chunk does not count: it also fills the open chunk. */
  #isOnAnotherPage(unit: Unit | undefined): boolean {
    const last = this.#packer.pieces.at(-1)?.place
    const open = last?.lastPage ?? last?.page
    const next = unit && unit.tokens <= this.#size ? unit.place.page : undefined
    return open !== undefined && next !== undefined && open !== next
  }

  /** Emits everything held back. Chunks of `next` hold only their own text, so the headings above them need no chunk. */
  *end(next?: Section): Generator<Chunk> {
    if (next && !this.#heldBody) this.#held = this.#held.filter(unit => !isInPathOf(unit, next))
    const trailing = !this.#heldBody && this.#packer.tokens + this.#heldTokens <= this.#size
    yield* this.#settle(trailing || this.#belongTogether())
    yield* this.#packer.flush()
  }

  get #heldBody(): boolean {
    const last = this.#held.at(-1)
    return last !== undefined && last.kind !== 'heading'
  }

  *#hold(unit: Unit): Generator<Chunk> {
    this.#held.push(unit)
    this.#heldTokens += unit.tokens
    // Headings alone decide nothing, but the number of held units has to stay bounded.
    const decides = this.#heldBody ? this.#heldTokens + this.#packer.tokens : this.#heldTokens
    if (decides * 2 > this.#joinedSize) yield* this.#settle()
  }

  *#settle(join = this.#belongTogether()): Generator<Chunk> {
    const units = this.#held
    this.#held = []
    this.#heldTokens = 0
    this.#holding = false
    if (!join) yield* this.#packer.flush()
    for (const unit of units) yield* this.#packer.place(unit)
  }

  #belongTogether(): boolean {
    const { tokens, bodyTokens, pieces } = this.#packer
    if (bodyTokens === 0) return true
    const first = this.#held[0]
    if (this.#isOnAnotherPage(first)) return false
    if ((tokens + this.#heldTokens) * 2 <= this.#joinedSize) return true
    const last = pieces.at(-1)
    return (
      tokens * 8 <= this.#joinedSize && !!first && !!last && isBelow(first.section.path, last.section.path)
    )
  }
}

/** Smaller chunks are useless, and the longest single grapheme must fit. */
const minSize = 16

const limitsOf = ({ strategy, size, overlap }: Chunking): Limits => {
  const bounded = Math.max(minSize, Math.floor(size))
  const small = strategy === 'paragraph' ? 1 : bounded / 4
  return { size: bounded, overlap: Math.min(Math.floor(overlap), Math.floor(bounded / 2)), small }
}

const placeOf = ({ page, sheet, lines }: Block): Place => ({ page, lastPage: lines?.at(-1)?.page, sheet })

class Chunker {
  readonly #limits: Limits
  readonly #writer = new ChunkWriter()
  #headings = new HeadingPath()
  /** The headings of the main text, while text apart from it is read. */
  #headingsOfText: HeadingPath | undefined
  readonly #sections: Sections
  readonly #text: SeparatedText
  readonly #questions: QuestionsInText | undefined
  #from = 0
  #sheet: string | undefined
  #headerBefore = ''

  constructor(chunking: Chunking) {
    this.#limits = limitsOf(chunking)
    const { size } = this.#limits
    this.#text = new SeparatedText(size, chunking.separators)
    this.#questions = chunking.strategy === 'qa' ? new QuestionsInText(size) : undefined
    this.#sections = new Sections(new Packer(this.#limits, this.#writer), chunking.strategy, size)
  }

  *push(block: Block): Generator<Chunk> {
    const text = blockText(block)
    if (text === '') return
    const from = this.#from
    this.#from += text.length + blockGap.length
    const place = placeOf(block)
    this.#writer.pages.add(from, block)
    yield* this.#enterSheet(place.sheet)
    yield* this.#enterApart(block.apart === true)
    if (block.kind === 'table') {
      yield* this.#endText()
      const rows = block.rows.filter(row => rowText(row) !== '')
      const { section } = this.#headings
      const source = { header: block.header ?? [], rows, from, gap: blockGap, section, place }
      yield* this.#table(source, text + blockGap)
      return
    }
    this.#headerBefore = ''
    if (block.kind === 'heading') {
      yield* this.#endText()
      this.#headings.enter(block.level, text)
    }
    const { section } = this.#headings
    const source: Source = { kind: block.kind, text: text + blockGap, from, section, place }
    if (block.kind === 'heading') yield* this.#sections.heading(textUnit(source, this.#limits.size))
    else if (this.#questions) yield* this.#emitFound(this.#questions.push(source))
    else yield* this.#plain(source)
  }

  /** Sheets are unrelated, like separate files, so no chunk spans two of them. */
  *#enterSheet(sheet: string | undefined): Generator<Chunk> {
    if (sheet === undefined || sheet === this.#sheet) return
    if (this.#sheet !== undefined) yield* this.end()
    this.#sheet = sheet
  }

  /** No chunk spans the main text and text apart from it, and neither is below a heading of the other. */
  *#enterApart(apart: boolean): Generator<Chunk> {
    if (apart === (this.#headingsOfText !== undefined)) return
    yield* this.end()
    const headings = this.#headingsOfText ?? new HeadingPath()
    this.#headingsOfText = apart ? this.#headings : undefined
    this.#headings = headings
  }

  *end(): Generator<Chunk> {
    yield* this.#endText()
    yield* this.#sections.end()
  }

  *#endText(): Generator<Chunk> {
    if (this.#questions) yield* this.#emitFound(this.#questions.end())
    yield* this.#endSeparated()
  }

  *#endSeparated(): Generator<Chunk> {
    for (const unit of this.#text.end()) yield* this.#sections.body(unit)
  }

  /** Handles text that is not part of a question and answer. */
  *#plain(source: Source): Generator<Chunk> {
    if (source.kind === 'code') {
      yield* this.#endSeparated()
      yield* this.#sections.body(textUnit(source, this.#limits.size))
    } else for (const unit of this.#text.push(source)) yield* this.#sections.body(unit)
  }

  *#table(source: TableSource, text: string): Generator<Chunk> {
    const { size } = this.#limits
    const header = rowText(source.header)
    // Readers split a long table into blocks with the same header.
    const continues = header !== '' && header === this.#headerBefore
    this.#headerBefore = header
    if (this.#questions) yield* this.#emitFound(questionsInTable(source, text, continues, size))
    else yield* this.#sections.body(tableUnit(source, text, size))
  }

  *#emitFound(found: Iterable<Found>): Generator<Chunk> {
    for (const item of found) {
      if ('pair' in item) yield* this.#pair(item.pair)
      else if ('unit' in item) yield* this.#sections.body(item.unit)
      else yield* this.#plain(item.text)
    }
  }

  *#pair(pair: Pair): Generator<Chunk> {
    yield* this.#endSeparated()
    yield* this.#sections.end(pair.section)
    yield* writePair(pair, this.#limits.size, this.#writer)
  }
}

/**
 * Splits a document into chunks while its blocks arrive. The document's text is the non-empty blocks separated by blank
 * lines, with each row of a table on a line of its own. A chunk's content is that text from `from` to `to`, preceded by
 * the table header where a table continues from an earlier chunk. The content of a question with its answer is composed
 * of both, and its range covers the pair.
 */
export async function* chunkBlocks(blocks: ReadBlocks, chunking: Chunking): AsyncGenerator<Chunk> {
  const chunker = new Chunker(chunking)
  for await (const block of blocks) yield* chunker.push(block)
  yield* chunker.end()
}
