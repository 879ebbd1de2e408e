import type { Block, LinePlace } from '../../block.ts'
import { joinsWithoutSpace, type Line } from './page-lines.ts'

const clearlyLarger = 1.15
const maxHeadingLength = 160
const maxLevel = 6

const rounded = (size: number): number => Math.round(size * 2) / 2

/** The font size of most characters. */
const bodySize = (lines: Line[]): number => {
  const characters = new Map<number, number>()
  for (const { size, text } of lines)
    characters.set(rounded(size), (characters.get(rounded(size)) ?? 0) + text.length)
  let best = 0
  for (const [size, count] of characters) if (count > (characters.get(best) ?? 0)) best = size
  return best
}

const isTitleText = (text: string): boolean =>
  text.length <= maxHeadingLength && /\p{L}/u.test(text) && !/[,，;；、。]$/.test(text)

/** Derives heading levels from font sizes: the larger, the higher. `undefined` for running text. */
const headingLevels = (lines: Line[]): ((line: Line) => number | undefined) => {
  const body = bodySize(lines)
  const isHeading = (line: Line) =>
    line.size >= body * clearlyLarger && !line.gapped && isTitleText(line.text)
  const sizes = [...new Set(lines.filter(isHeading).map(line => rounded(line.size)))].sort((a, b) => b - a)
  const levels = new Map(sizes.map((size, index) => [size, Math.min(index + 1, maxLevel)]))
  return line => (isHeading(line) ? levels.get(rounded(line.size)) : undefined)
}

const minPages = 4
const minShare = 0.4

/** Page numbers change, so all digits are equal; left and right pages have their own titles. */
const keyOf = ({ text, y, size }: Line): string =>
  `${Math.round(y / 8)} ${Math.round(size)} ${text.replace(/\d+|\b[ivxlc]+\b/gi, '#').replace(/\s+/g, '')}`

/** Removes lines in the margins that recur at the same position on many pages. */
export const withoutRunningTitles = (lines: Line[], pages: number): Line[] => {
  if (pages < minPages) return lines
  const pagesByKey = new Map<string, Set<number>>()
  for (const line of lines) {
    if (!line.inMargin) continue
    const key = keyOf(line)
    pagesByKey.set(key, (pagesByKey.get(key) ?? new Set()).add(line.page))
  }
  const needed = Math.max(3, Math.ceil(pages * minShare))
  const kept = lines.filter(line => !line.inMargin || (pagesByKey.get(keyOf(line))?.size ?? 0) < needed)
  // A document of forms may consist only of such lines.
  return kept.length > 0 ? kept : lines
}

const itemMark =
  /^(?:[•‣◦▪●○■□–—·*-]\s*|\(?\d{1,3}[.)、]\s*|[（(][一二三四五六七八九十\d]{1,3}[）)]|[一二三四五六七八九十]{1,3}、)(?=\S)/
const bullet = /^[•‣◦▪●○■□·]\s*/
const sentenceEnd = /[.!?。！？:：;；…"”』」)）]$/
const maxHeadingLines = 3

const joinLines = (text: string, next: string): string => {
  if (text.endsWith('\u00ad')) return text.slice(0, -1) + next
  if (/\p{Ll}[-\u2010]$/u.test(text) && /^\p{Ll}/u.test(next)) return text.slice(0, -1) + next
  return joinsWithoutSpace(text, next) ? text + next : `${text} ${next}`
}

/** The most common line spacing within a column, relative to the font size. */
const usualSpacing = (lines: Line[]): number => {
  const counts = new Map<number, number>()
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1]
    if (before?.region !== line.region || Math.abs(before.size - line.size) > 0.5) continue
    const spacing = Math.round(((line.y - before.y) / line.size) * 20) / 20
    if (spacing > 0.8 && spacing < 3) counts.set(spacing, (counts.get(spacing) ?? 0) + 1)
  }
  const [most] = [...counts].sort((one, other) => other[1] - one[1] || one[0] - other[0])
  return most?.[0] ?? 1.2
}

interface Neighbours {
  before: Line
  line: Line
  after: Line | undefined
  isItem: boolean
}

const isFull = ({ right, region, size }: Line): boolean => right > region.right - size * 3

/** A paragraph continues in the next column or page only if both sides look like it. */
const goesOnElsewhere = ({ before, line }: Neighbours): boolean =>
  isFull(before) && /[\p{Ll}\p{Lo},，、\u00ad-]$/u.test(before.text) && /^[\p{Ll}\p{Lo}]/u.test(line.text)

const startsIndented = ({ before, line, after, isItem }: Neighbours): boolean => {
  const indent = line.left - line.region.left
  if (isItem || indent < line.size * 0.8 || Math.abs(line.left - before.left) < line.size * 0.5) return false
  return after?.region !== line.region || after.left < line.left - line.size * 0.5
}

const startsParagraph = (neighbours: Neighbours, spacing: number): boolean => {
  const { before, line } = neighbours
  if (Math.abs(before.size - line.size) > line.size * 0.12) return true
  if (itemMark.test(line.text)) return true
  if (before.region !== line.region) return !goesOnElsewhere(neighbours)
  const step = (line.y - before.y) / line.size
  if (step < 0 || step > spacing * 1.3) return true
  if (before.gapped !== line.gapped) return true
  if (startsIndented(neighbours)) return true
  const short = before.right < before.region.right - (before.region.right - before.region.left) * 0.2
  return !before.gapped && short && sentenceEnd.test(before.text)
}

/** Whether the next word would have fitted on the line: then the break is intended, as in an address. */
const isBrokenOnPurpose = ({ right, region, size, text }: Line, next: Line): boolean => {
  const room = region.right - right
  const word = /^\S+/.exec(next.text)?.[0].length ?? 1
  const width = ((next.right - next.left) / next.text.length) * Math.min(word, 20)
  return (
    !/[-\u2010\u00ad]$/.test(text) &&
    room > (region.right - region.left) * 0.2 &&
    room > width * 1.5 + size * 2
  )
}

const tenths = (points: number): number => Math.round(points * 10) / 10

const placeOf = ({ page, paper, left, right, y, size, rotated }: Line, at: number): LinePlace => ({
  at,
  page,
  width: tenths(paper.width),
  height: tenths(paper.height),
  ...(!rotated && { box: [tenths(left), tenths(y - size * 0.85), tenths(right), tenths(y + size * 0.25)] }),
})

/** Joins the lines of a document into paragraphs and headings. */
export function* pdfParagraphs(lines: Line[]): Generator<Block> {
  const levelOf = headingLevels(lines)
  const spacing = usualSpacing(lines)
  let open: { level: number | undefined; text: string; lines: LinePlace[] } | undefined
  const finished = (): Block[] => {
    if (!open) return []
    const { level } = open
    const text = open.text.replace(bullet, '- ')
    const shift = text.length - open.text.length
    const lines = open.lines.map(line => ({ ...line, at: Math.max(0, line.at + shift) }))
    const page = lines[0]!.page
    open = undefined
    return [
      level === undefined
        ? { kind: 'paragraph', text, page, lines }
        : { kind: 'heading', level, text, page, lines },
    ]
  }
  for (const [index, line] of lines.entries()) {
    const level = levelOf(line)
    const before = lines[index - 1]
    if (
      !open ||
      !before ||
      level !== open.level ||
      (level !== undefined && open.lines.length >= maxHeadingLines) ||
      startsParagraph({ before, line, after: lines[index + 1], isItem: itemMark.test(open.text) }, spacing)
    ) {
      yield* finished()
      open = { level, text: line.text, lines: [placeOf(line, 0)] }
      continue
    }
    const keepsBreak = line.gapped || (level === undefined && isBrokenOnPurpose(before, line))
    open.text = keepsBreak ? `${open.text}\n${line.text}` : joinLines(open.text, line.text)
    open.lines.push(placeOf(line, open.text.length - line.text.length))
  }
  yield* finished()
}
