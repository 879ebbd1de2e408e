import { inReadingOrder } from './pdf-columns.ts'
import { edgesOf, type Segment } from './pdf-segments.ts'

export interface Line extends Segment {
  page: number
  /** Lines of one column of one page; the edges are those of the column. */
  region: { left: number; right: number }
  /** Cells beside each other, as in a table. */
  gapped: boolean
  /** Near the upper or lower edge, where running titles stand. */
  inMargin: boolean
}

const sameRow = (one: Segment, other: Segment): boolean =>
  Math.abs(one.y - other.y) < 0.45 * Math.min(one.size, other.size)

const regionLines = (segments: Segment[], page: number, height: number): Line[] => {
  const region = edgesOf(segments)
  const lines: Line[] = []
  for (const segment of segments) {
    const last = lines.at(-1)
    if (last && sameRow(last, segment)) {
      last.text += `\t${segment.text.trim()}`
      last.right = Math.max(last.right, segment.right)
      last.gapped = true
      continue
    }
    const inMargin = segment.y < height * 0.12 || segment.y > height * 0.88
    lines.push({ ...segment, text: segment.text.trim(), page, region, gapped: false, inMargin })
  }
  return lines
}

export const pageLines = (segments: Segment[], page: number, height: number): Line[] =>
  segments.length === 0 ? [] : inReadingOrder(segments).flatMap(region => regionLines(region, page, height))
