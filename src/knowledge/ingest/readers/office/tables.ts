import type { Block, Place } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'
import { tableBlocks } from '../table-blocks.ts'

const maxCells = 2_000_000
const maxWidened = 20_000_000

/** Counts cells over a whole document, so that many small tables are no way around the limits. */
export class CellBudget {
  #cells = 0
  #widened = 0

  take(cells: number): void {
    this.#cells += cells
    if (this.#cells > maxCells) this.#refuse()
  }

  /** Rows are widened to the columns of their table; scattered cells could make far more of them than there are. */
  takeWidened(cells: number): void {
    this.#widened += cells
    if (this.#widened > maxWidened) this.#refuse()
  }

  #refuse(): never {
    throw new DocumentFailure('too_large', 'The tables have more than 2,000,000 cells. Split the file.')
  }
}

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

const numeric = /^[-+]?[\d.,\s]*\d[\d.,\s]*%?$|^\d{4}-\d\d-\d\d/

const isNumeric = (cell: string): boolean => numeric.test(cell)

/**
 * Whether the first row names the columns: short words that all differ, one over nearly every column. Where the rows
 * below hold no numbers either there is nothing more to tell by, and then names on top are the rule.
 */
const looksLikeHeader = (first: string[], rest: string[][]): boolean => {
  const filled = first.filter(cell => cell !== '')
  if (rest.length === 0 || filled.length === 0 || filled.length * 2 < first.length) return false
  if (new Set(filled).size < filled.length) return false
  if (filled.some(cell => cell.length > 100)) return false
  // Years make names of columns, but only beside a word: "item, 2024, 2025".
  return (
    filled.some(cell => !isNumeric(cell)) &&
    (!isNumeric(filled[0]!) || filled.every(cell => !isNumeric(cell)))
  )
}

const rowsPerBlock = 500
const cellsPerBlock = 100_000
export const maxColumns = 16_384

/** Column (from 0) to text; only cells that hold something. */
export type SheetRow = Map<number, string>

/**
 * Makes tables of the rows of a sheet: an empty row ends one, a first row with names becomes the header, and a single
 * cell above a wider row is a title and becomes a paragraph. Columns with nothing in them are left out.
 */
export class SheetTables {
  readonly #ready: Block[]
  readonly #place: Place
  readonly #budget: CellBudget
  #rows: SheetRow[] = []
  #columns = new Set<number>()
  #header: SheetRow | undefined
  #started = false
  #lastNumber = 0

  constructor(ready: Block[], sheet: string, budget: CellBudget) {
    this.#ready = ready
    this.#place = { sheet }
    this.#budget = budget
  }

  /** Rows that are not in the file are empty, so their numbers tell where a table ends. */
  add(number: number, row: SheetRow): void {
    if (row.size === 0) return
    if (number !== this.#lastNumber + 1) this.end()
    this.#lastNumber = number
    this.#rows.push(row)
    for (const column of row.keys()) this.#columns.add(column)
    if (this.#rows.length >= rowsPerBlock || this.#rows.length * this.#columns.size > cellsPerBlock)
      this.#flush()
  }

  end(): void {
    this.#flush()
    this.#header = undefined
    this.#started = false
  }

  #flush(): void {
    if (!this.#started) this.#start()
    this.#started = true
    if (this.#rows.length > 0) {
      for (const column of this.#header?.keys() ?? []) this.#columns.add(column)
      const columns = [...this.#columns].sort((one, other) => one - other)
      this.#budget.takeWidened(columns.length * (this.#rows.length + 1))
      const widen = (row: SheetRow) => columns.map(column => row.get(column) ?? '')
      const header = this.#header && widen(this.#header)
      this.#ready.push({ kind: 'table', header, rows: this.#rows.map(widen), ...this.#place })
    }
    this.#rows = []
    this.#columns = new Set()
  }

  #start(): void {
    while (this.#rows[0]?.size === 1 && (this.#rows.length === 1 || this.#rows[1]!.size > 1)) {
      const [text = ''] = this.#rows.shift()!.values()
      this.#ready.push({ kind: 'paragraph', text, ...this.#place })
    }
    const [first, ...rest] = this.#rows
    if (first === undefined || rest.length === 0) return
    const columns = [...this.#columns].sort((one, other) => one - other)
    const cells = [first, ...rest.slice(0, 20)].map(row => columns.map(column => row.get(column) ?? ''))
    if (!looksLikeHeader(cells[0]!, cells.slice(1))) return
    this.#header = first
    this.#rows.shift()
  }
}
