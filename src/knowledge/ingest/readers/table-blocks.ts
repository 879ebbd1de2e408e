import type { Block, Place } from '../block.ts'

/** A long table is split into blocks that each repeat the header, so that no block needs the others. */
const rowsPerTable = 500
/** Rows of wider tables are not padded: padding to a header of many thousand cells would exhaust the memory. */
const maxPaddedColumns = 1000
/** Blocks with long cells have fewer rows. */
const charactersPerTable = 200_000

export const lengthOf = (row: string[]): number => row.reduce((sum, cell) => sum + cell.length, 0)

const padTo = (row: string[], columns: number): string[] => {
  if (row.length >= columns || columns > maxPaddedColumns) return row
  return [...row, ...new Array<string>(columns - row.length).fill('')]
}

export function* tableBlocks(
  header: string[] | undefined,
  rows: Iterable<string[]>,
  place: Place = {},
): Generator<Block> {
  let part: string[][] = []
  let columns = header?.length ?? 0
  let characters = 0
  let any = false
  const block = (): Block => ({
    kind: 'table',
    header: header && padTo(header, columns),
    rows: part.map(row => padTo(row, columns)),
    ...place,
  })
  for (const row of rows) {
    part.push(row)
    columns = Math.max(columns, row.length)
    characters += lengthOf(row)
    if (part.length < rowsPerTable && characters < charactersPerTable) continue
    yield block()
    any = true
    part = []
    characters = 0
  }
  if (part.length > 0 || (header && !any)) yield block()
}
