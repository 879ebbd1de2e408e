import type { Place } from '../block.ts'
import { countTokens } from './count-tokens.ts'
import { rowGap, rowText } from './document-text.ts'
import type { Piece, Section, Unit } from './piece.ts'
import { splitLongText } from './split-long-text.ts'
import { type RowPart, repeatableHeader, splitRow } from './split-row.ts'

/** A table, or some rows of one, and where they lie. Rows without text are not among them. */
export interface TableSource {
  header: string[]
  rows: string[][]
  /** Where the header begins; the first row, where the header is not told. */
  from: number
  /** What stands after the last row. */
  gap: string
  section: Section
  place: Place
}

const pieceOf = ({ section, place }: TableSource, { text, header }: RowPart, from: number): Piece => ({
  kind: 'table',
  text,
  tokens: countTokens(text),
  from,
  section,
  place,
  header,
})

/** The pieces of the rows; `from` is where the first of them begins. */
export function* rowPieces(source: TableSource, from: number, size: number): Generator<Piece> {
  const headerText = rowText(source.header)
  const header = repeatableHeader(headerText, size)
  let at = from
  for (const [index, row] of source.rows.entries()) {
    const gap = index === source.rows.length - 1 ? source.gap : rowGap
    const text = rowText(row)
    const fits = countTokens(text) + (header?.tokens ?? 0) <= size
    // A header too long to be repeated is that of a wide table, whose rows go by columns, too.
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
  for (const part of countTokens(text) <= size ? [text] : splitLongText(text, size)) {
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
  // The header goes with the first row, so that no chunk ends with a header.
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

/** `text` is the table's text with the gap after it. */
export const tableUnit = (source: TableSource, text: string, size: number): Unit => {
  const tokens = countTokens(text)
  return {
    kind: 'table',
    section: source.section,
    tokens,
    whole: tokens <= size ? pieceOf(source, { text }, source.from) : undefined,
    split: () => tablePieces(source, size),
  }
}
