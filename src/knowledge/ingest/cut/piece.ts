import type { Block, Place } from '../block.ts'

/** The text from one heading to the next. Two sections are the same only if they are the same object. */
export interface Section {
  readonly path: readonly string[]
}

/** What a chunk of a table begins with when the table's own header is in an earlier one. */
export interface TableHeader {
  text: string
  tokens: number
}

/**
 * What a chunk is put together from. Pieces follow on each other in the document's text without a gap: the white space
 * after a piece, also that between two blocks, is the end of its text.
 */
export interface Piece {
  kind: Block['kind']
  text: string
  tokens: number
  from: number
  section: Section
  place: Place
  header?: TableHeader
  /** The piece is the one that the header stands in. */
  hasHeader?: boolean
}

/** What should stay together: a paragraph, a table, a block of code. */
export interface Unit {
  kind: Block['kind']
  section: Section
  /** More than the size of a chunk if the unit does not fit; how many more is not told. */
  tokens: number
  /** The unit as one piece, if it fits into a chunk. */
  whole: Piece | undefined
  /** Pieces that fit into a chunk each. */
  split(): Iterable<Piece>
}
