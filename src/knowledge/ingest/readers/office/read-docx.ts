import type { Block, Place } from '../../block.ts'
import { applyProperty, DocxLists, DocxStyles, type ParagraphProperties } from './docx-styles.ts'
import { containsText, findMainPart, readRelationships, targetOf } from './office-package.ts'
import { CellBudget, DocumentTable } from './tables.ts'
import { blocksOfXml, parseXml, type XmlAttributes, type XmlEnd, type XmlHandler } from './xml-parser.ts'
import { openZip } from './zip-archive.ts'

interface Paragraph extends ParagraphProperties {
  style?: string
  text: string
  /** The content of text boxes anchored here, which follows the paragraph. */
  boxed: Block[]
  place: Place
  inProperties: boolean
}

interface DocxContext {
  budget: CellBudget
  styles: DocxStyles
  lists: DocxLists
  paged: boolean
  /** Numbers of the referenced notes, in the order of the references. */
  notes: Map<string, number>
}

const skipped = new Set(['del', 'moveFrom', 'rt', 'instrText', 'delText'])

const characters = new Map([
  ['tab', '\t'],
  ['ptab', '\t'],
  ['noBreakHyphen', '-'],
  ['cr', '\n'],
  ['br', '\n'],
])

/** Converts the main text, or the notes, into blocks. */
class DocxBody implements XmlHandler {
  readonly ready: Block[] = []
  readonly #context: DocxContext
  readonly #paragraphs: Paragraph[] = []
  /** Each table with the number of paragraphs open around it, because a text box starts a separate text. */
  readonly #tables: { table: DocumentTable; around: number }[] = []
  #page = 1
  #sinceBreak = true
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

  open(name: string, attributes: XmlAttributes): XmlEnd {
    if (name === 'del' && this.#inRowProperties) this.#table?.dropRow()
    if (skipped.has(name)) return false
    const paragraph = this.#paragraphs.at(-1)
    if (name === 'p') return this.#openParagraph()
    if (!paragraph) return this.#openTablePart(name, attributes)
    if (paragraph.inProperties) {
      if (name === 'pStyle') paragraph.style = attributes['val']
      else applyProperty(paragraph, name, attributes['val'])
    } else if (name === 'pPr') {
      paragraph.inProperties = true
      return () => {
        paragraph.inProperties = false
      }
    } else if (name === 'lastRenderedPageBreak' || (name === 'br' && attributes['type'] === 'page'))
      this.#breakPage(paragraph)
    else if (name === 'footnoteReference' || name === 'endnoteReference')
      paragraph.text += `[${this.#noteNumber(`${name} ${attributes['id'] ?? ''}`)}]`
    else if (characters.has(name)) paragraph.text += characters.get(name)
    else return this.#openTablePart(name, attributes)
  }

  text(text: string, parent: string): void {
    const paragraph = this.#paragraphs.at(-1)
    if (parent !== 't' || !paragraph) return
    paragraph.text += text
    this.#sinceBreak = true
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

  #openTablePart(name: string, { val }: XmlAttributes): XmlEnd {
    if (name === 'tbl') return this.#openTable()
    if (name === 'tr') return this.#table?.openRow()
    if (name === 'tc') return this.#table?.openCell()
    if (name === 'gridSpan') this.#table?.span(Number(val))
    if (name !== 'trPr') return undefined
    this.#inRowProperties = true
    return () => {
      this.#inRowProperties = false
    }
  }

  #openTable(): XmlEnd {
    const around = this.#paragraphs.length
    const outer = this.#tables.at(-1)
    if (outer?.around === around) return outer.table.openNested()
    const table = new DocumentTable(this.#place, this.#context.budget)
    this.#tables.push({ table, around })
    return () => {
      this.#tables.pop()
      for (const block of table.blocks()) this.#emit(block)
    }
  }

  #openParagraph(): XmlEnd {
    const paragraph: Paragraph = { text: '', boxed: [], place: this.#place, inProperties: false }
    this.#paragraphs.push(paragraph)
    return () => {
      this.#paragraphs.pop()
      this.#closeParagraph(paragraph)
    }
  }

  #closeParagraph(paragraph: Paragraph): void {
    const { styles, lists } = this.#context
    const { style, place, boxed } = paragraph
    const text = paragraph.text.trim()
    if (text !== '' && !styles.isContents(style)) {
      const level = styles.headingLevel(style, paragraph.outline) ?? (styles.isTitle(style) ? 1 : undefined)
      const mark = lists.marker(styles.listPosition(style, paragraph))
      // A text box inside a cell is part of the cell.
      if (level === undefined || this.#table)
        this.#emit({ kind: 'paragraph', text: `${mark}${text}`, ...place })
      else this.#emit({ kind: 'heading', level, text, ...place })
    }
    for (const block of boxed) this.#emit(block)
  }

  #emit(block: Block): void {
    if (this.#table && block.kind !== 'table') this.#table.add(block.text)
    else (this.#paragraphs[0]?.boxed ?? this.ready).push(block)
  }
}

/** The referenced notes by their numbers, each as one text. */
const readNotes = async (chunks: AsyncIterable<Uint8Array>, kind: string, context: DocxContext) => {
  const body = new DocxBody({ ...context, paged: false })
  const found = new Map<number, string>()
  await parseXml(chunks, {
    open: (name, attributes) => {
      if (name !== kind) return body.open(name, attributes)
      const number = context.notes.get(`${kind}Reference ${attributes['id'] ?? ''}`)
      if (number === undefined) return false
      return () => {
        const blocks = body.ready.splice(0)
        const lines = blocks.flatMap(block => (block.kind === 'table' ? block.rows.flat() : block.text))
        if (lines.length > 0) found.set(number, lines.join('\n'))
      }
    },
    text: (text, parent) => body.text(text, parent),
  })
  return found
}

const pageMarks = ['lastRenderedPageBreak', 'w:type="page"']

export async function* readDocx(bytes: Uint8Array): AsyncGenerator<Block> {
  const archive = await openZip(bytes)
  const main = await findMainPart(archive, 'word/document.xml', 'a Word document')
  const relationships = await readRelationships(archive, main)
  const context: DocxContext = {
    budget: new CellBudget(),
    styles: new DocxStyles(),
    lists: new DocxLists(),
    paged: await containsText(archive.chunks(main), pageMarks),
    notes: new Map(),
  }
  const styles = targetOf(relationships, 'styles')
  if (styles !== undefined) await context.styles.read(archive, styles)
  const lists = targetOf(relationships, 'numbering')
  if (lists !== undefined) await context.lists.read(archive, lists)
  yield* blocksOfXml(archive.chunks(main), new DocxBody(context))
  const notes: [number: number, text: string][] = []
  for (const kind of ['footnote', 'endnote']) {
    const part = targetOf(relationships, `${kind}s`)
    if (part !== undefined) notes.push(...(await readNotes(archive.chunks(part), kind, context)))
  }
  for (const [number, text] of notes.sort(([one], [other]) => one - other))
    yield { kind: 'paragraph', text: `[${number}] ${text}` }
}
