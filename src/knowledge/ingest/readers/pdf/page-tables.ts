import type { Edges, Line } from './page-lines.ts'
import type { Segment } from './page-rows.ts'
import { joinsWithoutSpace } from './piece-text.ts'

export interface TableRow {
  cells: string[]
  lines: Line[]
}

export interface Table {
  rows: TableRow[]
  columns: number
  page: number
}

/** Maximum distance between rows of a table, in multiples of the font size. */
const maxStep = 3.5
/** Lines without gaps between two rows: names of groups, and the rest of long cells. */
const maxPlainLines = 2
const maxColumns = 200

const overlap = (one: Edges, other: Edges): number =>
  Math.min(one.right, other.right) - Math.max(one.left, other.left)

/** The horizontal extents of the columns. The rows with the most cells show them best; wide cells span several. */
const columnsOf = (lines: Line[]): Edges[] => {
  const columns: Edges[] = []
  for (const { cells } of lines.toSorted((one, other) => other.cells.length - one.cells.length))
    for (const { left, right } of cells) {
      const hits = columns.filter(column => overlap(column, { left, right }) > 0)
      if (hits.length === 0 && columns.length < maxColumns) columns.push({ left, right })
      else if (hits.length === 1) {
        hits[0]!.left = Math.min(hits[0]!.left, left)
        hits[0]!.right = Math.max(hits[0]!.right, right)
      }
    }
  return columns.sort((one, other) => one.left - other.left)
}

/** Joins columns beside each other if no row has cells in both: a name may be centred above cells that are not. */
const joinedColumns = (columns: Edges[], lines: Line[]): Edges[] => {
  const joined: { edges: Edges; lines: Set<Line> }[] = []
  for (const column of columns) {
    const own = lines.filter(({ cells }) => cells.some(cell => overlap(cell, column) > 0))
    const last = joined.at(-1)
    if (last && !own.some(line => last.lines.has(line))) {
      last.edges.right = column.right
      for (const line of own) last.lines.add(line)
    } else joined.push({ edges: { ...column }, lines: new Set(own) })
  }
  return joined.map(({ edges }) => edges)
}

const columnOf = (columns: Edges[], cell: Segment): number => {
  let best = 0
  for (const [index, column] of columns.entries())
    if (overlap(column, cell) > overlap(columns[best]!, cell)) best = index
  // A cell that spans columns belongs to the first.
  return columns.findIndex((column, index) => index === best || overlap(column, cell) > cell.size)
}

const joinedCell = (one: string, other: string): string => {
  if (one === '' || other === '') return one + other
  return joinsWithoutSpace(one, other) ? one + other : `${one} ${other}`
}

const medianStep = (lines: Line[]): number => {
  const steps: number[] = []
  for (const [index, line] of lines.entries())
    if (index > 0 && line.cells.length > 1) steps.push(line.y - lines[index - 1]!.y)
  return steps.sort((one, other) => one - other)[Math.floor(steps.length / 2)] ?? 0
}

/** Where cells are close to each other, their parts show the columns. */
const partsOf = ({ cells, parts }: Line, columns: Edges[]): Segment[] => {
  const isDivided = parts.every(part => columns.filter(column => overlap(column, part) > 0).length === 1)
  return isDivided ? parts : cells
}

/** Whether a line has only the rest of cells of the row above it. */
const continues = (row: TableRow, cells: string[], line: Line, usualStep: number): boolean => {
  const above = row.lines.at(-1)!
  const step = line.y - above.y
  if (step > line.size * 1.6) return false
  const isPart = cells.every((cell, column) => cell === '' || row.cells[column] !== '')
  if (!isPart || cells.every(cell => cell !== '')) return false
  return cells[0] === '' || step < usualStep * 0.9
}

const asTable = (lines: Line[]): Table | undefined => {
  const gapped = lines.filter(({ cells }) => cells.length > 1)
  const count = gapped.reduce((sum, { cells }) => sum + cells.length, 0)
  const found = columnsOf(gapped)
  const isSparse = count * 2 < gapped.length * found.length
  const columns = isSparse ? joinedColumns(found, gapped) : found
  if (columns.length < 2 || gapped.length < (columns.length === 2 ? 3 : 2)) return undefined
  // Text scattered over a drawing has no such rows.
  if (isSparse && gapped.filter(({ cells }) => cells.length >= columns.length).length < 2) return undefined
  const usualStep = medianStep(lines)
  const rows: TableRow[] = []
  for (const line of lines) {
    const cells = new Array<string>(columns.length).fill('')
    for (const cell of partsOf(line, columns)) {
      const column = columnOf(columns, cell)
      cells[column] = joinedCell(cells[column]!, cell.text.trim().replace(/\s+/g, ' '))
    }
    const row = rows.at(-1)
    if (row && continues(row, cells, line, usualStep)) {
      row.cells = row.cells.map((text, column) => joinedCell(text, cells[column]!))
      row.lines.push(line)
    } else rows.push({ cells, lines: [line] })
  }
  return rows.length < 2 ? undefined : { rows, columns: columns.length, page: lines[0]!.page }
}

/** A full line of prose ends a table. */
const isProse = ({ cells, left, right, region, text }: Line): boolean =>
  cells.length === 1 && text.length > 60 && right - left > (region.right - region.left) * 0.7

/** Rows of a table are clearly further apart than the lines of a cell. */
const maxRestStep = 0.8

/** Enough rows to know the first column and the distance of rows. */
const minRowsAbove = 3
const maxRowsAbove = 40

const isAligned = (one: Edges, other: Edges, size: number): boolean =>
  Math.abs(one.left - other.left) < size * 0.3

/** Whether the line below the last row is the rest of its first cell, whose next word did not fit. */
const isRestOfFirst = (rows: Line[], line: Line | undefined): boolean => {
  const above = rows.at(-1)!
  if (line?.region !== above.region || line.rotated !== above.rotated) return false
  const { left, right, size, text, y } = line
  if (line.cells.length > 1 || !isAligned(line, above, size) || Math.abs(size - above.size) > size * 0.05)
    return false
  const gapped = rows.filter(row => row.cells.length > 1)
  if (left > Math.min(...gapped.map(row => row.left)) + size * 0.3) return false
  const beside = gapped.filter(row => isAligned(line, row, size))
  if (beside.length < minRowsAbove) return false
  const columnRight = Math.max(right, ...beside.map(({ cells }) => cells[0]!.right))
  const word = ((right - left) / text.length) * /^\S*/.exec(text)![0].length
  return (
    right < Math.min(...beside.map(({ cells }) => cells[1]!.left)) &&
    above.cells[0]!.right + word > columnRight &&
    y - above.y < Math.min(size * 1.6, medianStep(rows) * maxRestStep)
  )
}

/** The number of lines from `start` on that may be a table. */
const stretch = (lines: Line[], start: number): number => {
  let end = start
  for (let index = start + 1; index < lines.length; index++) {
    const line = lines[index]!
    const before = lines[index - 1]!
    if (line.region !== lines[start]!.region || line.rotated !== before.rotated) break
    if (line.y - before.y > maxStep * Math.max(line.size, before.size) || isProse(line)) break
    const isRest = index - 1 === end && line.left > lines[start]!.left + line.size * 2
    if (line.cells.length > 1 || (isRest && line.y - before.y < line.size * 1.6)) end = index
    else if (index - end > maxPlainLines) break
  }
  while (
    end > start &&
    isRestOfFirst(lines.slice(Math.max(start, end - maxRowsAbove), end + 1), lines[end + 1])
  )
    end++
  return end - start + 1
}

/** Joins the lines of tables; other lines stay. */
export const withTables = (lines: Line[]): (Line | Table)[] => {
  const found: (Line | Table)[] = []
  for (let index = 0; index < lines.length; ) {
    const count = lines[index]!.cells.length > 1 ? stretch(lines, index) : 1
    const part = lines.slice(index, index + count)
    const table = count > 1 ? asTable(part) : undefined
    if (table) found.push(table)
    else found.push(...part)
    index += count
  }
  return found
}
