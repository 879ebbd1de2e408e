import type { Block, Place } from '../../block.ts'
import { slideBlocks } from './read-pptx.ts'
import { CellBudget, DocumentTable } from './tables.ts'
import type { XmlAttributes, XmlHandler } from './xml-parser.ts'

interface Paragraph {
  level: number | undefined
  text: string
  /** Notes and text boxes anchored here, which follow the paragraph. */
  inner: Block[]
}

interface List {
  style: string | undefined
  count: number
}

const skipped = new Set('tracked-changes annotation note-citation table-of-content desc title'.split(' '))
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
  #rowRepeats = 1
  #cellRepeats = 1
  #mark = ''
  #page = 0
  #frame = ''
  #notes: string[] | undefined
  #slide: { title: string[]; blocks: Block[] } | undefined

  get #place(): Place {
    return this.#page > 0 ? { page: this.#page } : {}
  }

  skips(name: string, attributes: XmlAttributes): boolean {
    if (skipped.has(name)) return true
    const presentationClass = attributes['presentation:class'] ?? ''
    return name === 'frame' && /^(page|header|footer|date-time|page-number)$/.test(presentationClass)
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'p' || name === 'h') this.#openParagraph(name, attributes)
    else if (name === 's') this.#add(' '.repeat(numberIn(attributes['c'], maxSpaces)))
    else if (name === 'tab') this.#add('\t')
    else if (name === 'line-break') this.#add('\n')
    else if (name === 'page' && attributes['master-page-name'] !== undefined) this.#openSlide()
    else if (name === 'frame') this.#frame = attributes['presentation:class'] ?? ''
    else if (name === 'notes') this.#notes = []
    else if (name.startsWith('list')) this.#openListPart(name, attributes)
    else this.#openTablePart(name, attributes)
  }

  close(name: string): void {
    if (name === 'p' || name === 'h') this.#closeParagraph()
    else if (name === 'list') this.#lists.pop()
    else if (name === 'list-item') this.#mark = ''
    else if (name === 'frame') this.#frame = ''
    else if (name === 'notes') this.#closeNotes()
    else if (name === 'page') this.#closeSlide()
    else this.#closeTablePart(name)
  }

  /** White space in the file is formatting of the XML; real line breaks and spaces are elements. */
  text(text: string): void {
    this.#add(text.replace(/[ \t\r\n]+/g, ' '))
  }

  #add(text: string): void {
    const paragraph = this.#paragraphs.at(-1)
    if (paragraph) paragraph.text += text
  }

  #openParagraph(name: string, attributes: XmlAttributes): void {
    const level = name === 'h' ? numberIn(attributes['outline-level'], 9) : undefined
    this.#paragraphs.push({ level, text: '', inner: [] })
  }

  #openSlide(): void {
    this.#page += 1
    this.#slide = { title: [], blocks: [] }
  }

  #closeSlide(): void {
    if (!this.#slide) return
    const { title, blocks } = this.#slide
    this.#slide = undefined
    for (const block of slideBlocks(this.#page, title.join(' '), blocks)) this.#emit(block)
  }

  #openListPart(name: string, attributes: XmlAttributes): void {
    if (name === 'list-style') this.#listStyle = attributes['name']
    else if (name === 'list-level-style-number')
      this.#numbered.add(`${this.#listStyle} ${attributes['level'] ?? 1}`)
    else if (name === 'list') {
      const style = attributes['style-name'] ?? this.#lists.at(-1)?.style
      this.#lists.push({ style, count: 0 })
    } else if (name === 'list-item') {
      const list = this.#lists.at(-1)
      if (!list) return
      list.count += 1
      this.#mark = this.#numbered.has(`${list.style} ${this.#lists.length}`) ? `${list.count}. ` : '- '
    }
  }

  #openTablePart(name: string, attributes: XmlAttributes): void {
    if (name === 'table' && this.#table) this.#table.openNested()
    else if (name === 'table') this.#table = new DocumentTable(this.#place, this.#budget)
    else if (name === 'table-row') {
      this.#table?.openRow()
      this.#rowRepeats = numberIn(attributes['number-rows-repeated'], maxRepeats)
    } else if (name === 'table-cell' || name === 'covered-table-cell') {
      this.#table?.openCell()
      this.#cellRepeats = numberIn(attributes['number-columns-repeated'], maxRepeats)
    }
  }

  #closeTablePart(name: string): void {
    if (name === 'table-cell' || name === 'covered-table-cell')
      for (; this.#cellRepeats > 0; this.#cellRepeats--) this.#table?.closeCell()
    else if (name === 'table-row') this.#table?.closeRow(this.#rowRepeats)
    else if (name === 'table' && this.#table?.close()) {
      const ended = this.#table
      this.#table = undefined
      for (const block of ended.blocks()) this.#emit(block)
    }
  }

  #closeParagraph(): void {
    const paragraph = this.#paragraphs.pop()
    if (!paragraph) return
    const text = paragraph.text.trim()
    if (text !== '') this.#emitParagraph(paragraph, text)
    for (const block of paragraph.inner) this.#emit(block)
  }

  #emitParagraph({ level }: Paragraph, text: string): void {
    const mark = level === undefined ? this.#mark : ''
    // Only the first paragraph of an item has its marker.
    this.#mark = ''
    if (this.#table) this.#table.add(`${mark}${text}`)
    else if (this.#notes) this.#notes.push(text)
    else if (this.#frame === 'title' && this.#slide) this.#slide.title.push(text.replace(/\s+/g, ' '))
    else if (level !== undefined) this.#emit({ kind: 'heading', level, text, ...this.#place })
    else this.#emit({ kind: 'paragraph', text: `${mark}${text}`, ...this.#place })
  }

  #closeNotes(): void {
    const text = this.#notes?.join('\n') ?? ''
    this.#notes = undefined
    if (text !== '') this.#emit({ kind: 'paragraph', text: `Notes: ${text}`, ...this.#place })
  }

  #emit(block: Block): void {
    const into = this.#paragraphs[0]?.inner ?? this.#slide?.blocks ?? this.ready
    into.push(block)
  }
}
