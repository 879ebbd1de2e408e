import type { PdfPage } from './pdf-document.ts'

/** A piece of one line without a wide gap in it. Places are in points from the upper left corner of the page. */
export interface Segment {
  text: string
  left: number
  right: number
  /** Of the baseline. */
  y: number
  size: number
}

/** How far the segments reach. There may be too many to hand them to one call of `Math.min`. */
export const edgesOf = (segments: Segment[]): { left: number; right: number } => {
  const edges = { left: Number.POSITIVE_INFINITY, right: Number.NEGATIVE_INFINITY }
  for (const { left, right } of segments) {
    edges.left = Math.min(edges.left, left)
    edges.right = Math.max(edges.right, right)
  }
  return edges
}

interface Piece extends Segment {
  rotated: boolean
}

/** As characters of their own they would keep words from being found: ligatures, and radicals in place of characters. */
const foreignForms = /[\ufb00-\ufb06\u2f00-\u2fdf]/g
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f\u200b\ufeff]/g

const clean = (text: string): string =>
  text.replace(foreignForms, form => form.normalize('NFKC')).replace(invisible, '')

const multiply = (one: number[], other: number[]): number[] => {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = one
  const [g = 1, h = 0, i = 0, j = 1, k = 0, l = 0] = other
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f]
}

const readPieces = async (page: PdfPage): Promise<Piece[]> => {
  const { transform } = page.getViewport({ scale: 1 })
  const { items } = await page.getTextContent()
  const pieces: Piece[] = []
  for (const item of items) {
    if (!('str' in item)) continue
    const text = clean(item.str)
    if (text.trim() === '') continue
    const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = multiply(transform, item.transform)
    const size = Math.hypot(c, d) || Math.hypot(a, b)
    if (![x, y, size, item.width].every(Number.isFinite)) continue
    const rotated = Math.abs(b) > Math.abs(a)
    pieces.push({ text, left: x, right: x + Math.abs(item.width), y, size, rotated })
  }
  return pieces
}

const cjk = /[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u{20000}-\u{3ffff}]/u
const endsInCjk = (text: string): boolean => cjk.test([...text.slice(-2)].at(-1) ?? '')
const startsInCjk = (text: string): boolean => cjk.test(String.fromCodePoint(text.codePointAt(0) ?? 32))

/** Chinese is written without spaces, so a small gap between its characters is none. */
export const joinsWithoutSpace = (before: string, after: string): boolean =>
  endsInCjk(before) && startsInCjk(after)

const wideGap = 1.6

const append = (segment: Segment, piece: Piece): void => {
  const gap = piece.left - segment.right
  const spaced = gap > segment.size * 0.15 && !/\s$/.test(segment.text) && !/^\s/.test(piece.text)
  const space = spaced && !(gap < segment.size && joinsWithoutSpace(segment.text, piece.text)) ? ' ' : ''
  segment.text += space + piece.text
  segment.right = Math.max(segment.right, piece.right)
  segment.size = Math.max(segment.size, piece.size)
}

/** Text printed twice with a hair's breadth between is how some programs make it bold. */
const isShadow = (segment: Segment, piece: Piece): boolean =>
  segment.text.endsWith(piece.text) &&
  Math.abs(segment.right - piece.right) < piece.size * 0.2 &&
  piece.left < segment.right - piece.size * 0.3

const joinRow = (row: Piece[]): Segment[] => {
  const segments: Segment[] = []
  for (const piece of row.toSorted((one, other) => one.left - other.left)) {
    const last = segments.at(-1)
    if (last && isShadow(last, piece)) continue
    const gap = last ? piece.left - last.right : Number.POSITIVE_INFINITY
    if (last && gap < wideGap * Math.min(last.size, piece.size)) append(last, piece)
    else
      segments.push({ text: piece.text, left: piece.left, right: piece.right, y: piece.y, size: piece.size })
  }
  return segments
}

/** The text of a page from top to bottom. Text that stands on its side comes last, as it is in the file. */
export const readSegments = async (page: PdfPage): Promise<Segment[]> => {
  const pieces = await readPieces(page)
  const upright = pieces.filter(({ rotated }) => !rotated).toSorted((one, other) => one.y - other.y)
  const rows: Piece[][] = []
  for (const piece of upright) {
    const row = rows.at(-1)
    const [first] = row ?? []
    // Marks that are raised or lowered a little belong to their line.
    if (row && first && piece.y - first.y < 0.45 * Math.min(first.size, piece.size)) row.push(piece)
    else rows.push([piece])
  }
  const sideways = pieces.filter(({ rotated }) => rotated)
  return [...rows.flatMap(joinRow), ...sideways.map(({ rotated, ...segment }) => segment)]
}
