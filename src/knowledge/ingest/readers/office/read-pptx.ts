import type { Block, Place } from '../../block.ts'
import { findMainPart, readRelationships, targetsById } from './office-package.ts'
import { CellBudget, DocumentTable } from './tables.ts'
import { parseXml, type XmlAttributes, type XmlEnd, type XmlHandler } from './xml-parser.ts'
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
  #table: DocumentTable | undefined

  constructor(place: Place, budget: CellBudget) {
    this.#place = place
    this.#budget = budget
  }

  open(name: string, { type }: XmlAttributes): XmlEnd {
    if (name === 'sp') return this.#openShape()
    if (name === 'p') return this.#openParagraph()
    if (name === 'tbl') return this.#openTable()
    // Covered cells are present and empty, so spans need no padding.
    if (name === 'tr') return this.#table?.openRow()
    if (name === 'tc') return this.#table?.openCell()
    if (name === 'txBody') this.#number = 0
    else if (name === 'ph') this.#placeholder = type ?? 'body'
    else if (name === 'br') this.#add('\n')
    else if (name === 'buChar') this.#mark = '- '
    else if (name === 'buAutoNum') {
      this.#number += 1
      this.#mark = `${this.#number}. `
    }
  }

  text(text: string, parent: string): void {
    if (parent === 't') this.#add(text)
  }

  #add(text: string): void {
    if (this.#paragraph !== undefined) this.#paragraph += text
  }

  #openShape(): XmlEnd {
    this.#number = 0
    this.#placeholder = ''
    return () => {
      this.#placeholder = ''
    }
  }

  #openTable(): XmlEnd {
    const table = new DocumentTable(this.#place, this.#budget)
    this.#table = table
    return () => {
      this.blocks.push(...table.blocks())
      this.#table = undefined
    }
  }

  #openParagraph(): XmlEnd {
    this.#paragraph = ''
    this.#mark = ''
    return () => {
      const text = (this.#paragraph ?? '').trim()
      this.#paragraph = undefined
      if (text === '' || furniture.has(this.#placeholder)) return
      if (this.#table) this.#table.add(`${this.#mark}${text}`)
      else if (titles.has(this.#placeholder)) this.title = `${this.title} ${text.replace(/\s+/g, ' ')}`.trim()
      else this.blocks.push({ kind: 'paragraph', text: `${this.#mark}${text}`, ...this.#place })
    }
  }
}

/** The slides in presentation order, which differs from the order of their names. */
const slideParts = async (archive: ZipArchive, main: string): Promise<string[]> => {
  const targetOf = targetsById(await readRelationships(archive, main))
  const found: string[] = []
  await parseXml(archive.chunks(main), {
    open(element, attributes) {
      const part = element === 'sldId' ? targetOf(attributes) : undefined
      if (part !== undefined) found.push(part)
    },
  })
  return found
}

export async function* readPptx(bytes: Uint8Array): AsyncGenerator<Block> {
  const archive = await openZip(bytes)
  const main = await findMainPart(archive, 'ppt/presentation.xml', 'a PowerPoint presentation')
  const budget = new CellBudget()
  for (const [index, part] of (await slideParts(archive, main)).entries()) {
    const page = index + 1
    const readPart = async (name: string): Promise<SlideReader> => {
      const reader = new SlideReader({ page }, budget)
      await parseXml(archive.chunks(name), reader)
      return reader
    }
    const { title, blocks } = await readPart(part)
    const related = Object.groupBy(await readRelationships(archive, part), ({ type }) => type)
    for (const { target } of related['diagramData'] ?? []) blocks.push(...(await readPart(target)).blocks)
    for (const { target } of related['notesSlide'] ?? []) {
      const notes = (await readPart(target)).blocks
      const text = notes.flatMap(block => (block.kind === 'paragraph' ? [block.text] : [])).join('\n')
      if (text !== '') blocks.push({ kind: 'paragraph', text: `Notes: ${text}`, page })
    }
    yield* slideBlocks(page, title, blocks)
  }
}
