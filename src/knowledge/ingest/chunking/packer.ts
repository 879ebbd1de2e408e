import { countTokens } from '../../../kernel/count-tokens.ts'
import type { Chunk, ChunkWriter } from './chunk.ts'
import { splitSentences } from './split-text.ts'
import type { Piece, Unit } from './text-units.ts'

/**
 * The last sentences of a chunk, at most `budget` tokens, which the next chunk repeats. Only running text overlaps;
 * tables, code and text before a heading do not. The first sentence is never taken, so no chunk is repeated whole.
 */
const overlapTail = (pieces: Piece[], next: Piece, budget: number): Piece | undefined => {
  if (next.kind !== 'paragraph') return undefined
  let tail: Piece | undefined
  let tokens = 0
  const start = pieces[0]?.from ?? 0
  for (const piece of pieces.toReversed()) {
    if (piece.kind !== 'paragraph') return tail
    let from = piece.from + piece.text.length
    for (const sentence of [...splitSentences(piece.text)].reverse()) {
      from -= sentence.length
      tokens += countTokens(sentence)
      if (tokens > budget || from <= start) return tail
      tail = { ...piece, from, text: sentence + (tail?.text ?? ''), tokens }
    }
  }
  return tail
}

export interface Limits {
  size: number
  overlap: number
  /** A chunk with fewer tokens is filled up with a part of the next paragraph. */
  small: number
}

const isBody = (piece: Piece): boolean => piece.kind !== 'heading'

/** Fills chunks with whole units and splits units that do not fit. */
export class Packer {
  readonly #limits: Limits
  readonly #writer: ChunkWriter
  pieces: Piece[] = []
  #overlap: Piece | undefined
  /** The table header that this chunk repeats at its start. */
  #repeated: string | undefined
  /** The header of the table at the end of the chunk; further rows of it need no header. */
  #header: string | undefined
  tokens = 0
  /** Tokens without overlap and headings. */
  bodyTokens = 0

  constructor(limits: Limits, writer: ChunkWriter) {
    this.#limits = limits
    this.#writer = writer
  }

  *place(unit: Unit): Generator<Chunk> {
    if (unit.tokens <= this.#limits.size) {
      if (this.#fits(unit)) return this.#add(unit)
      if (this.#canBeLeft(unit)) {
        yield* this.flush(unit)
        return this.#add(unit)
      }
    }
    for (const piece of unit.split()) {
      if (!this.#fits(piece)) yield* this.flush(piece)
      this.#add(piece)
    }
  }

  /** Emits the chunk. If `next` is given, the next chunk starts with the headings or the overlap that precede it. */
  *flush(next?: Piece): Generator<Chunk> {
    const continues = next !== undefined && this.#isNext(next)
    const headings = continues ? this.#takeLastHeadings(next) : []
    const ended = this.pieces
    const chunk = this.#writer.writePieces({ pieces: ended, overlap: this.#overlap, header: this.#repeated })
    this.pieces = []
    this.#repeated = undefined
    this.#header = undefined
    this.#overlap = undefined
    this.tokens = 0
    this.bodyTokens = 0
    if (continues && headings.length === 0) this.#repeatEnd(ended, next)
    for (const heading of headings) this.#add(heading)
    if (chunk) yield chunk
  }

  #repeatEnd(ended: Piece[], next: Piece): void {
    const budget = Math.min(this.#limits.overlap, this.#limits.size - next.tokens)
    this.#overlap = budget > 0 ? overlapTail(ended, next, budget) : undefined
    this.tokens = this.#overlap?.tokens ?? 0
  }

  /** A heading at the end of a chunk moves to the next one if both fit. */
  #takeLastHeadings(next: Piece): Piece[] {
    const count = this.pieces.length - 1 - this.pieces.findLastIndex(isBody)
    if (count === 0 || count === this.pieces.length) return []
    const headings = this.pieces.slice(-count)
    const tokens = headings.reduce((sum, heading) => sum + heading.tokens, next.tokens)
    if (tokens > this.#limits.size || this.#mustBegin(next)) return []
    this.pieces = this.pieces.slice(0, -count)
    return headings
  }

  /** A row whose header is not in the chunk has to start a new one. */
  #mustBegin(piece: Piece): boolean {
    return piece.header !== undefined && !piece.hasHeader && piece.header.text !== this.#header
  }

  /** A chunk is one contiguous range; there can be gaps, such as the omitted header of a question table. */
  #isNext(piece: Piece): boolean {
    const last = this.pieces.at(-1)
    return last !== undefined && last.from + last.text.length === piece.from
  }

  #fits(piece: Piece): boolean {
    if (this.pieces.length === 0) return true
    if (!this.#isNext(piece) || this.#mustBegin(piece)) return false
    return this.tokens + piece.tokens <= this.#limits.size
  }

  #canBeLeft(unit: Unit): boolean {
    const last = this.pieces.at(-1)
    if (!last || !isBody(last)) return false
    return unit.kind === 'code' || this.bodyTokens >= this.#limits.small
  }

  #add(piece: Piece): void {
    if (this.#mustBegin(piece)) {
      this.#repeated = piece.header?.text
      this.tokens += piece.header?.tokens ?? 0
    }
    this.#header = piece.header?.text
    this.pieces.push(piece)
    this.tokens += piece.tokens
    if (isBody(piece)) this.bodyTokens += piece.tokens
  }
}
