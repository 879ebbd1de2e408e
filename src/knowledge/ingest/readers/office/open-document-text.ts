import type { Block, Place } from '../../block.ts'
import { type Script, scriptText } from '../text/raised-text.ts'
import { imageText } from './image-text.ts'
import { commentText, type Margins } from './margins.ts'
import { MathText } from './math-text.ts'
import type { OpenDocumentLists } from './open-document-lists.ts'
import type { OpenDocumentScripts } from './open-document-scripts.ts'
import { slideBlocks } from './read-pptx.ts'
import { type CellBudget, DocumentTable } from './tables.ts'
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

export interface OpenDocumentContext {
  lists: OpenDocumentLists
  scripts: OpenDocumentScripts
  margins: Margins
  budget: CellBudget
  /** Formulas, charts and sheets by the folders that hold them. */
  objects: Map<string, Block[]>
  /** A drawing has pages as well, but is part of its document. */
  hasSlides: boolean
}

/** An image, a shape or a group, with the alternative texts that it was given. */
interface Shape {
  title: string
  desc: string
  /** Number of paragraphs around the shape; deeper paragraphs are its own text. */
  depth: number
}

const skipped = new Set('tracked-changes table-of-content ruby-text script'.split(' '))
export const shapes: ReadonlySet<string> = new Set(
  'frame custom-shape g rect ellipse circle line path polygon polyline connector'.split(' '),
)
const skippedInComments = new Set('date date-string creator-initials sender-initials'.split(' '))
/** Frames that repeat on every slide. */
const furniture = new Set(['page', 'page-number'])
const margins = new Map<string, 'header' | 'footer'>([
  ['header', 'header'],
  ['header-decl', 'header'],
  ['footer', 'footer'],
  ['footer-decl', 'footer'],
  ['date-time', 'footer'],
  ['date-time-decl', 'footer'],
])
/** Elements that only describe the appearance: they have half of the attributes of a document, and none of its text. */
export const looks: ReadonlySet<string> = new Set(
  (
    'paragraph-properties graphic-properties table-properties table-column-properties table-row-properties ' +
    'table-cell-properties section-properties page-layout-properties header-footer-properties ruby-properties ' +
    'drawing-page-properties chart-properties list-level-properties font-face table-column config-item ' +
    'number-style date-style time-style percentage-style currency-style boolean-style text-style'
  ).split(' '),
)
const maxSpaces = 100
const maxRepeats = 64
const maxRowSpan = 1000

const numberIn = (text: string | undefined, max: number): number =>
  Math.max(1, Math.min(max, Math.trunc(Number(text)) || 1))

/** The folder of an embedded object: `Object 1` for `./Object 1`. */
export const folderOf = (href: string): string => href.replace(/^\.\/|\/$/g, '')

export const shownText = (block: Block): string =>
  block.kind === 'table' ? block.rows.flat().join(' ') : block.text

/** Text documents, and presentations, whose slides are text in frames. */
export class OpenDocumentText implements XmlHandler {
  readonly ready: Block[] = []
  readonly unused = looks
  readonly #context: OpenDocumentContext
  readonly #lists: OpenDocumentLists
  readonly #margins: Margins
  readonly #shapes: Shape[] = []
  readonly #scripts: (Script | undefined)[] = []
  #math: MathText | undefined
  readonly #paragraphs: Paragraph[] = []
  #table: DocumentTable | undefined
  /** The label of the open note, until it is written. */
  #noteLabel = ''
  #comment: Comment | undefined
  #page = 0
  #frame = ''
  #notes: string[] | undefined
  #slide: Slide | undefined

  constructor(context: OpenDocumentContext) {
    this.#context = context
    this.#lists = context.lists
    this.#margins = context.margins
  }

  get #place(): Place {
    return this.#page > 0 ? { page: this.#page } : {}
  }

  open(name: string, attributes: XmlAttributes): XmlEnd {
    if (this.#math) return this.#math.open(name)
    if (skipped.has(name) || (this.#comment && skippedInComments.has(name))) return false
    if (name === 'p') return this.#openParagraph(attributes)
    if (name === 'h') return this.#openParagraph(attributes, numberIn(attributes['outline-level'], 9))
    if (name === 's') this.#add(' '.repeat(numberIn(attributes['c'], maxSpaces)))
    else if (name === 'tab') this.#add('\t')
    else if (name === 'line-break') this.#add('\n')
    else if (name === 'page' && this.#context.hasSlides) return this.#openSlide()
    else if (shapes.has(name)) return this.#openShape(attributes['presentation:class'])
    else if (name === 'span') return this.#openSpan(attributes['style-name'])
    else if (name === 'math') return this.#openMath()
    else if (name === 'object') this.#embed(attributes['href'] ?? '')
    else if (name === 'notes') return this.#openNotes()
    else if (name === 'note-citation') return this.#openCitation()
    else if (name === 'annotation') return this.#openComment()
    else if (name.endsWith('-decl') && margins.has(name)) return this.#openMargin(margins.get(name)!)
    else if (name === 'list') return this.#lists.openList(attributes)
    else if (name === 'list-item') return this.#lists.openItem(attributes)
    else if (name === 'numbered-paragraph') return this.#lists.openNumberedParagraph(attributes)
    else if (name.includes('style')) {
      this.#lists.define(name, attributes)
      this.#context.scripts.define(name, attributes)
    } else if (name === 'text-properties') this.#context.scripts.define(name, attributes)
    else return this.#openTablePart(name, attributes)
  }

  /** White space in the file is formatting of the XML; real line breaks and spaces are elements. */
  text(text: string, parent: string): void {
    const shape = this.#shapes.at(-1)
    if (this.#math) this.#math.text(text)
    else if ((parent === 'title' || parent === 'desc') && shape?.depth === this.#paragraphs.length)
      shape[parent] += text
    else if (this.#comment && parent === 'creator') this.#comment.author += text
    else this.#add(scriptText(text.replace(/[ \t\r\n]+/g, ' '), this.#scripts.at(-1)))
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

  #openShape(kind = ''): XmlEnd {
    if (furniture.has(kind)) return false
    const outer = this.#frame
    this.#frame = kind || outer
    const margin = margins.get(kind)
    const end = margin && this.#openMargin(margin)
    const shape: Shape = { title: '', desc: '', depth: this.#paragraphs.length }
    this.#shapes.push(shape)
    return () => {
      this.#shapes.pop()
      this.#frame = outer
      end?.()
      this.#emitAside(imageText(shape.title, shape.desc))
    }
  }

  #openSpan(style: string | undefined): XmlEnd {
    this.#scripts.push(this.#context.scripts.of(style) ?? this.#scripts.at(-1))
    return () => {
      this.#scripts.pop()
    }
  }

  #openMath(): XmlEnd {
    const math = new MathText()
    this.#math = math
    return () => {
      this.#math = undefined
      this.#addFormula(math.line)
    }
  }

  /** A formula is part of its sentence. */
  #addFormula(line: string): void {
    if (this.#paragraphs.length > 0) this.#add(line)
    else this.#emitAside(line)
  }

  #embed(href: string): void {
    const blocks = this.#context.objects.get(folderOf(href)) ?? []
    const [first] = blocks
    if (blocks.length === 1 && first?.kind === 'paragraph') this.#addFormula(first.text)
    else for (const block of blocks) this.#emit({ ...block, ...this.#place })
  }

  /** Emits text that stands beside the main text. */
  #emitAside(text: string): void {
    if (text === '') return
    if (this.#table) this.#table.add(text)
    else this.#emit({ kind: 'paragraph', text, ...this.#place })
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
      this.#emitAside(commentText(comment.author.trim(), comment.lines.join('\n')))
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
    const columns = numberIn(attributes['number-columns-repeated'], maxRepeats)
    if (name === 'table-cell') {
      const end = this.#table?.openCell(columns)
      this.#table?.spanRows(numberIn(attributes['number-rows-spanned'], maxRowSpan))
      return end
    }
    if (name === 'covered-table-cell') return this.#table?.openCoveredCell(columns)
  }

  #openTable(): XmlEnd {
    const table = new DocumentTable(this.#place, this.#context.budget)
    this.#table = table
    return () => {
      this.#table = undefined
      for (const block of table.blocks()) this.#emit(block)
    }
  }

  #openParagraph(attributes: XmlAttributes, level?: number): XmlEnd {
    const paragraph: Paragraph = { text: '', inner: [] }
    this.#paragraphs.push(paragraph)
    // The marker comes before the content of the paragraph, and counts even if that is empty.
    const mark =
      level === undefined
        ? this.#lists.marker(attributes['style-name'])
        : this.#lists.headingMark(attributes, level)
    const resumeLists = this.#lists.suspend()
    return () => {
      resumeLists()
      this.#paragraphs.pop()
      const text = paragraph.text.trim()
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
