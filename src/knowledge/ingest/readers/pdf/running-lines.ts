import type { Line } from './page-lines.ts'

/** Share of the pages so far on which a running line occurs. */
const minShare = 0.4
const minPages = 3
/** Or a line occurs on this many pages, one after the other or every second: titles of chapters are on few of all pages. */
const minInSequence = 4
/** Maximum number of different lines to count; further lines are not removed. */
const maxKeys = 20_000

/** "12", "- 12 -", "Page 3 of 5", "第 3 页 / 共 5 页". */
const pageNumber =
  /^[^\p{L}\p{N}]*(?:(?:page|seite|página|pagina|pg|p|s|第)[.\s]*)?(?:\d{1,4}|[ivxlc]{1,6})\s*(?:页|頁|ページ|쪽)?(?:[\s,]*(?:of|von|de|di|sur|\/|\||共)\s*\d{1,4}\s*(?:页|頁)?)?[^\p{L}\p{N}]*$/iu

/** Page numbers change, so all digits are equal; left and right pages have their own titles. */
const keyOf = ({ text, y, size }: Line): string =>
  `${Math.round(y / 8)} ${Math.round(size)} ${text.replace(/\d+|\b[ivxlc]+\b/gi, '#').replace(/\s+/g, '')}`

const numbersOf = (text: string): number[] => (text.match(/\d+/g) ?? []).map(Number)

interface Running {
  firstPage: number
  numbers: number[]
  pages: number
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

  learn(lines: Line[]): void {
    this.#pages += 1
    for (const line of lines) if (line.inMargin) this.#add(line)
  }

  #add(line: Line): void {
    const { page } = line
    const key = keyOf(line)
    const known = this.#known.get(key)
    if (!known) {
      if (this.#known.size < maxKeys)
        this.#known.set(key, {
          ...{ firstPage: page, numbers: numbersOf(line.text), pages: 1, lastPage: page },
          ...{ inSequence: 1, maxInSequence: 1 },
        })
    } else if (known.lastPage !== page && isSame(known, line)) {
      known.pages += 1
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
    const isCommon = known.pages >= Math.max(minPages, Math.ceil(this.#pages * minShare))
    return this.#pages > minPages && (isCommon || known.maxInSequence >= minInSequence)
  }
}
