import { limits } from '../../../../contract/limits.ts'
import type { Block, Place } from '../../block.ts'
import { DocumentFailure } from '../../document-failure.ts'
import { tableBlocks } from '../table-blocks.ts'

const maxPaddedCells = 20_000_000

/** Counts the cells of a whole document, so that many small tables cannot bypass the limit. */
export class CellBudget {
  #cells = 0
  #padded = 0

  take(cells: number): void {
    this.#cells += cells
    if (this.#cells > limits.tableCells) this.#reject()
  }

  /** Counts cells after padding, because scattered cells could pad to far more than exist. */
  takePadded(cells: number): void {
    this.#padded += cells
    if (this.#padded > maxPaddedCells) this.#reject()
  }

  #reject(): never {
    throw new DocumentFailure(
      'too_large',
      `The tables have more than ${limits.tableCells.toLocaleString('en')} cells. Split the file.`,
    )
  }
}

const maxSpan = 64
/** Text repeated in every row must be short, or a small file could grow without bound. */
const maxRepeatedLength = 200

/** A table in running text. Nested tables become cell text. What opens a part returns the function that closes it. */
export class DocumentTable {
  readonly #place: Place
  readonly #budget: CellBudget
  readonly #rows: string[][] = []
  #row: string[] = []
  #above: string[] = []
  #rowDropped = false
  #cell: string[] = []
  #span = 1
  #rowSpan = 1
  #continuesAbove = false
  /** The columns of the row whose cells continue those above. */
  #continued: number[] = []
  /** By column, the number of the first row that the last cell with a row span does not cover. */
  readonly #coveredTo: number[] = []
  #rowNumber = 0
  #inner = 0

  constructor(place: Place, budget: CellBudget) {
    this.#place = place
    this.#budget = budget
  }

  openNested(): () => void {
    this.#inner += 1
    return () => {
      this.#inner -= 1
    }
  }

  openRow(times = 1): (() => void) | undefined {
    if (this.#inner > 0) return undefined
    this.#row = []
    this.#continued = []
    this.#rowDropped = false
    return () => {
      this.#rowNumber += times
      this.#budget.take(this.#row.length * times)
      const isEmpty = this.#row.every(cell => cell === '')
      this.#repeatAbove()
      if (this.#rowDropped || isEmpty) return
      for (let time = 0; time < times; time++) this.#rows.push(this.#row)
    }
  }

  #repeatAbove(): void {
    for (const column of this.#continued) {
      const text = this.#above[column] ?? ''
      if (text.length <= maxRepeatedLength) this.#row[column] ||= text
    }
    this.#above = this.#row
  }

  /** Drops a row that a tracked change deleted. */
  dropRow(): void {
    if (this.#inner === 0) this.#rowDropped = true
  }

  /** Leaves columns at the start of the row empty: rows can begin further right than others. */
  indent(columns: number): void {
    if (this.#inner > 0) return
    for (let column = 0; column < Math.min(columns, maxSpan); column++) this.#row.push('')
  }

  openCell(times = 1): (() => void) | undefined {
    if (this.#inner > 0) return undefined
    this.#cell = []
    this.#span = 1
    this.#rowSpan = 1
    this.#continuesAbove = false
    return () => {
      const cell = [this.#cell.join(' '), ...new Array<string>(this.#span - 1).fill('')]
      for (let time = 0; time < times; time++) {
        const column = this.#row.length
        if (this.#continuesAbove) this.#continued.push(column)
        if (this.#rowSpan > 1) this.#coveredTo[column] = this.#rowNumber + this.#rowSpan
        this.#row.push(...cell)
      }
    }
  }

  /** Repeats the text of the cell above, of which this cell is a part. */
  continueAbove(): void {
    if (this.#inner === 0) this.#continuesAbove = true
  }

  /** The number of rows that the cell spans; in the next ones its place has a covered cell. */
  spanRows(rows: number): void {
    if (this.#inner === 0) this.#rowSpan = rows
  }

  openCoveredCell(times: number): (() => void) | undefined {
    const end = this.openCell(times)
    if (!end) return undefined
    return () => {
      const from = this.#row.length
      end()
      for (let column = from; column < this.#row.length; column++)
        if (this.#rowNumber < (this.#coveredTo[column] ?? 0)) this.#continued.push(column)
    }
  }

  /** The number of columns that the cell spans; those after the first stay empty to keep columns aligned. */
  span(columns: number): void {
    if (this.#inner === 0 && columns > 1) this.#span = Math.min(columns, maxSpan)
  }

  add(text: string): void {
    const line = text.replace(/\s+/g, ' ').trim()
    if (line !== '') this.#cell.push(line)
  }

  *blocks(): Generator<Block> {
    const [first, ...rest] = this.#rows
    if (first === undefined) return
    const filled = first.filter(cell => cell !== '')
    // A single cell is a frame around text, not a table.
    if (rest.length === 0 && filled.length === 1)
      yield { kind: 'paragraph', text: filled[0]!, ...this.#place }
    else if (rest.length === 0) yield { kind: 'table', header: undefined, rows: [first], ...this.#place }
    else yield* tableBlocks(first, rest, this.#place)
  }
}

const numeric = /^[-+]?[\d.,\s]*\d[\d.,\s]*%?$|^\d{4}-\d\d-\d\d/

const isNumeric = (cell: string): boolean => numeric.test(cell)

/** Short distinct words above most columns. The rows below do not matter, because a header is the common case. */
const looksLikeHeader = (row: SheetRow, columns: number): boolean => {
  const filled = [...row].sort(([one], [other]) => one - other).map(([, cell]) => cell)
  if (filled.length === 0 || filled.length * 2 < columns) return false
  if (new Set(filled).size < filled.length) return false
  if (filled.some(cell => cell.length > 100)) return false
  // Years can name columns, but only next to a word: "item, 2024, 2025".
  return (
    filled.some(cell => !isNumeric(cell)) &&
    (!isNumeric(filled[0]!) || filled.every(cell => !isNumeric(cell)))
  )
}

const rowsPerBlock = 500
const cellsPerBlock = 100_000
export const maxColumns = 16_384

/** Text by column (from 0); only non-empty cells. */
export type SheetRow = Map<number, string>

/**
 * Converts the rows of a sheet into tables: an empty row ends a table, a first row with names becomes the header, and a
 * single cell above a wider row is a title and becomes a paragraph. Empty columns are left out.
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

  /** Empty rows are missing from the file, so a gap in the numbers ends a table. */
  add(number: number, row: SheetRow): void {
    if (row.size === 0) return
    if (number !== this.#lastNumber + 1) this.end()
    this.#lastNumber = number
    this.#rows.push(row)
    for (const column of row.keys()) this.#columns.add(column)
    if (this.#rows.length >= rowsPerBlock || this.#rows.length * this.#columns.size > cellsPerBlock)
      this.#flush()
  }

  /** Begins a table at a row, with a header that is not among the rows. A table beside it keeps its own header. */
  begin(number: number, header: SheetRow): void {
    this.#flush()
    const beside = number === this.#lastNumber + 1 ? (this.#header ?? []) : []
    this.#header = new Map([...beside, ...header])
    this.#started = true
    this.#lastNumber = number - 1
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
      this.#budget.takePadded(columns.length * (this.#rows.length + 1))
      const pad = (row: SheetRow) => columns.map(column => row.get(column) ?? '')
      const header = this.#header && pad(this.#header)
      this.#ready.push({ kind: 'table', header, rows: this.#rows.map(pad), ...this.#place })
    }
    this.#rows = []
    this.#columns = new Set()
  }

  #start(): void {
    while (this.#rows[0]?.size === 1 && (this.#rows.length === 1 || this.#rows[1]!.size > 1)) {
      const [text = ''] = this.#rows.shift()!.values()
      this.#ready.push({ kind: 'paragraph', text, ...this.#place })
    }
    if (this.#rows.length > 1 && looksLikeHeader(this.#rows[0]!, this.#columns.size))
      this.#header = this.#rows.shift()
  }
}
