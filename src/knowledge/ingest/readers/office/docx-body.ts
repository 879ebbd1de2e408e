import type { Block, Place } from '../../block.ts'
import { applyProperty, type DocxLists, type DocxStyles, type ParagraphProperties } from './docx-styles.ts'
import { type CellBudget, DocumentTable } from './tables.ts'
import type { XmlAttributes, XmlHandler } from './xml-parser.ts'

interface Paragraph extends ParagraphProperties {
  style: string | undefined
  text: string
  /** The content of text boxes anchored here, which follows the paragraph. */
  boxed: Block[]
  place: Place
  inProperties: boolean
}

export interface DocxContext {
  budget: CellBudget
  styles: DocxStyles
  lists: DocxLists
  /** Whether the document records page breaks. */
  paged: boolean
  /** Numbers of the referenced notes, in the order of the references. */
  notes: Map<string, number>
}

const skipped = new Set(['del', 'moveFrom', 'rt', 'instrText', 'delText'])

/** Converts the main text, or one note, into blocks. */
export class DocxBody implements XmlHandler {
  readonly ready: Block[] = []
  readonly #context: DocxContext
  readonly #paragraphs: Paragraph[] = []
  /** Each table with the number of paragraphs open around it, because a text box starts a separate text. */
  readonly #tables: { table: DocumentTable; around: number }[] = []
  #page = 1
  #sinceBreak = true
  #inText = false
  #inRowProperties = false

  constructor(context: DocxContext) {
    this.#context = context
  }

  get #place(): Place {
    return this.#context.paged ? { page: this.#page } : {}
  }

  get #table(): DocumentTable | undefined {
    return this.#tables.at(-1)?.table
  }

  skips(name: string): boolean {
    if (name === 'del' && this.#inRowProperties) this.#table?.dropRow()
    return skipped.has(name)
  }

  open(name: string, attributes: XmlAttributes): void {
    const paragraph = this.#paragraphs.at(-1)
    if (name === 'p') this.#openParagraph()
    else if (paragraph?.inProperties) this.#applyProperty(paragraph, name, attributes)
    else if (name === 'pPr' && paragraph) paragraph.inProperties = true
    else if (name === 't') this.#inText = true
    else if (paragraph && this.#addSpecialCharacter(paragraph, name, attributes)) return
    else this.#openTablePart(name, attributes)
  }

  close(name: string): void {
    if (name === 't') this.#inText = false
    else if (name === 'pPr') {
      const paragraph = this.#paragraphs.at(-1)
      if (paragraph) paragraph.inProperties = false
    } else if (name === 'p') this.#closeParagraph()
    else this.#closeTablePart(name)
  }

  text(text: string): void {
    const paragraph = this.#paragraphs.at(-1)
    if (!this.#inText || !paragraph) return
    paragraph.text += text
    this.#sinceBreak = true
  }

  #openParagraph(): void {
    this.#paragraphs.push({
      style: undefined,
      text: '',
      boxed: [],
      place: this.#place,
      inProperties: false,
      outline: undefined,
      list: undefined,
      level: undefined,
    })
  }

  #applyProperty(paragraph: Paragraph, name: string, attributes: XmlAttributes): void {
    if (name === 'pStyle') paragraph.style = attributes['val']
    else applyProperty(paragraph, name, attributes)
  }

  /** Elements that stand for a character or a page break. */
  #addSpecialCharacter(paragraph: Paragraph, name: string, attributes: XmlAttributes): boolean {
    if (name === 'tab' || name === 'ptab') paragraph.text += '\t'
    else if (name === 'noBreakHyphen') paragraph.text += '-'
    else if (name === 'cr') paragraph.text += '\n'
    else if (name === 'lastRenderedPageBreak') this.#breakPage(paragraph)
    else if (name === 'br' && attributes['type'] === 'page') this.#breakPage(paragraph)
    else if (name === 'br') paragraph.text += '\n'
    else if (name === 'footnoteReference' || name === 'endnoteReference')
      paragraph.text += `[${this.#noteNumber(`${name} ${attributes['id'] ?? ''}`)}]`
    else return false
    return true
  }

  #noteNumber(note: string): number {
    const { notes } = this.#context
    const number = notes.get(note) ?? notes.size + 1
    notes.set(note, number)
    return number
  }

  /** Word records a requested break, and again where it was rendered. */
  #breakPage(paragraph: Paragraph): void {
    if (!this.#sinceBreak) return
    this.#page += 1
    this.#sinceBreak = false
    if (paragraph.text === '') paragraph.place = this.#place
  }

  #openTablePart(name: string, { val }: XmlAttributes): void {
    const around = this.#paragraphs.length
    if (name === 'tbl') {
      if (this.#tables.at(-1)?.around === around) this.#table?.openNested()
      else this.#tables.push({ table: new DocumentTable(this.#place, this.#context.budget), around })
    } else if (name === 'tr') this.#table?.openRow()
    else if (name === 'trPr') this.#inRowProperties = true
    else if (name === 'tc') this.#table?.openCell()
    else if (name === 'gridSpan') this.#table?.span(Number(val))
  }

  #closeTablePart(name: string): void {
    if (name === 'tc') this.#table?.closeCell()
    else if (name === 'trPr') this.#inRowProperties = false
    else if (name === 'tr') this.#table?.closeRow()
    else if (name === 'tbl' && this.#table?.close()) {
      const ended = this.#tables.pop()
      for (const block of ended?.table.blocks() ?? []) this.#emit(block)
    }
  }

  #closeParagraph(): void {
    const paragraph = this.#paragraphs.pop()
    if (!paragraph) return
    const { styles, lists } = this.#context
    const text = paragraph.text.trim()
    if (text !== '' && !styles.isContents(paragraph.style)) {
      const level = styles.headingLevel(paragraph.style, paragraph.outline)
      const mark = lists.marker(styles.listPosition(paragraph.style, paragraph))
      const { place } = paragraph
      if (this.#inTable()) this.#table?.add(`${mark}${text}`)
      else if (level !== undefined) this.#emit({ kind: 'heading', level, text, ...place })
      else if (styles.isTitle(paragraph.style)) this.#emit({ kind: 'heading', level: 1, text, ...place })
      else this.#emit({ kind: 'paragraph', text: `${mark}${text}`, ...place })
    }
    for (const block of paragraph.boxed) this.#emit(block)
  }

  /** A text box inside a cell is part of the cell. */
  #inTable(): boolean {
    return this.#tables.length > 0
  }

  #emit(block: Block): void {
    const outer = this.#paragraphs[0]
    const { text } = block.kind === 'table' ? { text: '' } : block
    if (this.#inTable() && text !== '') this.#table?.add(text)
    else (outer?.boxed ?? this.ready).push(block)
  }
}
