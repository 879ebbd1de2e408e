import { limits } from '../../../contract/limits.ts'
import { countTokens } from '../../../kernel/count-tokens.ts'
import type { PageBoxes, Place } from '../block.ts'
import { DocumentFailure } from '../document-failure.ts'
import { withoutBlankStart } from './document-text.ts'
import { PageMarks } from './page-marks.ts'
import type { Piece } from './text-units.ts'

/** One passage of a document: what is searched and what an answer cites. */
export interface Chunk {
  /** Counts from 0 within the document. */
  position: number
  content: string
  /** The headings above the chunk, outermost first. */
  heading: string[]
  page?: number
  lastPage?: number
  /** Where the chunk stands on the pages of a PDF. */
  boxes?: PageBoxes[]
  sheet?: string
  /** Range in the document's text, in UTF-16 code units. */
  from: number
  to: number
  tokens: number
}

const commonPath = (one: readonly string[], other: readonly string[]): readonly string[] => {
  const differs = one.findIndex((heading, index) => heading !== other[index])
  return differs < 0 ? one : one.slice(0, differs)
}

/** The section of the body counts; headings only where the chunk holds nothing else. */
const headingOf = (pieces: Piece[]): string[] => {
  const bodies = pieces.filter(piece => piece.kind !== 'heading')
  const sections = new Set((bodies.length > 0 ? bodies : pieces).map(piece => piece.section))
  return [...[...sections].map(section => section.path).reduce(commonPath)]
}

const sheetOf = (pieces: Piece[]): Pick<Place, 'sheet'> => ({
  sheet: pieces.find(({ place }) => place.sheet !== undefined)?.place.sheet,
})

/** Length of the leading white space to drop; code keeps the indentation of its first line. */
const lengthOfStart = (text: string, kind: Piece['kind']): number =>
  text.length - (kind === 'code' ? withoutBlankStart(text) : text.trimStart()).length

interface Draft {
  pieces: Piece[]
  /** The repeated end of the previous chunk. */
  overlap?: Piece
  /** The header of a table that started in an earlier chunk. */
  header?: string
}

/** Numbers the chunks, finds their pages, and enforces the limit on their count. */
export class ChunkWriter {
  readonly pages = new PageMarks()
  #position = 0

  /** `start` is the beginning of the text that is not in the previous chunk. */
  write(
    text: Pick<Chunk, 'content' | 'heading' | 'from' | 'to'>,
    { sheet }: Pick<Place, 'sheet'>,
    start = text.from,
  ): Chunk {
    if (this.#position >= limits.documentChunks)
      throw new DocumentFailure(
        'too_large',
        `The document has more than ${limits.documentChunks} chunks. Split the file, or choose a larger chunk size.`,
      )
    const { page, lastPage, boxes } = this.pages.between(text.from, start, text.to)
    return {
      position: this.#position++,
      ...text,
      tokens: countTokens(text.content),
      ...(page !== undefined && { page, lastPage }),
      ...(boxes.length > 0 && { boxes }),
      ...(sheet !== undefined && { sheet }),
    }
  }

  /** `undefined` if there is only white space. */
  writePieces({ pieces, overlap, header }: Draft): Chunk | undefined {
    const first = overlap ?? pieces[0]
    if (!first || !pieces.some(piece => piece.tokens > 0)) return undefined
    const all = (overlap?.text ?? '') + pieces.map(piece => piece.text).join('')
    const start = lengthOfStart(all, first.kind)
    const text = all.slice(start).trimEnd()
    const content = header === undefined ? text : `${header}\n${text}`
    const from = first.from + start
    const range = { from, to: from + text.length }
    const ownStart = Math.max(from, pieces[0]!.from)
    return this.write({ content, heading: headingOf(pieces), ...range }, sheetOf(pieces), ownStart)
  }
}
