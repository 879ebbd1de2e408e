import type { Block } from '../block.ts'

interface Mark {
  /** In the document's text. */
  from: number
  page: number | undefined
}

export interface Pages {
  page: number | undefined
  lastPage: number | undefined
}

const maxPassedMarks = 1024

/** Remembers on which page each part of the document's text stands, until the chunks of that part are written. */
export class PageMarks {
  #marks: Mark[] = []
  /** The first mark that a later range may need. */
  #start = 0

  add(from: number, { page, lines }: Block): void {
    if (!lines?.length) this.#marks.push({ from, page })
    else for (const line of lines) this.#marks.push({ from: from + line.at, page: line.page })
  }

  /** The first and last page of a range. Ranges start in the order of the text, so what precedes this one is dropped. */
  between(from: number, to: number): Pages {
    const marks = this.#marks
    while (this.#start + 1 < marks.length && marks[this.#start + 1]!.from <= from) this.#start += 1
    const pages: Pages = { page: undefined, lastPage: undefined }
    for (let at = this.#start; at < marks.length && marks[at]!.from < to; at++) {
      const { page } = marks[at]!
      pages.page ??= page
      pages.lastPage = page ?? pages.lastPage
    }
    if (this.#start > maxPassedMarks) {
      marks.splice(0, this.#start)
      this.#start = 0
    }
    return pages
  }
}
