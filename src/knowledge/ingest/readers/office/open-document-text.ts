import type { Block, Place } from '../../block.ts'
import { commentText, type Margins } from './margins.ts'
import type { OpenDocumentLists } from './open-document-lists.ts'
import { slideBlocks } from './read-pptx.ts'
import { CellBudget, DocumentTable } from './tables.ts'
import type { XmlAttributes, XmlEnd, XmlHandler } from './xml-parser.ts'

interface Paragraph {
  text: string
  /** Notes, comments and text boxes anchored here, which follow the paragraph. */
  inner: Block[]
}

interface Slide {
  title: string[]
  blocks: Block[]
}

interface Comment {
  author: string
  lines: string[]
}

const skipped = new Set('tracked-changes table-of-content desc title'.split(' '))
const skippedInComments = new Set('date date-string creator-initials sender-initials'.split(' '))
/** Frames that repeat on every slide. */
const furniture = new Set(['page', 'page-number'])
const margins: Record<string, 'header' | 'footer'> = {
  ...{ header: 'header', 'header-decl': 'header' },
  ...{ footer: 'footer', 'footer-decl': 'footer', 'date-time': 'footer', 'date-time-decl': 'footer' },
}
const maxSpaces = 100
const maxRepeats = 64

const numberIn = (text: string | undefined, max: number): number =>
  Math.max(1, Math.min(max, Math.trunc(Number(text)) || 1))

export const shownText = (block: Block): string =>
  block.kind === 'table' ? block.rows.flat().join(' ') : block.text

/** Text documents, and presentations, whose slides are text in frames. */
export class OpenDocumentText implements XmlHandler {
  readonly ready: Block[] = []
  readonly #budget = new CellBudget()
  readonly #lists: OpenDocumentLists
  readonly #margins: Margins
  readonly #paragraphs: Paragraph[] = []
  #table: DocumentTable | undefined
  /** Of the note that is open, until it is written. */
  #noteLabel = ''
  #comment: Comment | undefined
  #page = 0
  #frame = ''
  #notes: string[] | undefined
  #slide: Slide | undefined

  constructor(lists: OpenDocumentLists, margins: Margins) {
    this.#lists = lists
    this.#margins = margins
  }

  get #place(): Place {
    return this.#page > 0 ? { page: this.#page } : {}
  }

  open(name: string, attributes: XmlAttributes): XmlEnd {
    if (skipped.has(name) || (this.#comment && skippedInComments.has(name))) return false
    if (name === 'p') return this.#openParagraph(attributes)
    if (name === 'h') return this.#openParagraph(attributes, numberIn(attributes['outline-level'], 9))
    if (name === 's') this.#add(' '.repeat(numberIn(attributes['c'], maxSpaces)))
    else if (name === 'tab') this.#add('\t')
    else if (name === 'line-break') this.#add('\n')
    else if (name === 'page' && attributes['master-page-name'] !== undefined) return this.#openSlide()
    else if (name === 'frame') return this.#openFrame(attributes['presentation:class'] ?? '')
    else if (name === 'notes') return this.#openNotes()
    else if (name === 'note-citation') return this.#openCitation()
    else if (name === 'annotation') return this.#openComment()
    else if (name.endsWith('-decl') && margins[name]) return this.#openMargin(margins[name])
    else if (name === 'list') return this.#lists.openList(attributes)
    else if (name === 'list-item') return this.#lists.openItem(attributes)
    else if (name.includes('style')) this.#lists.define(name, attributes)
    else return this.#openTablePart(name, attributes)
  }

  /** White space in the file is formatting of the XML; real line breaks and spaces are elements. */
  text(text: string, parent: string): void {
    if (this.#comment && parent === 'creator') this.#comment.author += text
    else this.#add(text.replace(/[ \t\r\n]+/g, ' '))
  }

  #add(text: string): void {
    const paragraph = this.#paragraphs.at(-1)
    if (paragraph) paragraph.text += text
  }

  #openSlide(): XmlEnd {
    this.#page += 1
    const slide: Slide = { title: [], blocks: [] }
    this.#slide = slide
    return () => {
      this.#slide = undefined
      for (const block of slideBlocks(this.#page, slide.title.join(' '), slide.blocks)) this.#emit(block)
    }
  }

  #openFrame(kind: string): XmlEnd {
    if (furniture.has(kind)) return false
    this.#frame = kind
    const end = margins[kind] && this.#openMargin(margins[kind])
    return () => {
      this.#frame = ''
      end?.()
    }
  }

  /** The text inside goes to the headers and footers of the document. */
  #openMargin(kind: 'header' | 'footer'): () => void {
    const outer = this.#paragraphs.splice(0, Infinity, { text: '', inner: [] })
    return () => {
      const [margin] = this.#paragraphs.splice(0, Infinity, ...outer)
      if (margin) this.#margins.add(kind, [margin.text, ...margin.inner.map(shownText)].join(' '))
    }
  }

  /** The number of a note, where it is referred to and before its text. */
  #openCitation(): XmlEnd {
    const citation: Paragraph = { text: '', inner: [] }
    this.#paragraphs.push(citation)
    return () => {
      this.#paragraphs.pop()
      if (citation.text.trim() === '') return
      this.#noteLabel = `[${citation.text.trim()}] `
      this.#add(this.#noteLabel.trimEnd())
    }
  }

  #openComment(): XmlEnd {
    const comment: Comment = { author: '', lines: [] }
    this.#comment = comment
    return () => {
      this.#comment = undefined
      if (comment.lines.length === 0) return
      const text = commentText(comment.author.trim(), comment.lines.join('\n'))
      if (this.#table) this.#table.add(text)
      else this.#emit({ kind: 'paragraph', text, ...this.#place })
    }
  }

  #openNotes(): XmlEnd {
    const notes: string[] = []
    this.#notes = notes
    return () => {
      this.#notes = undefined
      if (notes.length > 0)
        this.#emit({ kind: 'paragraph', text: `Notes: ${notes.join('\n')}`, ...this.#place })
    }
  }

  #openTablePart(name: string, attributes: XmlAttributes): XmlEnd {
    if (name === 'table') return this.#table ? this.#table.openNested() : this.#openTable()
    if (name === 'table-row')
      return this.#table?.openRow(numberIn(attributes['number-rows-repeated'], maxRepeats))
    if (name === 'table-cell' || name === 'covered-table-cell')
      return this.#table?.openCell(numberIn(attributes['number-columns-repeated'], maxRepeats))
  }

  #openTable(): XmlEnd {
    const table = new DocumentTable(this.#place, this.#budget)
    this.#table = table
    return () => {
      this.#table = undefined
      for (const block of table.blocks()) this.#emit(block)
    }
  }

  #openParagraph(attributes: XmlAttributes, level?: number): XmlEnd {
    const paragraph: Paragraph = { text: '', inner: [] }
    this.#paragraphs.push(paragraph)
    return () => {
      this.#paragraphs.pop()
      const text = paragraph.text.trim()
      // An empty heading has no number, an empty item has one.
      const mark =
        level === undefined
          ? this.#lists.marker(attributes['style-name'])
          : text && this.#lists.headingMark(attributes, level)
      if (text !== '') this.#emitParagraph(level, text, mark)
      for (const block of paragraph.inner) this.#emit(block)
    }
  }

  #emitParagraph(level: number | undefined, content: string, mark: string): void {
    const text = `${this.#noteLabel}${mark}${content}`
    this.#noteLabel = ''
    if (this.#comment) this.#comment.lines.push(content)
    else if (this.#table) this.#table.add(text)
    else if (this.#notes) this.#notes.push(text)
    else if (this.#frame === 'title' && this.#slide) this.#slide.title.push(text.replace(/\s+/g, ' '))
    else if (level !== undefined) this.#emit({ kind: 'heading', level, text, ...this.#place })
    else this.#emit({ kind: 'paragraph', text, ...this.#place })
  }

  #emit(block: Block): void {
    const into = this.#paragraphs[0]?.inner ?? this.#slide?.blocks ?? this.ready
    into.push(block)
  }
}
