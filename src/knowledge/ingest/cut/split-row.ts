import { countTokens } from './count-tokens.ts'
import { rowCells, rowText } from './document-text.ts'
import type { TableHeader } from './piece.ts'
import { sentencesWithin } from './text-unit.ts'

export interface RowPart {
  text: string
  header?: TableHeader
}

/** A header is repeated only where it leaves at least as much room for rows as it takes. */
export const repeatableHeader = (text: string, size: number): TableHeader | undefined => {
  const tokens = countTokens(text)
  return tokens > 0 && tokens * 2 <= size ? { text, tokens } : undefined
}

const isFilled = (cell: string | undefined): boolean => cell !== undefined && cell.trim() !== ''

/** The first cell mostly tells what the row is about; if it is short, the later parts of the row begin with it. */
const keyOf = (row: string[], header: string[], size: number): string => {
  const column = row.findIndex(isFilled)
  const key = rowText([row[column] ?? ''])
  const named = isFilled(header[column]) ? `${rowText([header[column]!])}: ${key}` : key
  return countTokens(named) * 8 <= size ? named : ''
}

/** One part while it grows. `above` is what stands over it: the key of the row, then the names of its columns. */
interface Growing {
  text: string
  tokens: number
  key: string
  names: string[]
  aboveTokens: number
  lastColumn: number
}

interface Tile {
  text: string
  tokens: number
  column: number
  /** Empty if there is nothing in the cell, so that a wide row does not drag all its columns along. */
  name: string
}

/** Cells, and the sentences of long ones: together with what stands above it, each fits into a chunk. */
function* tilesOf(row: string[], header: string[], size: number): Generator<Tile> {
  const half = Math.floor(size / 2)
  for (const [column, cell] of rowCells(row).entries()) {
    const name = isFilled(row[column]) ? rowText([header[column] ?? '']) : ''
    const texts = countTokens(cell) <= half ? [cell] : sentencesWithin(cell, half)
    for (const text of texts) yield { text, tokens: countTokens(text), column, name }
  }
}

/** The mark between two names is one more. */
const tokensOfName = (name: string): number => (name === '' ? 0 : countTokens(name) + 1)

const begin = ({ text, tokens, column, name }: Tile, key: string): Growing => ({
  text,
  tokens,
  key,
  names: name === '' ? [] : [name],
  aboveTokens: countTokens(key) + tokensOfName(name),
  lastColumn: column,
})

const grow = (part: Growing, { text, tokens, column, name }: Tile, full: boolean, size: number): boolean => {
  const isNew = !full && column !== part.lastColumn && name !== ''
  const above = part.aboveTokens + (isNew ? tokensOfName(name) : 0)
  if (above * 2 > size || above + part.tokens + tokens > size) return false
  part.text += text
  part.tokens += tokens
  if (isNew) part.names.push(name)
  part.aboveTokens = above
  part.lastColumn = column
  return true
}

/**
 * A row that is too long for one chunk. The first part stands under the header of the table if that can be repeated, the
 * others under the key of the row and the names of their own columns.
 */
export function* splitRow(row: string[], header: string[], size: number): Generator<RowPart> {
  const key = keyOf(row, header, size)
  const full = repeatableHeader(rowText(header), size)
  let first = true
  let open: Growing | undefined
  const finished = ({ text, key, names }: Growing): RowPart => {
    const above = [key, rowText(names)].filter(isFilled).join('\n')
    return { text, header: first && full ? full : repeatableHeader(above, size) }
  }
  for (const tile of tilesOf(row, header, size)) {
    if (!open) {
      open = begin(tile, '')
      if (full) open.aboveTokens = full.tokens
    } else if (!grow(open, tile, first && full !== undefined, size)) {
      yield finished(open)
      open = begin(tile, key)
      first = false
    }
  }
  if (open) yield finished(open)
}
