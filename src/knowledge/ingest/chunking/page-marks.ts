import type { Block, LinePlace, PageBoxes } from '../block.ts'

interface Mark {
  /** Position in the document's text. */
  from: number
  page: number | undefined
  line?: LinePlace
}

interface Pages {
  page: number | undefined
  lastPage: number | undefined
  boxes: PageBoxes[]
}

const maxPassedMarks = 1024
/** A passage has some 40 lines; tables of single digits may have many more. */
const maxBoxes = 300

const addBox = (pages: PageBoxes[], { page, width, height, box }: LinePlace): void => {
  if (!box) return
  const last = pages.at(-1)
  if (last?.page === page) last.boxes.push(box)
  else pages.push({ page, width, height, boxes: [box] })
}

/** Remembers on which page each part of the document's text stands, until the chunks of that part are written. */
export class PageMarks {
  #marks: Mark[] = []
  /** The first mark that a later range may need. */
  #start = 0

  add(from: number, { page, lines }: Block): void {
    if (!lines?.length) this.#marks.push({ from, page })
    else for (const line of lines) this.#marks.push({ from: from + line.at, page: line.page, line })
  }

  /** The pages of a range from `start` on, and its boxes on them. Ranges come in the order of the text. */
  between(from: number, start: number, to: number): Pages {
    const marks = this.#marks
    while (this.#start + 1 < marks.length && marks[this.#start + 1]!.from <= from) this.#start += 1
    const pages: Pages = { page: undefined, lastPage: undefined, boxes: [] }
    const lines: LinePlace[] = []
    for (let at = this.#start; at < marks.length && marks[at]!.from < to; at++) {
      const { page, line } = marks[at]!
      if (line && lines.length < maxBoxes) lines.push(line)
      if ((marks[at + 1]?.from ?? to) <= start) continue
      pages.page ??= page
      pages.lastPage = page ?? pages.lastPage
    }
    for (const line of lines) if (line.page >= (pages.page ?? 0)) addBox(pages.boxes, line)
    if (this.#start > maxPassedMarks) {
      marks.splice(0, this.#start)
      this.#start = 0
    }
    return pages
  }
}
