import type { Place } from '../block.ts'
import { DocumentFailure } from '../document-failure.ts'
import { countTokens } from './count-tokens.ts'
import type { Piece, Section } from './text-units.ts'

/** One passage of a document: what is searched and what an answer cites. */
export interface Chunk {
  /** Counts from 0 within the document. */
  position: number
  content: string
  /** The headings above it, outermost first. */
  heading: string[]
  page?: number
  sheet?: string
  /** Range in the document's text, in UTF-16 code units. */
  from: number
  to: number
  /** By `countTokens`. */
  tokens: number
}

const maxChunks = 200_000

const commonPath = (sections: Section[]): string[] => {
  const [first, ...others] = sections
  let path = [...(first?.path ?? [])]
  for (const { path: other } of others) {
    const differs = path.findIndex((heading, index) => heading !== other[index])
    if (differs >= 0) path = path.slice(0, differs)
  }
  return path
}

/** The section of the body counts; headings only where the chunk holds nothing else. */
const headingOf = (pieces: Piece[]): string[] => {
  const bodies = pieces.filter(piece => piece.kind !== 'heading')
  return commonPath([...new Set((bodies.length > 0 ? bodies : pieces).map(piece => piece.section))])
}

/** The place of the first piece that has one. */
const placeOf = (pieces: Piece[]): Place => ({
  page: pieces.find(({ place }) => place.page !== undefined)?.place.page,
  sheet: pieces.find(({ place }) => place.sheet !== undefined)?.place.sheet,
})

const leadingBlankLines = /^(?:[^\S\n]*\n)+/

/** Length of the leading white space to drop; code keeps the indentation of its first line. */
const lengthOfStart = (text: string, kind: Piece['kind']): number =>
  kind === 'code' ? (leadingBlankLines.exec(text)?.[0].length ?? 0) : text.length - text.trimStart().length

interface Draft {
  pieces: Piece[]
  /** The repeated end of the previous chunk. */
  overlap?: Piece
  /** The header of a table that started in an earlier chunk. */
  header?: string
}

/** Numbers the chunks and enforces the limit on their count. */
export class ChunkWriter {
  #position = 0

  write({
    content,
    heading,
    from,
    to,
    place,
  }: Pick<Chunk, 'content' | 'heading' | 'from' | 'to'> & Pick<Piece, 'place'>): Chunk {
    if (this.#position >= maxChunks)
      throw new DocumentFailure(
        'too_large',
        `The document has more than ${maxChunks} chunks. Split the file, or choose a larger chunk size.`,
      )
    const chunk: Chunk = {
      position: this.#position++,
      content,
      heading,
      from,
      to,
      tokens: countTokens(content),
    }
    if (place.page !== undefined) chunk.page = place.page
    if (place.sheet !== undefined) chunk.sheet = place.sheet
    return chunk
  }

  /** `undefined` if there is only white space. */
  writePieces({ pieces, overlap, header }: Draft): Chunk | undefined {
    const first = overlap ?? pieces[0]
    if (!first || !pieces.some(piece => piece.tokens > 0)) return undefined
    const all = (overlap?.text ?? '') + pieces.map(piece => piece.text).join('')
    const start = lengthOfStart(all, first.kind)
    const text = all.slice(start).trimEnd()
    return this.write({
      content: header === undefined ? text : `${header}\n${text}`,
      heading: headingOf(pieces),
      from: first.from + start,
      to: first.from + start + text.length,
      place: placeOf(pieces),
    })
  }
}
