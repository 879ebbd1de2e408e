import type { Line } from './pdf-lines.ts'

const minimumPages = 4
const share = 0.4

/** Page numbers change from page to page, so digits count as the same; left and right pages have their own titles. */
const keyOf = ({ text, y, size }: Line): string =>
  `${Math.round(y / 8)} ${Math.round(size)} ${text.replace(/\d+|\b[ivxlc]+\b/gi, '#').replace(/\s+/g, '')}`

/** Leaves out lines at the edges that come back at the same place on many pages. */
export const withoutRunningTitles = (lines: Line[], pages: number): Line[] => {
  if (pages < minimumPages) return lines
  const pagesByKey = new Map<string, Set<number>>()
  for (const line of lines) {
    if (!line.inMargin) continue
    const key = keyOf(line)
    pagesByKey.set(key, (pagesByKey.get(key) ?? new Set()).add(line.page))
  }
  const needed = Math.max(3, Math.ceil(pages * share))
  const kept = lines.filter(line => !line.inMargin || (pagesByKey.get(keyOf(line))?.size ?? 0) < needed)
  // A document of forms may consist of nothing else.
  return kept.length > 0 ? kept : lines
}
