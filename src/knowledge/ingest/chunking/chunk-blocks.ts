import type { Chunking } from '../../chunking.ts'
import type { Block, Place, ReadBlocks } from '../block.ts'
import { type Chunk, ChunkWriter } from './chunk.ts'
import { blockGap, blockText, rowText } from './document-text.ts'
import { type Limits, Packer } from './packer.ts'
import { type Found, type Pair, QuestionsInText, questionsInTable, writePair } from './questions.ts'
import { HeadingPath, Sections } from './sections.ts'
import { type TableSource, tableUnit } from './table-units.ts'
import { SeparatedText, type Source, textUnit } from './text-units.ts'

/** Smaller chunks are useless, and the longest single grapheme must fit. */
const minSize = 16

const limitsOf = ({ strategy, size, overlap }: Chunking): Limits => {
  const bounded = Math.max(minSize, Math.floor(size))
  const small = strategy === 'paragraph' ? 1 : bounded / 4
  return { size: bounded, overlap: Math.min(Math.floor(overlap), Math.floor(bounded / 2)), small }
}

const placeOf = ({ page, sheet }: Block): Place => ({ page, sheet })

class Chunker {
  readonly #limits: Limits
  readonly #writer = new ChunkWriter()
  readonly #headings = new HeadingPath()
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
    yield* this.#enterSheet(place.sheet)
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

  /** Text that is not part of a question and answer. */
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
