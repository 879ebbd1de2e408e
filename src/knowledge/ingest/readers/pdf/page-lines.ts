import type { PdfPage } from './open-pdf.ts'
import { inReadingOrder, type Region } from './page-columns.ts'
import { readPieces } from './page-pieces.ts'
import { type Row, rowsOf, type Segment, wideGap } from './page-rows.ts'
import type { Direction } from './piece.ts'
import { joinsWithoutSpace } from './piece-text.ts'

export interface Edges {
  left: number
  right: number
}

export interface Line extends Segment {
  page: number
  /** The size of the page. */
  paper: { width: number; height: number }
  /** The edges of the column that the line belongs to. */
  region: Edges
  /** Parts with wide gaps between them, as in a table row; a single one in running text. */
  cells: Segment[]
  /** Like `cells`, but split at narrow gaps, too: columns of a table may be close to each other. */
  parts: Segment[]
  /** Near the upper or lower edge, where running titles are. */
  inMargin: boolean
  rotated: boolean
}

/** The marker before the text of a list item. Symbol fonts have bullets in the private area of Unicode. */
const itemMark = /^(?:[•‣◦▪●○■□–—·*\ue000-\uf8ff-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)])$/

const joined = (one: Segment, other: Segment): Segment => ({
  ...(one.size >= other.size ? one : other),
  text: joinsWithoutSpace(one.text, other.text) ? one.text + other.text : `${one.text} ${other.text}`,
  left: one.left,
  right: Math.max(one.right, other.right),
  ...(one.inFont >= other.inFont
    ? { font: one.font, inFont: one.inFont }
    : { font: other.font, inFont: other.inFont }),
})

/** Joins the segments of one cell: words of justified text, and the marker of a list item with its text. */
const cellsOf = (row: Row): Segment[] => {
  const cells: Segment[] = []
  for (const segment of row) {
    const last = cells.at(-1)
    const gap = last ? segment.left - last.right : 0
    const isNear = last && gap < wideGap * Math.min(last.size, segment.size)
    if (isNear || (cells.length === 1 && itemMark.test(last!.text.trim()) && gap < last!.size * 5))
      cells[cells.length - 1] = joined(last!, segment)
    else cells.push(segment)
  }
  return cells
}

const edgesOf = (region: Region): Edges => {
  const edges = { left: Number.POSITIVE_INFINITY, right: Number.NEGATIVE_INFINITY }
  for (const row of region)
    for (const { left, right } of row) {
      edges.left = Math.min(edges.left, left)
      edges.right = Math.max(edges.right, right)
    }
  return edges
}

const largest = (cells: Segment[]): Segment =>
  cells.reduce((one, other) => (other.size > one.size ? other : one))

const linesOf = (region: Region, page: number, paper: Line['paper'], rotated: boolean): Line[] => {
  const edges = edgesOf(region)
  return region.map(row => {
    const cells = cellsOf(row)
    const { y, size, font, inFont } = largest(cells)
    const inMargin = !rotated && (y < paper.height * 0.12 || y > paper.height * 0.88)
    const text = cells.map(cell => cell.text.trim()).join('\t')
    const { left } = cells[0]!
    const { right } = cells.at(-1)!
    const place = { left, right, y, size, page, paper, region: edges, inMargin, rotated }
    return { text, ...place, font, inFont, cells, parts: row }
  })
}

const directions: Direction[] = ['right', 'down', 'left', 'up']

/** The lines of a page in reading order. Text in other directions comes last. */
export const readLines = async (
  page: PdfPage,
  number: number,
  hasAnnotations: boolean,
  onText: () => void,
): Promise<Line[]> => {
  const { width, height } = page.getViewport({ scale: 1 })
  const pieces = await readPieces(page, hasAnnotations, onText)
  return directions.flatMap(direction => {
    const rows = rowsOf(pieces.get(direction) ?? [])
    return inReadingOrder(rows).flatMap(region =>
      linesOf(region, number, { width, height }, direction !== 'right'),
    )
  })
}
