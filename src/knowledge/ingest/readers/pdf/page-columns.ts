import { type Row, type Segment, wideGap } from './page-rows.ts'

/** A part of a page whose rows are read from top to bottom. */
export type Region = Row[]

const minColumnLines = 6
const maxRows = 3000
const maxWidth = 20_000
const maxBins = 1024
const maxDepth = 4

const median = (values: number[]): number =>
  values.sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0

/** The extent of rows in `bins` of equal width, and which of them each row covers, with a margin around its text. */
interface Grid {
  left: number
  binWidth: number
  bins: number
  covered: Uint8Array[]
  size: number
}

const gridOf = (rows: Row[]): Grid | undefined => {
  let left = Number.POSITIVE_INFINITY
  let right = Number.NEGATIVE_INFINITY
  const sizes: number[] = []
  for (const row of rows)
    for (const segment of row) {
      left = Math.min(left, segment.left)
      right = Math.max(right, segment.right)
      sizes.push(segment.size)
    }
  const size = median(sizes)
  const width = right - left
  if (!(width < maxWidth) || width < size * 16) return undefined
  // Most pages have one column, which shows at once.
  const beside = rows.filter(row => row.length > 1 || row[0]!.left > left + width * 0.25)
  if (beside.length < 2) return undefined
  const binWidth = Math.max(1, width / maxBins)
  const bins = Math.ceil(width / binWidth)
  const pad = size * 0.2
  const covered = rows.map(row => {
    const bits = new Uint8Array(bins)
    for (const segment of row) {
      const from = Math.max(0, Math.floor((segment.left - pad - left) / binWidth))
      const to = Math.min(bins, Math.ceil((segment.right + pad - left) / binWidth))
      bits.fill(1, from, to)
    }
    return bits
  })
  return { left, binWidth, bins, covered, size }
}

/** The text of a row that ends directly before, or begins directly after, the position. */
const besides = (row: Row, x: number): { before: Segment[]; after: Segment[] } => {
  const split = row.findIndex(segment => segment.left >= x)
  const at = split === -1 ? row.length : split
  let from = at - 1
  while (from > 0 && row[from]!.left - row[from - 1]!.right < wideGap * row[from]!.size) from--
  let to = at
  while (to + 1 < row.length && row[to + 1]!.left - row[to]!.right < wideGap * row[to]!.size) to++
  return { before: row.slice(Math.max(0, from), at), after: row.slice(at, to + 1) }
}

interface Side {
  widths: number[]
  sizes: number[]
}

const collect = (side: Side, segments: Segment[]): void => {
  if (segments.length === 0) return
  side.widths.push(segments.at(-1)!.right - segments[0]!.left)
  side.sizes.push(segments[0]!.size)
}

/** Whether most lines of a side are about as wide as its column: cells of tables are short or of any width. */
const isProse = ({ widths, sizes }: Side, minLines: number, minWidth: number): boolean => {
  if (widths.length < minLines) return false
  widths.sort((one, other) => one - other)
  const column = widths[Math.floor(widths.length * 0.9)]!
  if (column < minWidth * median(sizes)) return false
  return widths.filter(width => width > column * 0.7).length > widths.length / 2
}

/** Rows `from` to before `to` with an empty strip at `x`, and text on both sides of it. */
interface Gutter {
  from: number
  to: number
  x: number
  lines: number
}

const dividesColumns = (rows: Row[], { from, to, x }: Gutter): boolean => {
  const before: Side = { widths: [], sizes: [] }
  const after: Side = { widths: [], sizes: [] }
  for (let index = from; index < to; index++) {
    const sides = besides(rows[index]!, x)
    collect(before, sides.before)
    collect(after, sides.after)
  }
  const [fewer, more] = before.widths.length < after.widths.length ? [before, after] : [after, before]
  if (fewer.widths.length * 2.5 >= more.widths.length)
    return isProse(fewer, minColumnLines, 8) && isProse(more, minColumnLines, 8)
  // Notes beside the text are short, and in a smaller font.
  return (
    isProse(more, minColumnLines, 12) &&
    isProse(fewer, 2, 4) &&
    median(fewer.sizes) < median(more.sizes) * 0.93
  )
}

const countLines = (rows: Row[], from: number, to: number, x: number): { before: number; after: number } => {
  const lines = { before: 0, after: 0 }
  for (let index = from; index < to; index++) {
    if (rows[index]![0]!.left < x) lines.before++
    if (rows[index]!.at(-1)!.left >= x) lines.after++
  }
  return lines
}

/** The strips that no row of a stretch covers, the longest stretches first. One strip for each stretch and place. */
const emptyStrips = (rows: Row[], grid: Grid): Gutter[] => {
  const found = new Map<string, { from: number; to: number; bins: number[] }>()
  for (let bin = 1; bin < grid.bins - 1; bin++) {
    let from = 0
    for (let index = 0; index <= rows.length; index++) {
      if (index < rows.length && grid.covered[index]![bin] === 0) continue
      if (index - from >= minColumnLines) {
        const key = `${from} ${index}`
        const strip = found.get(key)
        if (strip && strip.bins.at(-1) === bin - 1) strip.bins.push(bin)
        else found.set(strip ? `${key} ${bin}` : key, { from, to: index, bins: [bin] })
      }
      from = index + 1
    }
  }
  const gutters: Gutter[] = []
  for (const { from, to, bins } of found.values()) {
    const x = grid.left + (bins[Math.floor(bins.length / 2)]! + 0.5) * grid.binWidth
    const { before, after } = countLines(rows, from, to, x)
    const lines = before + after
    if (Math.min(before, after) >= 2 && lines >= minColumnLines) gutters.push({ from, to, x, lines })
  }
  return gutters.sort((one, other) => other.lines - one.lines)
}

const maxTried = 40

/** Excludes text above the columns that stands only on the right, such as a date: it is read before them. */
const withoutRightStart = (rows: Row[], gutter: Gutter): Gutter => {
  let { from } = gutter
  while (from < gutter.to && rows[from]![0]!.left >= gutter.x) from++
  return gutter.to - from >= minColumnLines ? { ...gutter, from } : gutter
}

const isEmptyAt = (grid: Grid, { from, to }: Gutter, x: number): boolean => {
  const bin = Math.floor((x - grid.left) / grid.binWidth)
  for (let index = from; index < to; index++) if (grid.covered[index]![bin] !== 0) return false
  return true
}

/** The part of the row from `left` on to before `right`. */
const between = (row: Row, left: number, right: number): Row =>
  row.filter(segment => segment.left >= left && segment.left < right)

/** Text of a heading is larger than that of the page by this factor. */
const clearlyLarger = 1.15
/** The empty band above a heading that ends both columns, and the most below it, in multiples of the font size. */
const minBandAbove = 1.8
const maxStepBelow = 3

const crosses = (row: Row | undefined, x: number): boolean =>
  row?.some(({ left, right }) => left < x && right > x) === true

/**
 * Whether a row is a heading on the left that ends both columns above it: where columns go on, the other has text
 * beside it. Below it, both begin at the same height, or a line crosses the strip.
 */
const endsColumns = (rows: Row[], index: number, { to, x }: Gutter, size: number): boolean => {
  const row = rows[index]!
  const next = rows[index + 1]
  const [{ y, size: ownSize }] = row as [Segment]
  if (!next || row.some(segment => segment.right >= x || segment.size < size * clearlyLarger)) return false
  const band = y - ownSize - Math.max(...rows[index - 1]!.map(segment => segment.y))
  if (band < size * minBandAbove || next[0]!.y - y > maxStepBelow * size) return false
  return index + 1 === to ? crosses(next, x) : next[0]!.left < x && next.at(-1)!.left >= x
}

const isTableRow = (row: Row): boolean =>
  row.filter(({ left, size }, index) => index > 0 && left - row[index - 1]!.right > wideGap * size).length > 1

/** Ends the columns of a band where a heading begins other ones. Parts are prose; a table after them is no part. */
const partsOf = (rows: Row[], band: Gutter, size: number): Gutter[] => {
  const parts: Gutter[] = []
  let { from } = band
  for (let to = from + 1; to < band.to; to++)
    if (endsColumns(rows, to, band, size) && dividesColumns(rows, { ...band, from, to })) {
      parts.push({ ...band, from, to })
      from = to
    }
  const rest = rows.slice(from + 1, band.to)
  if (parts.length === 0 || dividesColumns(rows, { ...band, from })) parts.push({ ...band, from })
  else if (rest.filter(isTableRow).length * 2 < rest.length) parts[parts.length - 1]!.to = band.to
  return parts
}

/**
 * Columns are found by the strips between them, which are empty over many rows and have full lines on both sides. An
 * element that crosses a strip (a title, a wide figure) ends the columns above it, and so does a heading below both of
 * them. Tables have short cells, so they stay intact.
 */
export const inReadingOrder = (rows: Row[], depth = 0): Region[] => {
  if (rows.length < minColumnLines || rows.length > maxRows || depth > maxDepth) return [rows]
  const grid = gridOf(rows)
  if (!grid) return [rows]
  const strips = emptyStrips(rows, grid).slice(0, maxTried)
  const best = strips.find(strip => dividesColumns(rows, strip))
  if (!best) return [rows]
  const band = withoutRightStart(rows, best)
  const others = strips.filter(
    ({ x }) =>
      Math.abs(x - band.x) > grid.size * 8 &&
      isEmptyAt(grid, band, x) &&
      dividesColumns(rows, { ...band, x }),
  )
  const edges = [band.x]
  for (const { x } of others) if (edges.every(edge => Math.abs(edge - x) > grid.size * 8)) edges.push(x)
  edges.sort((one, other) => one - other)
  const columnEdges = [Number.NEGATIVE_INFINITY, ...edges]
  const parts = edges.length === 1 ? partsOf(rows, band, grid.size) : [band]
  const columns = parts.flatMap(({ from, to }) =>
    columnEdges.map((left, index) => {
      const right = edges[index] ?? Number.POSITIVE_INFINITY
      return rows
        .slice(from, to)
        .map(row => between(row, left, right))
        .filter(row => row.length > 0)
    }),
  )
  return [
    ...inReadingOrder(rows.slice(0, band.from), depth + 1),
    ...columns.flatMap(column => inReadingOrder(column, depth + 1)),
    ...inReadingOrder(rows.slice(parts.at(-1)!.to), depth + 1),
  ].filter(region => region.length > 0)
}
