import type { Block, Place } from '../block.ts'
import type { CellBudget } from './cell-budget.ts'
import { looksLikeHeader } from './table-header.ts'

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
