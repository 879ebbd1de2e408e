import { edgesOf, type Segment } from './pdf-segments.ts'

const minimumLines = 6

interface Gutter {
  left: number
  right: number
}

const median = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0

/** Strips of the page that few lines cross, as a count of crossing segments for each point of the width. */
const crossings = (segments: Segment[], left: number, right: number): Uint32Array => {
  const counts = new Uint32Array(Math.ceil(right - left) + 1)
  for (const segment of segments) {
    const from = Math.max(0, Math.floor(segment.left - left))
    const to = Math.min(counts.length, Math.ceil(segment.right - left))
    for (let at = from; at < to; at++) counts[at]! += 1
  }
  return counts
}

/** The widest strip in the middle half of the text that at most one line in six crosses. */
const findGutter = (segments: Segment[], left: number, right: number): Gutter | undefined => {
  const counts = crossings(segments, left, right)
  const most = segments.length / 6
  let best: Gutter | undefined
  let start: number | undefined
  for (let at = Math.floor(counts.length * 0.25); at <= counts.length * 0.75; at++) {
    if (counts[at]! <= most) start ??= at
    else start = undefined
    if (start !== undefined && at - start > (best ? best.right - best.left : 0))
      best = { left: left + start, right: left + at }
  }
  return best
}

const isProse = (column: Segment[]): boolean => {
  if (column.length < minimumLines) return false
  const edges = edgesOf(column)
  const width = edges.right - edges.left
  const full = column.filter(segment => segment.right - segment.left > width * 0.7)
  return full.length > column.length / 2
}

/**
 * Two columns of text, when there is a clear gutter with full lines on both sides. Lines of a table are mostly short,
 * so tables are not torn apart. Lines across the gutter (titles, wide figures) divide the page into bands.
 */
export const inReadingOrder = (segments: Segment[]): Segment[][] => {
  if (segments.length < 2 * minimumLines) return [segments]
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
