import type { Block, Place } from '../../block.ts'
import { slideBlocks } from './read-pptx.ts'
import { CellBudget, DocumentTable } from './tables.ts'
import type { XmlAttributes, XmlEnd, XmlHandler } from './xml-parser.ts'

interface Paragraph {
  text: string
  /** Notes and text boxes anchored here, which follow the paragraph. */
  inner: Block[]
}

interface Slide {
  title: string[]
  blocks: Block[]
}

interface List {
  style: string | undefined
  count: number
}

const skipped = new Set('tracked-changes annotation note-citation table-of-content desc title'.split(' '))
/** Frames that repeat on every slide. */
const furniture = new Set(['page', 'header', 'footer', 'date-time', 'page-number'])
const maxSpaces = 100
const maxRepeats = 64

const numberIn = (text: string | undefined, max: number): number =>
  Math.max(1, Math.min(max, Math.trunc(Number(text)) || 1))

/** Text documents, and presentations, whose slides are text in frames. */
export class OpenDocumentText implements XmlHandler {
  readonly ready: Block[] = []
  readonly #budget = new CellBudget()
  /** Style and level of numbered lists. Styles precede the text, so one pass is enough. */
  readonly #numbered = new Set<string>()
  #listStyle: string | undefined
  readonly #paragraphs: Paragraph[] = []
  readonly #lists: List[] = []
  #table: DocumentTable | undefined
  #mark = ''
  #page = 0
  #frame = ''
  #notes: string[] | undefined
  #slide: Slide | undefined

  get #place(): Place {
    return this.#page > 0 ? { page: this.#page } : {}
  }

  open(name: string, attributes: XmlAttributes): XmlEnd {
    if (skipped.has(name)) return false
    if (name === 'p') return this.#openParagraph()
    if (name === 'h') return this.#openParagraph(numberIn(attributes['outline-level'], 9))
    if (name === 's') this.#add(' '.repeat(numberIn(attributes['c'], maxSpaces)))
    else if (name === 'tab') this.#add('\t')
    else if (name === 'line-break') this.#add('\n')
    else if (name === 'page' && attributes['master-page-name'] !== undefined) return this.#openSlide()
    else if (name === 'frame') return this.#openFrame(attributes['presentation:class'] ?? '')
    else if (name === 'notes') return this.#openNotes()
    else if (name.startsWith('list')) return this.#openListPart(name, attributes)
    else return this.#openTablePart(name, attributes)
  }

  /** White space in the file is formatting of the XML; real line breaks and spaces are elements. */
  text(text: string): void {
    this.#add(text.replace(/[ \t\r\n]+/g, ' '))
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
    return () => {
      this.#frame = ''
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

  #openListPart(name: string, attributes: XmlAttributes): XmlEnd {
    const list = this.#lists.at(-1)
    if (name === 'list-style') this.#listStyle = attributes['name']
    else if (name === 'list-level-style-number')
      this.#numbered.add(`${this.#listStyle} ${attributes['level'] ?? 1}`)
    else if (name === 'list') {
      this.#lists.push({ style: attributes['style-name'] ?? list?.style, count: 0 })
      return () => {
        this.#lists.pop()
      }
    } else if (name === 'list-item' && list) {
      list.count += 1
      this.#mark = this.#numbered.has(`${list.style} ${this.#lists.length}`) ? `${list.count}. ` : '- '
      return () => {
        this.#mark = ''
      }
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

  #openParagraph(level?: number): XmlEnd {
    const paragraph: Paragraph = { text: '', inner: [] }
    this.#paragraphs.push(paragraph)
    return () => {
      this.#paragraphs.pop()
      const text = paragraph.text.trim()
      if (text !== '') this.#emitParagraph(level, text)
      for (const block of paragraph.inner) this.#emit(block)
    }
  }

  #emitParagraph(level: number | undefined, text: string): void {
    const mark = level === undefined ? this.#mark : ''
    // Only the first paragraph of an item has its marker.
    this.#mark = ''
    if (this.#table) this.#table.add(`${mark}${text}`)
    else if (this.#notes) this.#notes.push(text)
    else if (this.#frame === 'title' && this.#slide) this.#slide.title.push(text.replace(/\s+/g, ' '))
    else if (level !== undefined) this.#emit({ kind: 'heading', level, text, ...this.#place })
    else this.#emit({ kind: 'paragraph', text: `${mark}${text}`, ...this.#place })
  }

  #emit(block: Block): void {
    const into = this.#paragraphs[0]?.inner ?? this.#slide?.blocks ?? this.ready
    into.push(block)
  }
}
