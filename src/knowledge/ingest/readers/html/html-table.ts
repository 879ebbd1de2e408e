import type { Block } from '../../block.ts'
import { isHeaderRow } from '../header-row.ts'
import { tableBlocks } from '../table-blocks.ts'
import type { Area, MenuCount } from './elements.ts'
import type { Attributes } from './tokenize-html.ts'

/** A block and the part of the page it belongs to. */
export interface Item {
  block: Block
  area: Area
  menu: MenuCount | undefined
  /** The label of the landmark around the block. */
  label: string
  /** Number of characters inside links. */
  linked: number
}

interface Cell {
  items: Item[]
  heading: boolean
  columns: number
  rows: number
}

interface Row {
  cells: Cell[]
  inHead: boolean
}

/** Larger spans are mistakes or attacks. */
const maxColumnSpan = 100
const maxRowSpan = 500
/** Text repeated in every spanned row must be short, or a small page could grow without bound. */
const maxRepeatedLength = 200
/** A longer cell is part of the page layout. */
const maxCellLength = 2000
const maxDataDepth = 2

const span = (value: string | undefined, max: number): number => {
  const number = Number.parseInt(value ?? '1', 10)
  return Number.isNaN(number) ? 1 : Math.min(Math.max(number, 1), max)
}

export const textOf = (block: Block): string =>
  block.kind === 'table'
    ? [...(block.header ? [block.header] : []), ...block.rows].map(row => row.join(' ')).join('\n')
    : block.text

const cellText = (cell: Cell): string => cell.items.map(item => textOf(item.block)).join('\n')

/** The rows with spans resolved: a cell that spans rows is repeated in each of them. */
const gridOf = (rows: Row[]): string[][] => {
  let above: { text: string; rows: number }[] = []
  return rows.map(row => {
    const line: string[] = []
    const below: typeof above = []
    const takeAbove = (): void => {
      for (let held = above[line.length]; held && held.rows > 0; held = above[line.length]) {
        below[line.length] = { text: held.text, rows: held.rows - 1 }
        line.push(held.text)
      }
    }
    for (const cell of row.cells) {
      takeAbove()
      const text = cellText(cell)
      const repeated = text.length <= maxRepeatedLength ? text : ''
      for (let column = 0; column < cell.columns && line.length < 1000; column++) {
        if (cell.rows > 1) below[line.length] = { text: column === 0 ? repeated : '', rows: cell.rows - 1 }
        line.push(column === 0 || row.inHead ? (column === 0 ? text : repeated) : '')
      }
    }
    takeAbove()
    above = below
    return line
  })
}

/** Merges header rows: "2024 Q1" for a "Q1" below a "2024". */
const mergeHead = (rows: string[][]): string[] => {
  const columns = Math.max(...rows.map(row => row.length))
  return Array.from({ length: columns }, (_, column) =>
    [...new Set(rows.map(row => row[column] ?? ''))].filter(text => text !== '').join(' '),
  )
}

const minNamedColumns = 3
const comparedRows = 50

/** Pages from word processors have plain cells in the first row. With two columns these are mostly a name and its value. */
const namesColumns = ([first = [], ...below]: string[][]): boolean =>
  first.length >= minNamedColumns && isHeaderRow(first, below.slice(0, comparedRows))

export class HtmlTable {
  readonly #rows: Row[] = []
  readonly #presentation: boolean
  #nested = 0

  constructor(attributes: Attributes) {
    this.#presentation = attributes.get('role') === 'presentation'
  }

  startRow(inHead: boolean): void {
    this.#rows.push({ cells: [], inHead })
  }

  /** Returns the list that receives the content of the cell. */
  startCell(heading: boolean, inHead: boolean, attributes: Attributes): Item[] {
    if (this.#rows.length === 0) this.startRow(inHead)
    const items: Item[] = []
    this.#rows.at(-1)!.cells.push({
      items,
      heading,
      columns: span(attributes.get('colspan'), maxColumnSpan),
      rows: span(attributes.get('rowspan'), maxRowSpan),
    })
    return items
  }

  /** Records a table in a cell and the depth of its own nested tables. */
  addNested(depth: number): void {
    this.#nested = Math.max(this.#nested, depth)
  }

  get depth(): number {
    return this.#nested + 1
  }

  #isLayout(rows: Row[]): boolean {
    if (this.#presentation || this.depth > maxDataDepth) return true
    if (rows.every(row => row.cells.length < 2)) return !rows.some(row => row.cells[0]!.heading)
    const cells = rows.flatMap(row => row.cells)
    if (cells.some(cell => cell.heading)) return false
    return cells.some(
      cell =>
        cell.items.some(({ block }) => block.kind === 'heading' || block.kind === 'table') ||
        cell.items.reduce((sum, { block }) => sum + textOf(block).length, 0) > maxCellLength,
    )
  }

  /** Returns a data table as a table block, and a layout table as its content. */
  finish({ area, menu, label }: Pick<Item, 'area' | 'menu' | 'label'>): Item[] {
    const linkedIn = (each: Row[]): number =>
      each.flatMap(row => row.cells.flatMap(cell => cell.items)).reduce((sum, item) => sum + item.linked, 0)
    const rows = this.#rows.filter(row => row.cells.length > 0)
    if (rows.length === 0) return []
    if (this.#isLayout(rows)) return rows.flatMap(row => row.cells.flatMap(cell => cell.items))
    let heads = rows.findIndex(row => !row.inHead)
    if (heads < 0) heads = rows.length
    if (heads === 0 && rows.length > 1 && rows[0]!.cells.every(cell => cell.heading)) heads = 1
    for (const row of rows.slice(0, heads)) row.inHead = true
    const grid = gridOf(rows)
    if (heads === 0 && namesColumns(grid)) heads = 1
    const header = heads > 0 ? mergeHead(grid.slice(0, heads)) : undefined
    const body = grid.slice(heads).filter(row => row.some(text => text !== ''))
    const linked = linkedIn(rows)
    const blocks = [...tableBlocks(header, body)]
    return blocks.map(block => ({ block, area, menu, label, linked: linked / blocks.length }))
  }
}
