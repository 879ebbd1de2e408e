import { CsvRows } from './csv-rows.ts'

const delimiters = [',', '\t', ';', '|']
const sampleCharacters = 64 * 1024
const sampleRows = 50

/** How well a delimiter makes rows of equal length; 0 when it makes no columns at all. */
const fitOf = (sample: string, delimiter: string): { fit: number; columns: number } => {
  const counts = new Map<number, number>()
  let rows = 0
  for (const row of new CsvRows(sample, delimiter)) {
    if (++rows > sampleRows) break
    counts.set(row.length, (counts.get(row.length) ?? 0) + 1)
  }
  const [columns, count] = [...counts].sort((left, right) => right[1] - left[1] || right[0] - left[0])[0] ?? [
    0, 0,
  ]
  return { fit: columns > 1 ? count / rows : 0, columns }
}

/** The delimiter by content: the one with which the rows are most alike. */
export const findDelimiter = (text: string, preferred: string): string => {
  // The last line of the sample may be cut.
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
