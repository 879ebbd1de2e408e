import type { Chunking } from '../../chunking.ts'
import type { Block, Place, ReadBlocks } from '../block.ts'
import { type Chunk, ChunkWriter } from './chunk.ts'
import { blockGap, blockText, rowText } from './document-text.ts'
import { type Limits, Packer } from './packer.ts'
import { type Found, type Pair, QuestionsInText, questionsInTable, writePair } from './questions.ts'
import { type Arrangement, HeadingPath, SectionBySection, SmallSectionsTogether } from './sections.ts'
import { type TableSource, tableUnit } from './table-units.ts'
import { SeparatedText, type Source, textUnit } from './text-units.ts'

/** A paragraph with less says too little by itself. */
const tinyParagraph = 30
/** No chunk is useful below this, and the longest single character must fit into it. */
const smallestSize = 16

const limitsOf = ({ strategy, size, overlap }: Chunking): Limits => {
  const bounded = Math.max(smallestSize, Math.floor(size))
  const small = strategy === 'paragraph' ? 1 : bounded / 4
  return { size: bounded, overlap: Math.min(Math.floor(overlap), Math.floor(bounded / 2)), small }
}

const placeOf = ({ page, sheet }: Block): Place => ({ page, sheet })

class Cutter {
  readonly #limits: Limits
  readonly #writer = new ChunkWriter()
  readonly #headings = new HeadingPath()
  readonly #packer: Packer
  readonly #arrangement: Arrangement
  readonly #text: SeparatedText
  readonly #questions: QuestionsInText | undefined
  #from = 0
  #sheet: string | undefined
  #headerBefore = ''

  constructor(chunking: Chunking) {
    this.#limits = limitsOf(chunking)
    const { size } = this.#limits
    this.#packer = new Packer(this.#limits, this.#writer)
    this.#text = new SeparatedText(size, chunking.separators)
    this.#questions = chunking.strategy === 'qa' ? new QuestionsInText(size) : undefined
    this.#arrangement = this.#arrange(chunking.strategy)
  }

  #arrange(strategy: Chunking['strategy']): Arrangement {
    const { size } = this.#limits
    if (strategy === 'heading') return new SectionBySection(this.#packer)
    if (strategy === 'paragraph')
      return new SectionBySection(this.#packer, Math.min(tinyParagraph, Math.floor(size / 2)))
    return new SmallSectionsTogether(this.#packer, size)
  }

  *cut(block: Block): Generator<Chunk> {
    const text = blockText(block)
    if (text === '') return
    const from = this.#from
    this.#from += text.length + blockGap.length
    const place = placeOf(block)
    yield* this.#turnTo(place.sheet)
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
    if (block.kind === 'heading') yield* this.#arrangement.heading(textUnit(source, this.#limits.size))
    else if (this.#questions) yield* this.#found(this.#questions.push(source))
    else yield* this.#plain(source)
  }

  /** Two sheets have as little to do with each other as two files, so no chunk has something of both. */
  *#turnTo(sheet: string | undefined): Generator<Chunk> {
    if (sheet === undefined || sheet === this.#sheet) return
    if (this.#sheet !== undefined) yield* this.end()
    this.#sheet = sheet
  }

  *end(): Generator<Chunk> {
    yield* this.#endText()
    yield* this.#arrangement.end()
  }

  *#endText(): Generator<Chunk> {
    if (this.#questions) yield* this.#found(this.#questions.end())
    yield* this.#endSeparated()
  }

  *#endSeparated(): Generator<Chunk> {
    for (const unit of this.#text.end()) yield* this.#arrangement.body(unit)
  }

  /** Text without a form. */
  *#plain(source: Source): Generator<Chunk> {
    if (source.kind === 'code') {
      yield* this.#endSeparated()
      yield* this.#arrangement.body(textUnit(source, this.#limits.size))
    } else for (const unit of this.#text.push(source)) yield* this.#arrangement.body(unit)
  }

  *#table(source: TableSource, text: string): Generator<Chunk> {
    const { size } = this.#limits
    const header = rowText(source.header)
    // Readers hand over a long table in parts with the same header.
    const goesOn = header !== '' && header === this.#headerBefore
    this.#headerBefore = header
    const rows = this.#questions ? questionsInTable(source, goesOn, size) : undefined
    if (!rows) return yield* this.#arrangement.body(tableUnit(source, text, size))
    for (const row of rows) {
      if ('pair' in row) yield* this.#pair(row.pair)
      else yield* this.#arrangement.body(row.unit)
    }
  }

  *#found(found: Iterable<Found>): Generator<Chunk> {
    for (const item of found) {
      if ('pair' in item) yield* this.#pair(item.pair)
      else yield* this.#plain(item.text)
    }
  }

  *#pair(pair: Pair): Generator<Chunk> {
    yield* this.#endSeparated()
    yield* this.#arrangement.end(pair.section)
    yield* writePair(pair, this.#limits.size, this.#writer)
  }
}

/**
 * Cuts a document into chunks while it is read. Each chunk's content is the document's text (see `documentText`) from
 * `from` to `to`; where a table goes on from an earlier chunk, its header stands before that. The content of a
 * question with its answer is put together of both; its place is that of the pair.
 */
export async function* chunkBlocks(blocks: ReadBlocks, chunking: Chunking): AsyncGenerator<Chunk> {
  const cutter = new Cutter(chunking)
  for await (const block of blocks) yield* cutter.cut(block)
  yield* cutter.end()
}
