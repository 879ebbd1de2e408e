import type { Line } from './page-lines.ts'

/** Share of the pages so far on which a running line occurs. */
const minShare = 0.4
const minPages = 3
/** Or a line occurs on this many pages, one after the other or every second: titles of chapters are on few of all pages. */
const minInSequence = 4
/** In documents up to this length, only the outermost rows are removed, if they are on all pages. */
const maxShortPages = 3
/** Left, centred and right. More cells are a row of a table or a drawing. */
const maxCells = 3
/** Running titles stand apart from the text by this multiple of the font size; headers of tables do not. */
const minApart = 2
/** Maximum number of different lines to count; further lines are not removed. */
const maxKeys = 20_000

/** "12", "- 12 -", "Page 3 of 5", "第 3 页 / 共 5 页". */
const pageNumber =
  /^[^\p{L}\p{N}]*(?:(?:page|seite|página|pagina|pg|p|s|第)[.\s]*)?(?:\d{1,4}|[ivxlc]{1,6})\s*(?:页|頁|ページ|쪽)?(?:[\s,]*(?:of|von|de|di|sur|\/|\||共)\s*\d{1,4}\s*(?:页|頁)?)?[^\p{L}\p{N}]*$/iu

/** Page numbers change, so all digits are equal; left and right pages have their own titles. */
const keyOf = ({ text, y, size }: Line): string =>
  `${Math.round(y / 8)} ${Math.round(size)} ${text.replace(/\d+|\b[ivxlc]+\b/gi, '#').replace(/\s+/g, '')}`

const numbersOf = (text: string): number[] => (text.match(/\d+/g) ?? []).map(Number)

/** The rows nearest to the edges, where they stand apart from the text. */
const outermost = (lines: Line[]): Set<Line> => {
  const found = new Set<Line>()
  const upright = lines.filter(({ rotated }) => !rotated).sort((one, other) => one.y - other.y)
  for (const fromEdge of [upright, upright.toReversed()]) {
    const edge = fromEdge[0]
    const end = fromEdge.findIndex(({ y, size }) => Math.abs(y - edge!.y) > size * 0.5)
    if (end === -1 || Math.abs(fromEdge[end]!.y - edge!.y) < edge!.size * minApart) continue
    for (const line of fromEdge.slice(0, end))
      if (line.inMargin && line.cells.length <= maxCells) found.add(line)
  }
  return found
}

interface Running {
  firstPage: number
  numbers: number[]
  pages: number
  /** Pages on which it is in the outermost row. Counted in short documents. */
  outermost: number
  lastPage: number
  inSequence: number
  maxInSequence: number
}

/** Numbers that are neither the same nor count the pages are content, as in the first row of a table on each page. */
const isSame = ({ firstPage, numbers }: Running, line: Line): boolean =>
  numbersOf(line.text).every((number, index) => {
    const first = numbers[index] ?? number
    return number === first || number - first === line.page - firstPage
  })

/** Running titles and page numbers: lines that recur at the same place near the edges of pages. */
export class RunningLines {
  readonly #known = new Map<string, Running>()
  #pages = 0
  #lastText: Line | undefined
  /** Whether a sentence continues after a page break, so that a title there would stand in the middle of it. */
  #dividesSentence = false

  learn(lines: Line[]): void {
    this.#pages += 1
    const edges = this.#pages <= maxShortPages ? outermost(lines) : new Set<Line>()
    if (edges.size > 0) this.#learnBreak(lines.filter(line => !edges.has(line)))
    for (const line of lines) if (line.inMargin) this.#add(line, edges.has(line) ? 1 : 0)
  }

  #learnBreak(text: Line[]): void {
    const [first] = text
    if (this.#lastText && first)
      this.#dividesSentence ||=
        /[\p{Ll}\p{Lo},，、\u00ad-]$/u.test(this.#lastText.text) && /^[\p{Ll}\p{Lo}]/u.test(first.text)
    this.#lastText = text.at(-1)
  }

  #add(line: Line, outermost: number): void {
    const { page } = line
    const key = keyOf(line)
    const known = this.#known.get(key)
    if (!known) {
      if (this.#known.size < maxKeys)
        this.#known.set(key, {
          ...{ firstPage: page, numbers: numbersOf(line.text), pages: 1, lastPage: page, outermost },
          ...{ inSequence: 1, maxInSequence: 1 },
        })
    } else if (known.lastPage !== page && isSame(known, line)) {
      known.pages += 1
      known.outermost += outermost
      known.inSequence = page - known.lastPage <= 2 ? known.inSequence + 1 : 1
      known.maxInSequence = Math.max(known.maxInSequence, known.inSequence)
      known.lastPage = page
    }
  }

  /** Whether a line is removed. The first occurrence of a title is kept: it may be the only place of its words. */
  has(line: Line): boolean {
    const known = line.inMargin ? this.#known.get(keyOf(line)) : undefined
    if (!known || !isSame(known, line)) return false
    if (pageNumber.test(line.text)) return known.pages > 1
    if (known.firstPage === line.page) return false
    if (this.#pages <= maxShortPages)
      return known.outermost === this.#pages && (this.#pages > 2 || this.#dividesSentence)
    const isCommon = known.pages >= Math.max(minPages, Math.ceil(this.#pages * minShare))
    return isCommon || known.maxInSequence >= minInSequence
  }
}
