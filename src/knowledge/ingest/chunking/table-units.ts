import { countTokens } from '../../../kernel/count-tokens.ts'
import type { Place } from '../block.ts'
import { rowCells, rowGap, rowText } from './document-text.ts'
import { sentencesWithin, splitToFit } from './split-text.ts'
import type { Piece, Section, TableHeader, Unit } from './text-units.ts'

type RowPart = Pick<Piece, 'text' | 'header'>

/** A header is repeated only if it takes at most half of the chunk. */
const repeatableHeader = (text: string, size: number): TableHeader | undefined => {
  const tokens = countTokens(text)
  return tokens > 0 && tokens * 2 <= size ? { text, tokens } : undefined
}

const isFilled = (cell: string | undefined): boolean => cell !== undefined && cell.trim() !== ''

/** The first cell usually names the row; if it is short, later parts of the row repeat it. */
const keyOf = (row: string[], header: string[], size: number): string => {
  const column = row.findIndex(isFilled)
  const key = rowText([row[column] ?? ''])
  const named = isFilled(header[column]) ? `${rowText([header[column]!])}: ${key}` : key
  return countTokens(named) * 8 <= size ? named : ''
}

/** A part under construction, and the lines above it. */
interface Growing {
  text: string
  tokens: number
  /** The header of the table; a part without it has the key of the row and the names of its columns. */
  header: TableHeader | undefined
  key: string
  names: string[]
  aboveTokens: number
  lastColumn: number
}

interface Tile {
  text: string
  tokens: number
  column: number
  /** Empty for an empty cell, so that a wide row does not repeat all its column names. */
  name: string
}

/** Cells, and the sentences of long cells: each fits into a chunk together with the lines above it. */
function* tilesOf(row: string[], header: string[], size: number): Generator<Tile> {
  const half = Math.floor(size / 2)
  for (const [column, cell] of rowCells(row).entries()) {
    const name = isFilled(row[column]) ? rowText([header[column] ?? '']) : ''
    for (const text of countTokens(cell) <= half ? [cell] : sentencesWithin(cell, half))
      yield { text, tokens: countTokens(text), column, name }
  }
}

/** Counts the separator between two names. */
const tokensOfName = (name: string): number => (name === '' ? 0 : countTokens(name) + 1)

const grow = (part: Growing, { text, tokens, column, name }: Tile, size: number): boolean => {
  const isNew = !part.header && column !== part.lastColumn && name !== ''
  const above = part.aboveTokens + (isNew ? tokensOfName(name) : 0)
  if (above * 2 > size || above + part.tokens + tokens > size) return false
  part.text += text
  part.tokens += tokens
  if (isNew) part.names.push(name)
  part.aboveTokens = above
  part.lastColumn = column
  return true
}

/** Splits a row. Parts after the first follow the key of the row and the names of their own columns, not the header. */
function* splitRow(row: string[], header: string[], size: number): Generator<RowPart> {
  const full = repeatableHeader(rowText(header), size)
  const begin = ({ text, tokens, column, name }: Tile, key: string, header?: TableHeader): Growing => ({
    text,
    tokens,
    header,
    key,
    names: name === '' ? [] : [name],
    aboveTokens: header?.tokens ?? countTokens(key) + tokensOfName(name),
    lastColumn: column,
  })
  const finished = ({ text, header, key, names }: Growing): RowPart => {
    const above = [key, rowText(names)].filter(isFilled).join('\n')
    return { text, header: header ?? repeatableHeader(above, size) }
  }
  const key = keyOf(row, header, size)
  let open: Growing | undefined
  for (const tile of tilesOf(row, header, size)) {
    if (!open) open = begin(tile, '', full)
    else if (!grow(open, tile, size)) {
      yield finished(open)
      open = begin(tile, key)
    }
  }
  if (open) yield finished(open)
}

/** A table, or some rows of one, with their position. Rows without text are left out. */
export interface TableSource {
  header: string[]
  rows: string[][]
  /** Start of the header, or of the first row if there is no header. */
  from: number
  /** The separator after the last row. */
  gap: string
  section: Section
  place: Place
}

const pieceOf = ({ section, place }: TableSource, part: RowPart, from: number): Piece => ({
  ...part,
  kind: 'table',
  tokens: countTokens(part.text),
  from,
  section,
  place,
})

/** The pieces of the rows; `from` is the start of the first. */
export function* rowPieces(source: TableSource, from: number, size: number): Generator<Piece> {
  const headerText = rowText(source.header)
  const header = repeatableHeader(headerText, size)
  let at = from
  for (const [index, row] of source.rows.entries()) {
    const gap = index === source.rows.length - 1 ? source.gap : rowGap
    const text = rowText(row)
    const fits = countTokens(text) + (header?.tokens ?? 0) <= size
    // A header that is too long to repeat belongs to a wide table, whose rows are split by columns too.
    const whole = fits && (header !== undefined || headerText === '')
    const parts = whole ? [{ text, header }] : [...splitRow(row, source.header, size)]
    for (const [number, part] of parts.entries()) {
      const end = number === parts.length - 1 ? gap : ''
      yield pieceOf(source, { ...part, text: part.text + end }, at)
      at += part.text.length + end.length
    }
  }
}

function* headerPieces(source: TableSource, text: string, size: number): Generator<Piece> {
  let at = source.from
  for (const part of splitToFit(text, size)) {
    yield pieceOf(source, { text: part }, at)
    at += part.length
  }
}

function* tablePieces(source: TableSource, size: number): Generator<Piece> {
  const headerText = rowText(source.header)
  if (headerText === '') return yield* rowPieces(source, source.from, size)
  const start = headerText + (source.rows.length === 0 ? source.gap : rowGap)
  const rows = rowPieces(source, source.from + start.length, size)
  const next = rows.next()
  const first = next.done ? undefined : next.value
  // The header stays with the first row, so that no chunk ends with a header.
  if (first?.header?.text === headerText)
    yield {
      ...first,
      text: start + first.text,
      tokens: first.tokens + first.header.tokens,
      from: source.from,
      hasHeader: true,
    }
  else {
    yield* headerPieces(source, start, size)
    if (first) yield first
  }
  yield* rows
}

/** `text` is the table's text with the separator after it. */
export const tableUnit = (source: TableSource, text: string, size: number): Unit => ({
  ...pieceOf(source, { text }, source.from),
  split: () => tablePieces(source, size),
})
