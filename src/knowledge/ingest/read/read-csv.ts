import type { Block } from '../block.ts'
import { findDelimiter } from './csv-delimiter.ts'
import { isHeaderRow } from './csv-header.ts'
import { CsvRows } from './csv-rows.ts'
import { tableBlocks } from './table-blocks.ts'

/** Rows looked at to tell whether the first one is a header. */
const sampleRows = 50

function* chain(first: string[][], rest: Iterator<string[]>): Generator<string[]> {
  yield* first
  for (let next = rest.next(); !next.done; next = rest.next()) yield next.value
}

/** Delimited text as tables. `preferred` is the delimiter that the name of the file promises. */
export function* readCsv(text: string, preferred: ',' | '\t' = ','): Generator<Block> {
  const body = text.replace(/^\ufeff/, '')
  // Spreadsheet programs write this line for each other.
  const said = /^"?sep=(.)"?\r?\n/i.exec(body)
  const delimiter = said?.[1] ?? findDelimiter(body, preferred)
  const rows = new CsvRows(body, delimiter, said?.[0].length ?? 0)[Symbol.iterator]()
  const sample: string[][] = []
  for (let next = rows.next(); !next.done; next = rows.next()) {
    sample.push(next.value)
    if (sample.length > sampleRows) break
  }
  const [first, ...below] = sample
  if (!first) return
  const header = isHeaderRow(first, below) ? first : undefined
  yield* tableBlocks(header, chain(header ? below : sample, rows))
}
