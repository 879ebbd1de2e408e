import type { Piece } from './piece.ts'
import { joinsWithoutSpace } from './piece-text.ts'

/** A part of a line without wide gaps. */
export interface Segment extends Omit<Piece, 'spaceAfter' | 'order' | 'rightToLeft'> {
  /** Number of characters in the most common font, which is the font of the segment. */
  inFont: number
}

/** Segments that stand on one line across the page, from left to right. */
export type Row = Segment[]

type Height = Pick<Piece, 'y' | 'size'>

/** Superscripts and subscripts belong to their line: half of their height is within that of the line. */
const isOnLine = (one: Height, other: Height): boolean => {
  const small = Math.min(one.size, other.size)
  if (Math.max(one.size, other.size) > small * 2) return Math.abs(one.y - other.y) < 0.45 * small
  const top = Math.max(one.y - one.size * 0.75, other.y - other.size * 0.75)
  const bottom = Math.min(one.y + one.size * 0.2, other.y + other.size * 0.2)
  return bottom - top > 0.5 * 0.95 * small
}

/** Wider than a space between words of justified text, narrower than the space between columns. */
const tightGap = 0.7
/** A gap of at least this width is kept, because it separates cells of a table. */
export const wideGap = 1.6

interface Growing extends Segment {
  last: Piece
}

/** The number of a footnote or of an author's institution stands above the line. */
const isMark = (mark: Piece, word: Piece): boolean =>
  mark.size < word.size * 0.85 && mark.y < word.y - word.size * 0.15 && /^[\d,*†‡]+$/.test(mark.text.trim())

/** Marks are no part of the word beside them, other than in "m2" and "14C". */
const isMarkBesideWord = (text: string, last: Piece, piece: Piece): boolean =>
  (isMark(piece, last) && /[\p{Lu}\p{Ll}]{3}$/u.test(text)) ||
  (isMark(last, piece) && /^[\p{Lu}\p{Ll}]{2}/u.test(piece.text))

const append = (segment: Growing, piece: Piece, gap: number): void => {
  const { last } = segment
  const spaced =
    (gap > segment.size * 0.11 ||
      (last.spaceAfter && piece.order === last.order + 1) ||
      isMarkBesideWord(segment.text, last, piece)) &&
    !/\s$/.test(segment.text) &&
    !/^\s/.test(piece.text)
  const space = spaced && !(gap < segment.size && joinsWithoutSpace(segment.text, piece.text)) ? ' ' : ''
  segment.text += space + piece.text
  segment.left = Math.min(segment.left, piece.left)
  segment.right = Math.max(segment.right, piece.right)
  if (piece.size > segment.size) {
    segment.size = piece.size
    segment.y = piece.y
  }
  if (piece.font === segment.font) segment.inFont += piece.text.length
  else if (piece.text.length > segment.inFont) {
    segment.font = piece.font
    segment.inFont = piece.text.length
  }
  segment.last = piece
}

/** Some programs print text twice with a tiny offset to make it bold or to give it a shadow. */
const isShadow = (segment: Growing, piece: Piece): boolean =>
  segment.text.endsWith(piece.text) &&
  Math.abs(segment.last.right - piece.right) < piece.size * 0.2 &&
  piece.left < segment.last.right - piece.size * 0.3

/** If each letter is drawn twice, a piece may begin with the letters that end the previous piece. */
const withoutRepeated = (segment: Growing, piece: Piece): Piece => {
  const overlap = segment.right - piece.left
  if (overlap < piece.size * 0.3 || piece.left < segment.last.left) return piece
  const count = Math.round((overlap * piece.text.length) / (piece.right - piece.left))
  const repeated = piece.text.slice(0, count)
  if (count === 0 || count >= piece.text.length || !segment.text.endsWith(repeated)) return piece
  return { ...piece, text: piece.text.slice(count) }
}

/** Joins the pieces of a row, which runs to the left where most of it is Arabic or Hebrew. */
const joinRow = (row: Piece[]): Row => {
  if (row.length === 1) {
    const { spaceAfter: _, order: __, rightToLeft: ___, ...piece } = row[0]!
    return [{ ...piece, inFont: piece.text.length }]
  }
  let backwards = 0
  for (const { rightToLeft, text } of row) backwards += rightToLeft ? text.length : -text.length
  const pieces =
    backwards > 0
      ? row.sort((one, other) => other.right - one.right)
      : row.sort((one, other) => one.left - other.left)
  const segments: Growing[] = []
  let open: Growing | undefined
  for (const each of pieces) {
    if (open && isShadow(open, each)) continue
    const piece = open && backwards <= 0 ? withoutRepeated(open, each) : each
    const gap = open ? (backwards > 0 ? open.left - piece.right : piece.left - open.right) : 0
    if (open && gap < tightGap * Math.min(open.size, piece.size)) append(open, piece, gap)
    else {
      const { text, left, right, y, size, font } = piece
      open = { text, left, right, y, size, font, inFont: text.length, last: piece }
      segments.push(open)
    }
  }
  return backwards > 0 ? segments.reverse() : segments
}

interface GrowingRow {
  largest: Piece
  pieces: Piece[]
}

/** Rows with more pieces are drawings. */
const maxCompared = 400

/**
 * Whether both have text at the same place, one above the other. Lines of one column do where a line of the column
 * beside them, at a height between theirs, is near both of them. So do superscripts and subscripts, which are short.
 */
const crosses = (row: GrowingRow, other: GrowingRow): boolean => {
  if (row.pieces.length > maxCompared || other.pieces.length > maxCompared) return false
  const largest = Math.max(row.largest.size, other.largest.size)
  let shared = 0
  for (const one of row.pieces)
    for (const { left, right, y, size } of other.pieces) {
      const small = Math.min(one.size, size)
      const width = Math.min(one.right, right) - Math.max(one.left, left)
      if (width <= 0 || Math.abs(one.y - y) < 0.15 * small) continue
      shared += width / (small < largest * 0.76 ? 6 * small : 3 * small)
      if (shared > 1) return true
    }
  return false
}

const merge = (row: GrowingRow, { largest, pieces }: GrowingRow): void => {
  for (const piece of pieces) row.pieces.push(piece)
  if (largest.size > row.largest.size) row.largest = largest
}

const mergeRows = (rows: GrowingRow[]): GrowingRow[] => {
  const merged: GrowingRow[] = []
  for (const row of rows) {
    const last = merged.at(-1)
    if (last && isOnLine(last.largest, row.largest) && !crosses(last, row)) merge(last, row)
    else merged.push(row)
  }
  return merged
}

/** The rows of a page from top to bottom. Their segments are joined further once the columns are known. */
export const rowsOf = (pieces: Piece[]): Row[] => {
  const baselines: GrowingRow[] = []
  for (const piece of pieces.toSorted((one, other) => one.y - other.y)) {
    const row = baselines.at(-1)
    const isSame = row && piece.y - row.pieces[0]!.y < 0.1 * Math.min(row.largest.size, piece.size)
    if (isSame) merge(row, { largest: piece, pieces: [piece] })
    else baselines.push({ largest: piece, pieces: [piece] })
  }
  // The second time, because a superscript is above the small parts of its line, but not above the large ones.
  return mergeRows(mergeRows(baselines)).map(row => joinRow(row.pieces))
}
