import type { Block, Place } from '../block.ts'
import type { CellBudget } from './cell-budget.ts'
import { tableBlocks } from './table-blocks.ts'

const maxSpan = 64

/** A table in running text, as Word, PowerPoint and Writer have them. Tables inside its cells become cell text. */
export class DocumentTable {
  readonly #place: Place
  readonly #budget: CellBudget
  readonly #rows: string[][] = []
  #row: string[] = []
  #rowDropped = false
  #cell: string[] = []
  #span = 1
  #inner = 0

  constructor(place: Place, budget: CellBudget) {
    this.#place = place
    this.#budget = budget
  }

  openInner(): void {
    this.#inner += 1
  }

  /** Tells whether it was this table that ended. */
  close(): boolean {
    this.#inner -= 1
    return this.#inner < 0
  }

  openRow(): void {
    if (this.#inner > 0) return
    this.#row = []
    this.#rowDropped = false
  }

  /** For rows that a tracked change took out. */
  dropRow(): void {
    if (this.#inner === 0) this.#rowDropped = true
  }

  closeRow(times = 1): void {
    if (this.#inner === 0) this.#budget.take(this.#row.length * times)
    if (this.#inner > 0 || this.#rowDropped || this.#row.every(cell => cell === '')) return
    for (let time = 0; time < times; time++) this.#rows.push(this.#row)
  }

  openCell(): void {
    if (this.#inner > 0) return
    this.#cell = []
    this.#span = 1
  }

  /** How many columns the cell takes: those after the first stay empty, so that columns stay in line. */
  span(columns: number): void {
    if (this.#inner === 0 && columns > 1) this.#span = Math.min(columns, maxSpan)
  }

  add(text: string): void {
    const line = text.replace(/\s+/g, ' ').trim()
    if (line !== '') this.#cell.push(line)
  }

  closeCell(): void {
    if (this.#inner > 0) return
    this.#row.push(this.#cell.join(' '))
    for (let column = 1; column < this.#span; column++) this.#row.push('')
  }

  *blocks(): Generator<Block> {
    const [first, ...rest] = this.#rows
    if (first === undefined) return
    const filled = first.filter(cell => cell !== '')
    // A single cell is a frame around text and no table.
    if (rest.length === 0 && filled.length === 1)
      yield { kind: 'paragraph', text: filled[0]!, ...this.#place }
    else if (rest.length === 0) yield { kind: 'table', header: undefined, rows: [first], ...this.#place }
    else yield* tableBlocks(first, rest, this.#place)
  }
}
