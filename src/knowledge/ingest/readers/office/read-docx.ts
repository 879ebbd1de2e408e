import type { Block, Place } from '../../block.ts'
import { attachedBlocks, type ReadAttachment } from '../mail/mail.ts'
import { type Script, scriptText } from '../text/raised-text.ts'
import { DocxFormField } from './docx-form-field.ts'
import { DocxLists } from './docx-lists.ts'
import { applyProperty, DocxStyles, type ParagraphProperties } from './docx-styles.ts'
import { symbolText } from './docx-symbols.ts'
import { imageText } from './image-text.ts'
import { commentText, Margins } from './margins.ts'
import { OfficeMath } from './office-math.ts'
import {
  containsText,
  findMainPart,
  type Relationship,
  readRelationships,
  targetOf,
} from './office-package.ts'
import { readChart } from './read-chart.ts'
import { CellBudget, DocumentTable } from './tables.ts'
import { blocksOfXml, parseXml, type XmlAttributes, type XmlEnd, type XmlHandler } from './xml-parser.ts'
import { openZip, type ZipArchive } from './zip-archive.ts'

interface Paragraph extends ParagraphProperties {
  style?: string
  text: string
  /** Text boxes and comments anchored here, which follow the paragraph. */
  boxed: Block[]
  place: Place
  inProperties: boolean
  /** A drop cap, or a paragraph whose mark a tracked change deleted: its text continues in the next paragraph. */
  continues?: boolean
  field?: DocxFormField | undefined
}

interface DocxContext {
  budget: CellBudget
  styles: DocxStyles
  lists: DocxLists
  paged: boolean
  /** Numbers of the referenced notes, in the order of the references. */
  notes: Map<string, number>
  comments: Map<string, string>
  /** Charts, diagrams and inserted files by the ids of their relationships. */
  drawings: Map<string, Block[]>
}

const skipped = new Set(['del', 'moveFrom', 'rt', 'instrText', 'delText'])
/** Tracked changes of formatting hold the properties from before the change. */
const formerProperties = /PrChange$|^tblPrExChange$/
/** Elements whose last paragraph continues in no other one. */
const containers = new Set(['body', 'tc', 'txbxContent', 'hdr', 'ftr'])

const scripts = new Map<string, Script>([
  ['superscript', 'super'],
  ['subscript', 'sub'],
])

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
  /** The paragraph that the next one continues. */
  #unfinished: Paragraph | undefined
  /** Each table with the number of paragraphs open around it, because a text box starts a separate text. */
  readonly #tables: { table: DocumentTable; around: number }[] = []
  #page = 1
  #sinceBreak = true
  #inRowProperties = false
  #script: Script | undefined
  #math: OfficeMath | undefined

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
    const end = this.#open(name, attributes)
    if (!containers.has(name) || end === false) return end
    return () => {
      this.#endUnfinished()
      end?.()
    }
  }

  #open(name: string, attributes: XmlAttributes): XmlEnd {
    const paragraph = this.#paragraphs.at(-1)
    if (name === 'del' && this.#inRowProperties) this.#table?.dropRow()
    if ((name === 'del' || name === 'moveFrom') && paragraph?.inProperties) paragraph.continues = true
    if (skipped.has(name) || formerProperties.test(name)) return false
    if (this.#math) return this.#math.open(name, attributes)
    if (name === 'p') return this.#openParagraph()
    if (!paragraph) return this.#openTablePart(name, attributes)
    if (paragraph.inProperties) {
      if (name === 'pStyle') paragraph.style = attributes['val']
      else if (name === 'framePr') paragraph.continues = /^(?:drop|margin)$/.test(attributes['dropCap'] ?? '')
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
    else if (name === 'chart' || name === 'relIds') this.#draw(paragraph, attributes)
    else if (name === 'r') this.#script = undefined
    else if (name === 'oMath') return this.#openMath(paragraph)
    else if (name === 'vertAlign') this.#script = scripts.get(attributes['val'] ?? '')
    else if (name === 'docPr') this.#box(paragraph, imageText(attributes['title'], attributes['descr']))
    else if (name === 'commentReference')
      this.#box(paragraph, this.#context.comments.get(attributes['id'] ?? ''))
    else if (name === 'sym')
      paragraph.text += scriptText(symbolText(attributes['font'], attributes['char']), this.#script)
    else if (name === 'textpath') this.#box(paragraph, attributes['string'])
    else if (name === 'fldChar') this.#formField(paragraph, attributes['fldCharType'])
    else if (paragraph.field?.take(name, attributes)) return undefined
    else if (characters.has(name)) paragraph.text += characters.get(name)
    else return this.#openTablePart(name, attributes)
  }

  text(text: string, parent: string): void {
    if (this.#math) {
      this.#math.text(text, parent)
      return
    }
    const paragraph = this.#paragraphs.at(-1)
    if (parent !== 't' || !paragraph) return
    paragraph.text += scriptText(text, this.#script)
    this.#sinceBreak = true
  }

  #openMath(paragraph: Paragraph): XmlEnd {
    const math = new OfficeMath()
    this.#math = math
    return () => {
      this.#math = undefined
      paragraph.text += math.line
      this.#sinceBreak = true
    }
  }

  #noteNumber(note: string): number {
    const { notes } = this.#context
    const number = notes.get(note) ?? notes.size + 1
    notes.set(note, number)
    return number
  }

  /** Adds text that follows the paragraph. */
  #box({ boxed, place }: Paragraph, text = ''): void {
    if (text.trim() !== '') boxed.push({ kind: 'paragraph', text, ...place })
  }

  /** Some programs also write what a field shows as its text. */
  #formField(paragraph: Paragraph, type: string | undefined): void {
    if (type === 'begin') paragraph.field = new DocxFormField(paragraph.text.length)
    if (type !== 'end' || !paragraph.field) return
    const { at, shown } = paragraph.field
    if (paragraph.text.length === at) paragraph.text += shown
    paragraph.field = undefined
  }

  #draw({ boxed, place }: Paragraph, attributes: XmlAttributes): void {
    const id = attributes['r:id'] ?? attributes['r:dm'] ?? attributes['id'] ?? attributes['dm'] ?? ''
    for (const block of this.#context.drawings.get(id) ?? []) boxed.push({ ...block, ...place })
  }

  /** Word records a requested break, and again where it was rendered. */
  #breakPage(paragraph: Paragraph): void {
    if (!this.#sinceBreak) return
    this.#page += 1
    this.#sinceBreak = false
    if (paragraph.text === '') paragraph.place = this.#place
  }

  #insertFile(attributes: XmlAttributes): undefined {
    const id = attributes['r:id'] ?? attributes['id'] ?? ''
    for (const block of this.#context.drawings.get(id) ?? []) this.#emit({ ...block, ...this.#place })
  }

  #openTablePart(name: string, attributes: XmlAttributes): XmlEnd {
    if (name === 'tbl') return this.#openTable()
    if (name === 'altChunk') return this.#insertFile(attributes)
    if (name === 'tr') return this.#table?.openRow()
    if (name === 'tc') return this.#table?.openCell()
    if (name === 'gridBefore') this.#table?.indent(Number(attributes['val']))
    if (name === 'gridSpan') this.#table?.span(Number(attributes['val']))
    if (name === 'vMerge' && attributes['val'] !== 'restart') this.#table?.continueAbove()
    if (name !== 'trPr') return undefined
    this.#inRowProperties = true
    return () => {
      this.#inRowProperties = false
    }
  }

  #openTable(): XmlEnd {
    this.#endUnfinished()
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
    const { text = '', boxed = [], place = this.#place } = this.#unfinished ?? {}
    this.#unfinished = undefined
    const paragraph: Paragraph = {
      ...{ text, boxed, place: text === '' ? this.#place : place },
      inProperties: false,
    }
    this.#paragraphs.push(paragraph)
    return () => {
      this.#paragraphs.pop()
      if (paragraph.continues) this.#unfinished = paragraph
      else this.#closeParagraph(paragraph)
    }
  }

  #endUnfinished(): void {
    const paragraph = this.#unfinished
    this.#unfinished = undefined
    if (paragraph) this.#closeParagraph(paragraph)
  }

  #closeParagraph(paragraph: Paragraph): void {
    const { styles, lists } = this.#context
    const { style, place, boxed } = paragraph
    const text = paragraph.text.trim()
    if (text !== '' && !styles.isContents(style)) {
      const level = styles.headingLevel(style, paragraph.outline) ?? (styles.isTitle(style) ? 1 : undefined)
      const mark = lists.marker(styles.listPosition(style, paragraph), style)
      // A text box inside a cell is part of the cell.
      if (level === undefined || this.#table)
        this.#emit({ kind: 'paragraph', text: `${mark}${text}`, ...place })
      else this.#emit({ kind: 'heading', level, text: mark === '- ' ? text : `${mark}${text}`, ...place })
    }
    for (const block of boxed) this.#emit(block)
  }

  #emit(block: Block): void {
    if (this.#table && block.kind !== 'table') this.#table.add(block.text)
    else (this.#paragraphs[0]?.boxed ?? this.ready).push(block)
  }
}

type Chunks = AsyncIterable<Uint8Array>

const textOf = (blocks: Block[]): string =>
  blocks.flatMap(block => (block.kind === 'table' ? block.rows.flat() : block.text)).join('\n')

/** The texts of notes or comments by their keys. Without a key, an element is not read. */
const readTexts = async <Key>(
  chunks: Chunks,
  element: string,
  context: DocxContext,
  keyOf: (attributes: XmlAttributes) => Key | undefined,
): Promise<Map<Key, string>> => {
  const body = new DocxBody({ ...context, paged: false })
  const found = new Map<Key, string>()
  await parseXml(chunks, {
    open: (name, attributes) => {
      if (name !== element) return body.open(name, attributes)
      const key = keyOf(attributes)
      if (key === undefined) return false
      return () => {
        const text = textOf(body.ready.splice(0))
        if (text !== '') found.set(key, text)
      }
    },
    text: (text, parent) => body.text(text, parent),
  })
  return found
}

const readComments = async (chunks: Chunks, context: DocxContext): Promise<void> => {
  const authors = new Map<string, string>()
  const texts = await readTexts(chunks, 'comment', context, ({ id, author = '' }) => {
    if (id !== undefined) authors.set(id, author.trim())
    return id
  })
  for (const [id, text] of texts) context.comments.set(id, commentText(authors.get(id), text))
}

const maxDrawings = 500

const readDrawings = async (
  archive: ZipArchive,
  relationships: Relationship[],
  context: DocxContext,
  read: ReadAttachment | undefined,
) => {
  for (const { id, type, target } of relationships) {
    if (context.drawings.size >= maxDrawings) return
    if (type === 'chart')
      context.drawings.set(id, await readChart(archive.chunks(target), {}, context.budget))
    else if (type === 'diagramData') {
      const body = new DocxBody({ ...context, paged: false })
      await parseXml(archive.chunks(target), body)
      context.drawings.set(id, body.ready)
    } else if (type === 'aFChunk' && read) {
      const name = target.slice(target.lastIndexOf('/') + 1)
      const attachment = { name, bytes: await archive.read(target) }
      const blocks: Block[] = []
      for await (const block of attachedBlocks(attachment, read)) blocks.push(block)
      context.drawings.set(id, blocks)
    }
  }
}

/** The headers and footers of all sections, each once: they repeat on every page. */
async function* readMargins(archive: ZipArchive, relationships: Relationship[], context: DocxContext) {
  const margins = new Margins()
  for (const { type, target } of relationships) {
    if (type !== 'header' && type !== 'footer') continue
    const body = new DocxBody({ ...context, paged: false })
    await parseXml(archive.chunks(target), body)
    margins.add(type, textOf(body.ready))
  }
  yield* margins.blocks()
}

const pageMarks = ['lastRenderedPageBreak', 'w:type="page"']

/** `read` reads files of other formats, such as HTML, that programs insert instead of converting them. */
export async function* readDocx(bytes: Uint8Array, read?: ReadAttachment): AsyncGenerator<Block> {
  const archive = await openZip(bytes)
  const main = await findMainPart(archive, 'word/document.xml', 'a Word document')
  const relationships = await readRelationships(archive, main)
  const context: DocxContext = {
    budget: new CellBudget(),
    styles: new DocxStyles(),
    lists: new DocxLists(),
    paged: await containsText(archive.chunks(main), pageMarks),
    notes: new Map(),
    comments: new Map(),
    drawings: new Map(),
  }
  const styles = targetOf(relationships, 'styles')
  if (styles !== undefined) await context.styles.read(archive, styles)
  const lists = targetOf(relationships, 'numbering')
  if (lists !== undefined) await context.lists.read(archive, lists)
  const comments = targetOf(relationships, 'comments')
  if (comments !== undefined) await readComments(archive.chunks(comments), context)
  await readDrawings(archive, relationships, context, read)
  yield* blocksOfXml(archive.chunks(main), new DocxBody(context))
  const notes: [number: number, text: string][] = []
  for (const kind of ['footnote', 'endnote']) {
    const part = targetOf(relationships, `${kind}s`)
    if (part === undefined) continue
    const numberOf = ({ id = '' }: XmlAttributes) => context.notes.get(`${kind}Reference ${id}`)
    notes.push(...(await readTexts(archive.chunks(part), kind, context, numberOf)))
  }
  for (const [number, text] of notes.sort(([one], [other]) => one - other))
    yield { kind: 'paragraph', text: `[${number}] ${text}` }
  yield* readMargins(archive, relationships, context)
}
