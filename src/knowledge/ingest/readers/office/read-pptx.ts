import type { Block, Place } from '../../block.ts'
import { findMainPart, readRelationships } from './office-package.ts'
import { CellBudget, DocumentTable } from './tables.ts'
import { parseXml, type XmlAttributes, type XmlHandler } from './xml-parser.ts'
import { openZip, type ZipArchive } from './zip-archive.ts'

/** The blocks of a slide with its title first. */
export const slideBlocks = (page: number, title: string, blocks: Block[]): Block[] => {
  if (title === '' && blocks.length === 0) return []
  // Without a heading the text would appear to be part of the previous slide.
  return [{ kind: 'heading', level: 2, text: title || `Slide ${page}`, page }, ...blocks]
}

/** Placeholders that repeat on every slide. */
const furniture = new Set(['sldNum', 'ftr', 'dt', 'hdr', 'sldImg'])
const titles = new Set(['title', 'ctrTitle'])

/** The text of one slide, or of its notes: shapes in document order, the title separately. */
class SlideReader implements XmlHandler {
  readonly blocks: Block[] = []
  title = ''
  readonly #place: Place
  readonly #budget: CellBudget
  #placeholder = ''
  #paragraph: string | undefined
  #mark = ''
  #number = 0
  #inText = false
  #table: DocumentTable | undefined

  constructor(place: Place, budget: CellBudget) {
    this.#place = place
    this.#budget = budget
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'sp' || name === 'txBody') {
      this.#number = 0
      if (name === 'sp') this.#placeholder = ''
    } else if (name === 'ph') this.#placeholder = attributes['type'] ?? 'body'
    else if (name === 'p') this.#openParagraph()
    else if (name === 't') this.#inText = true
    else if (name === 'br') this.#add('\n')
    else if (name === 'buChar') this.#mark = '- '
    else if (name === 'buAutoNum') {
      this.#number += 1
      this.#mark = `${this.#number}. `
    } else this.#openTablePart(name)
  }

  close(name: string): void {
    if (name === 't') this.#inText = false
    else if (name === 'p') this.#closeParagraph()
    else if (name === 'tc') this.#table?.closeCell()
    else if (name === 'tr') this.#table?.closeRow()
    else if (name === 'sp') this.#placeholder = ''
    else if (name === 'tbl' && this.#table) {
      this.blocks.push(...this.#table.blocks())
      this.#table = undefined
    }
  }

  text(text: string): void {
    if (this.#inText) this.#add(text)
  }

  #openTablePart(name: string): void {
    if (name === 'tbl') this.#table = new DocumentTable(this.#place, this.#budget)
    else if (name === 'tr') this.#table?.openRow()
    else if (name === 'tc') this.#table?.openCell()
    // Covered cells are present and empty, so spans need no padding.
  }

  #openParagraph(): void {
    this.#paragraph = ''
    this.#mark = ''
  }

  #add(text: string): void {
    if (this.#paragraph !== undefined) this.#paragraph += text
  }

  #closeParagraph(): void {
    const text = (this.#paragraph ?? '').trim()
    this.#paragraph = undefined
    if (text === '' || furniture.has(this.#placeholder)) return
    if (this.#table) this.#table.add(`${this.#mark}${text}`)
    else if (titles.has(this.#placeholder)) this.title = `${this.title} ${text.replace(/\s+/g, ' ')}`.trim()
    else this.blocks.push({ kind: 'paragraph', text: `${this.#mark}${text}`, ...this.#place })
  }
}

/** The slides in presentation order, which differs from the order of their names. */
const slideParts = async (archive: ZipArchive, main: string): Promise<string[]> => {
  const relationships = await readRelationships(archive, main)
  const parts = new Map(relationships.map(({ id, target }) => [id, target]))
  const found: string[] = []
  await parseXml(archive.chunks(main), {
    open(element, attributes) {
      if (element !== 'sldId') return
      const id = Object.keys(attributes).find(name => name.endsWith(':id'))
      const part = id === undefined ? undefined : parts.get(attributes[id] ?? '')
      if (part !== undefined) found.push(part)
    },
  })
  return found
}

const readPart = async (
  archive: ZipArchive,
  part: string,
  page: number,
  budget: CellBudget,
): Promise<SlideReader> => {
  const reader = new SlideReader({ page }, budget)
  await parseXml(archive.chunks(part), reader)
  return reader
}

const notesText = ({ blocks }: SlideReader): string =>
  blocks.flatMap(block => (block.kind === 'paragraph' ? [block.text] : [])).join('\n')

async function* readSlide(
  archive: ZipArchive,
  part: string,
  page: number,
  budget: CellBudget,
): AsyncGenerator<Block> {
  const slide = await readPart(archive, part, page, budget)
  const relationships = await readRelationships(archive, part)
  const blocks = slide.blocks
  for (const { type, target } of relationships)
    if (type === 'diagramData') blocks.push(...(await readPart(archive, target, page, budget)).blocks)
  for (const { type, target } of relationships) {
    if (type !== 'notesSlide') continue
    const text = notesText(await readPart(archive, target, page, budget))
    if (text !== '') blocks.push({ kind: 'paragraph', text: `Notes: ${text}`, page })
  }
  yield* slideBlocks(page, slide.title, blocks)
}

export async function* readPptx(bytes: Uint8Array): AsyncGenerator<Block> {
  const archive = await openZip(bytes)
  const main = await findMainPart(archive, 'ppt/presentation.xml', 'a PowerPoint presentation')
  const budget = new CellBudget()
  let page = 0
  for (const part of await slideParts(archive, main)) {
    page += 1
    yield* readSlide(archive, part, page, budget)
  }
}
