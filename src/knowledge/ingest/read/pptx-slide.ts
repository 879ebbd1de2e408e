import type { Block, Place } from '../block.ts'
import type { CellBudget } from './cell-budget.ts'
import { DocumentTable } from './document-table.ts'
import type { XmlAttributes, XmlHandler } from './xml-handler.ts'

/** Placeholders that repeat on every slide. */
const furniture = new Set(['sldNum', 'ftr', 'dt', 'hdr', 'sldImg'])
const titles = new Set(['title', 'ctrTitle'])

/** The text of one slide, or of its notes: shapes in their order, the title apart. */
export class SlideReader implements XmlHandler {
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
    // Cells that another one covers are in the file and empty, so spans need not be filled up.
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
