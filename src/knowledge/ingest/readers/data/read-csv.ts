import { CsvRows } from '../../../../kernel/csv.ts'
import type { Block } from '../../block.ts'
import { isHeaderRow } from '../header-row.ts'
import { tableBlocks } from '../table-blocks.ts'

/** The rows with cells that are not empty, without the white space around them. */
function* rowsOf(text: string, delimiter: string, from = 0): Generator<string[]> {
  for (const { cells } of new CsvRows(text, delimiter, from)) {
    const row = cells.map(cell => cell.trim())
    if (row.some(cell => cell !== '')) yield row
  }
}

const delimiters = [',', '\t', ';', '|']
const sampleCharacters = 64 * 1024
const sampleRows = 50

/** The share of rows of the most common length; 0 if the delimiter yields a single column. */
const fitOf = (sample: string, delimiter: string): { fit: number; columns: number } => {
  const counts = new Map<number, number>()
  let rows = 0
  for (const row of rowsOf(sample, delimiter)) {
    if (++rows > sampleRows) break
    counts.set(row.length, (counts.get(row.length) ?? 0) + 1)
  }
  const [most] = [...counts].sort((left, right) => right[1] - left[1] || right[0] - left[0])
  const [columns, count] = most ?? [0, 0]
  return { fit: columns > 1 ? count / rows : 0, columns }
}

/** The delimiter that yields the most regular rows. */
const findDelimiter = (text: string, preferred: string): string => {
  // The last line of the sample may be incomplete.
  const cut = text.length > sampleCharacters ? text.lastIndexOf('\n', sampleCharacters) : text.length
  const sample = text.slice(0, cut > 0 ? cut : sampleCharacters)
  let best = { delimiter: preferred, ...fitOf(sample, preferred) }
  for (const delimiter of delimiters) {
    const found = fitOf(sample, delimiter)
    if (found.fit > best.fit || (found.fit > 0 && found.fit === best.fit && found.columns > best.columns * 2))
      best = { delimiter, ...found }
  }
  return best.delimiter
}

function* chain(first: string[][], rest: Iterable<string[]>): Generator<string[]> {
  yield* first
  yield* rest
}

/** Delimited text as tables. `preferred` is the delimiter that the file extension implies. */
export function* readCsv(text: string, preferred: ',' | '\t' = ','): Generator<Block> {
  const body = text.replace(/^\ufeff/, '')
  // A line that spreadsheet programs write to declare the delimiter.
  const declared = /^"?sep=(.)"?\r?\n/i.exec(body)
  const delimiter = declared?.[1] ?? findDelimiter(body, preferred)
  const rows = rowsOf(body, delimiter, declared?.[0].length)
  const sample: string[][] = []
  // Leaving a `for … of` loop would end the iterator.
  for (let next = rows.next(); !next.done; next = rows.next()) {
    sample.push(next.value)
    if (sample.length > sampleRows) break
  }
  const [first, ...below] = sample
  if (!first) return
  const header = isHeaderRow(first, below) ? first : undefined
  yield* tableBlocks(header, chain(header ? below : sample, rows))
}
