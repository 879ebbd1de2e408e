import type { getDocumentProxy } from 'unpdf'
import { withoutRadicals } from '../../../text/radicals.ts'

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>
type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>

/** A part of a line without wide gaps. Coordinates are in points from the upper left corner of the page. */
interface Segment {
  text: string
  left: number
  right: number
  /** Of the baseline. */
  y: number
  size: number
  rotated: boolean
}

type Edges = Pick<Segment, 'left' | 'right'>

/** The horizontal extent of the segments. There may be too many for the arguments of `Math.min`. */
const edgesOf = (segments: Segment[]): Edges => {
  const edges = { left: Number.POSITIVE_INFINITY, right: Number.NEGATIVE_INFINITY }
  for (const { left, right } of segments) {
    edges.left = Math.min(edges.left, left)
    edges.right = Math.max(edges.right, right)
  }
  return edges
}

const ligatures = /[\ufb00-\ufb06]/g
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f\u200b\ufeff]/g

const clean = (text: string): string =>
  withoutRadicals(text.replace(ligatures, form => form.normalize('NFKC')).replace(invisible, ''))

const multiply = (one: number[], other: number[]): number[] => {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = one
  const [g = 1, h = 0, i = 0, j = 1, k = 0, l = 0] = other
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f]
}

const readPieces = async (page: PdfPage): Promise<Segment[]> => {
  const { transform } = page.getViewport({ scale: 1 })
  const { items } = await page.getTextContent()
  const pieces: Segment[] = []
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

/** Chinese is written without spaces, so a small gap between its characters is not a space. */
export const joinsWithoutSpace = (before: string, after: string): boolean =>
  endsInCjk(before) && startsInCjk(after)

/** Superscripts and subscripts belong to their line. */
const isOnLine = (one: Segment, other: Segment): boolean =>
  Math.abs(one.y - other.y) < 0.45 * Math.min(one.size, other.size)

const wideGap = 1.6

const append = (segment: Segment, piece: Segment): void => {
  const gap = piece.left - segment.right
  const spaced = gap > segment.size * 0.15 && !/\s$/.test(segment.text) && !/^\s/.test(piece.text)
  const space = spaced && !(gap < segment.size && joinsWithoutSpace(segment.text, piece.text)) ? ' ' : ''
  segment.text += space + piece.text
  segment.right = Math.max(segment.right, piece.right)
  segment.size = Math.max(segment.size, piece.size)
}

/** Some programs print text twice with a tiny offset to make it bold. */
const isShadow = (segment: Segment, piece: Segment): boolean =>
  segment.text.endsWith(piece.text) &&
  Math.abs(segment.right - piece.right) < piece.size * 0.2 &&
  piece.left < segment.right - piece.size * 0.3

const joinRow = (row: Segment[]): Segment[] => {
  const segments: Segment[] = []
  for (const piece of row.toSorted((one, other) => one.left - other.left)) {
    const last = segments.at(-1)
    if (last && isShadow(last, piece)) continue
    const gap = last ? piece.left - last.right : Number.POSITIVE_INFINITY
    if (last && gap < wideGap * Math.min(last.size, piece.size)) append(last, piece)
    else segments.push({ ...piece })
  }
  return segments
}

/** The text of a page from top to bottom. Rotated text comes last, in file order. */
const readSegments = async (page: PdfPage): Promise<Segment[]> => {
  const pieces = await readPieces(page)
  const upright = pieces.filter(({ rotated }) => !rotated).toSorted((one, other) => one.y - other.y)
  const rows: Segment[][] = []
  for (const piece of upright) {
    const row = rows.at(-1)
    if (row && isOnLine(row[0]!, piece)) row.push(piece)
    else rows.push([piece])
  }
  return [...rows.flatMap(joinRow), ...pieces.filter(({ rotated }) => rotated)]
}

const minColumnLines = 6

const median = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0

/** The number of segments that cross each point of the width. */
const crossings = (segments: Segment[], left: number, right: number): Uint32Array => {
  const counts = new Uint32Array(Math.ceil(right - left) + 1)
  for (const segment of segments) {
    const from = Math.max(0, Math.floor(segment.left - left))
    const to = Math.min(counts.length, Math.ceil(segment.right - left))
    for (let at = from; at < to; at++) counts[at]! += 1
  }
  return counts
}

/** The widest strip in the middle half of the text that at most one segment in six crosses. */
const findGutter = (segments: Segment[], left: number, right: number): Edges | undefined => {
  const counts = crossings(segments, left, right)
  const max = segments.length / 6
  let best: Edges | undefined
  let start: number | undefined
  for (let at = Math.floor(counts.length * 0.25); at <= counts.length * 0.75; at++) {
    if (counts[at]! <= max) start ??= at
    else start = undefined
    if (start !== undefined && at - start > (best ? best.right - best.left : 0))
      best = { left: left + start, right: left + at }
  }
  return best
}

const isProse = (column: Segment[]): boolean => {
  if (column.length < minColumnLines) return false
  const edges = edgesOf(column)
  const width = edges.right - edges.left
  const full = column.filter(segment => segment.right - segment.left > width * 0.7)
  return full.length > column.length / 2
}

/**
 * Two columns of text if there is a clear gutter with full lines on both sides. Table rows are mostly short, so tables
 * stay intact. Lines across the gutter (titles, wide figures) divide the page into bands.
 */
const inReadingOrder = (segments: Segment[]): Segment[][] => {
  if (segments.length < 2 * minColumnLines) return [segments]
  const { left, right } = edgesOf(segments)
  const size = median(segments.map(segment => segment.size))
  if (!(right - left < 20_000)) return [segments]
  const gutter = findGutter(segments, left, right)
  if (!gutter || gutter.right - gutter.left < size * 0.8) return [segments]
  const middle = (gutter.left + gutter.right) / 2
  const isLeft = (segment: Segment) => segment.right <= middle
  const isRight = (segment: Segment) => segment.left >= middle
  if (!isProse(segments.filter(isLeft)) || !isProse(segments.filter(isRight))) return [segments]
  const regions: Segment[][] = []
  let band: Segment[] = []
  const flush = () => {
    regions.push(band.filter(isLeft), band.filter(isRight))
    band = []
  }
  for (const segment of segments) {
    if (isLeft(segment) || isRight(segment)) band.push(segment)
    else {
      flush()
      regions.push([segment])
    }
  }
  flush()
  return regions.filter(region => region.length > 0)
}

export interface Line extends Segment {
  page: number
  /** The size of the page. */
  paper: { width: number; height: number }
  /** The edges of the column that the line belongs to. */
  region: Edges
  /** Whether the line has wide gaps, as in a table row. */
  gapped: boolean
  /** Near the upper or lower edge, where running titles are. */
  inMargin: boolean
}

const regionLines = (segments: Segment[], page: number, paper: Line['paper']): Line[] => {
  const region = edgesOf(segments)
  const lines: Line[] = []
  for (const segment of segments) {
    const last = lines.at(-1)
    if (last && isOnLine(last, segment)) {
      last.text += `\t${segment.text.trim()}`
      last.right = Math.max(last.right, segment.right)
      last.gapped = true
      continue
    }
    const inMargin = segment.y < paper.height * 0.12 || segment.y > paper.height * 0.88
    lines.push({ ...segment, text: segment.text.trim(), page, paper, region, gapped: false, inMargin })
  }
  return lines
}

export const readLines = async (page: PdfPage, number: number): Promise<Line[]> => {
  const { width, height } = page.getViewport({ scale: 1 })
  const segments = await readSegments(page)
  return inReadingOrder(segments).flatMap(region => regionLines(region, number, { width, height }))
}
