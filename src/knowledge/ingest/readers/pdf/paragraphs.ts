import type { Block, Box, LinePlace } from '../../block.ts'
import { rowText } from '../../chunking/document-text.ts'
import { type BoldFonts, linesSetApart } from './bold-headings.ts'
import type { DocumentFacts } from './document-facts.ts'
import type { Line } from './page-lines.ts'
import { type Table, type TableRow, withTables } from './page-tables.ts'
import { joinsWithoutSpace } from './piece-text.ts'

const itemMark =
  /^(?:[•‣◦▪●○■□–—·*\ue000-\uf8ff-]\s*|\(?\d{1,3}[.)、]\s*|[（(][一二三四五六七八九十\d]{1,3}[）)]|[一二三四五六七八九十]{1,3}、)(?=\S)/
const bullet = /^[•‣◦▪●○■□·\ue000-\uf8ff]\s*/
const sentenceEnd = /[.!?。！？:：;；…"”』」)）]$/
const maxHeadingLines = 3

const isGapped = ({ cells }: Line): boolean => cells.length > 1

const isWordDivided = (text: string, next: string): boolean =>
  /\p{Ll}[-\u2010]$/u.test(text) && /^\p{Ll}/u.test(next)

const joinLines = (text: string, next: string, facts: DocumentFacts): string => {
  if (text.endsWith('\u00ad')) return text.slice(0, -1) + next
  if (isWordDivided(text, next))
    return facts.keepsHyphen(text.slice(0, -1), next) ? text + next : text.slice(0, -1) + next
  return joinsWithoutSpace(text, next) ? text + next : `${text} ${next}`
}

interface Neighbours {
  before: Line
  line: Line
  after: Line | undefined
  isItem: boolean
  isHeading: boolean
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
  const { before, line, isHeading } = neighbours
  if (Math.abs(before.size - line.size) > line.size * 0.12) return true
  if (itemMark.test(line.text)) return true
  if (before.region !== line.region) return !goesOnElsewhere(neighbours)
  const step = (line.y - before.y) / line.size
  if (step < 0 || step > (isHeading ? Math.max(spacing, 1.3) : spacing) * 1.3) return true
  if (isWordDivided(before.text, line.text)) return false
  if (isGapped(before) !== isGapped(line)) return true
  if (startsIndented(neighbours)) return true
  const short = before.right < before.region.right - (before.region.right - before.region.left) * 0.2
  return !isGapped(before) && short && sentenceEnd.test(before.text)
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

/** A row has one box around all of its lines. */
const placeOfRow = ({ lines }: TableRow, at: number): LinePlace => {
  const [first, ...rest] = lines.map(line => placeOf(line, at))
  const boxes = rest.flatMap(({ box }) => (box ? [box] : []))
  if (!first!.box || boxes.length === 0) return first!
  const box = boxes.reduce<Box>(
    (one, other) => [
      Math.min(one[0], other[0]),
      Math.min(one[1], other[1]),
      Math.max(one[2], other[2]),
      Math.max(one[3], other[3]),
    ],
    first!.box,
  )
  return { ...first!, box }
}

interface Open {
  level: number | undefined
  text: string
  lines: LinePlace[]
}

/** Joins the lines of a document into paragraphs, headings and tables, page by page. */
export class PdfBlocks {
  readonly #facts: DocumentFacts
  readonly #bold: BoldFonts
  #open: Open | undefined
  #before: Line | undefined
  /** The header of a table at the end of the previous page, which may continue. */
  #header: { cells: string[]; page: number } | undefined

  constructor(facts: DocumentFacts, bold: BoldFonts) {
    this.#facts = facts
    this.#bold = bold
  }

  *page(lines: Line[]): Generator<Block> {
    const items = withTables(lines)
    const bold = linesSetApart(lines, this.#facts, line => this.#bold.has(line))
    for (const [index, item] of items.entries()) {
      const next = items[index + 1]
      if ('rows' in item) yield* this.#table(item, index === 0, next === undefined)
      else yield* this.#line(item, next && !('rows' in next) ? next : undefined, bold.has(item))
    }
  }

  *end(): Generator<Block> {
    if (!this.#open) return
    const { level, ...open } = this.#open
    const text = open.text.replace(bullet, '- ')
    const shift = text.length - open.text.length
    const lines = open.lines.map(line => ({ ...line, at: Math.max(0, line.at + shift) }))
    const page = lines[0]!.page
    this.#open = undefined
    yield level === undefined
      ? { kind: 'paragraph', text, page, lines }
      : { kind: 'heading', level, text, page, lines }
  }

  *#line(line: Line, after: Line | undefined, isBold: boolean): Generator<Block> {
    const level = this.#facts.levelOf(line, isBold)
    const before = this.#before
    this.#before = line
    this.#header = undefined
    const open = this.#open
    if (
      !open ||
      !before ||
      level !== open.level ||
      (level !== undefined && open.lines.length >= maxHeadingLines) ||
      startsParagraph(
        { before, line, after, isItem: itemMark.test(open.text), isHeading: level !== undefined },
        this.#facts.spacing,
      )
    ) {
      yield* this.end()
      this.#open = { level, text: line.text, lines: [placeOf(line, 0)] }
      return
    }
    const keepsBreak =
      (isGapped(line) && !isWordDivided(open.text, line.text)) ||
      (level === undefined && isBrokenOnPurpose(before, line))
    open.text = keepsBreak ? `${open.text}\n${line.text}` : joinLines(open.text, line.text, this.#facts)
    open.lines.push(placeOf(line, open.text.length - line.text.length))
  }

  /** The first row is the header, unless the table continues from the previous page. */
  *#table(table: Table, isFirst: boolean, isLast: boolean): Generator<Block> {
    yield* this.end()
    const above = isFirst ? this.#header : undefined
    const goesOn = above?.page === table.page - 1 && above.cells.length === table.columns
    const [first, ...rest] = table.rows
    const isRepeated = goesOn && rowText(first!.cells) === rowText(above.cells)
    const header = goesOn ? above.cells : first!.cells
    const rows = goesOn && !isRepeated ? table.rows : rest
    let at = goesOn ? rowText(header).length + 1 : 0
    const lines: LinePlace[] = []
    for (const row of goesOn ? rows : table.rows) {
      lines.push(placeOfRow(row, at))
      at += rowText(row.cells).length + 1
    }
    this.#before = undefined
    this.#header = isLast ? { cells: header, page: table.page } : undefined
    if (rows.length > 0)
      yield { kind: 'table', header, rows: rows.map(({ cells }) => cells), page: table.page, lines }
  }
}
