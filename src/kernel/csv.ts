/** First characters that make a spreadsheet evaluate a cell as a formula. */
const formulaStart = /^[=+\-@\t\r]/
const guarded = /^'(?=[=+\-@\t\r])/

/** A cell that a spreadsheet shows as text and never evaluates, quoted as RFC 4180 asks. */
function csvCell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = formulaStart.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const csvRow = (cells: readonly (string | number)[]): string => `${cells.map(csvCell).join(',')}\r\n`

const delimiters = [',', ';', '\t'] as const

/** The delimiter that splits the header into the most names. */
function delimiterOf(text: string): string {
  const header = /^[^\r\n]*/.exec(text)![0]
  const count = (delimiter: string): number => header.split(delimiter).length
  return [...delimiters].sort((left, right) => count(right) - count(left))[0]!
}

/** The rows of delimited text, each with its line number. The apostrophe before a formula is removed again. */
export function* parseCsv(content: string): Generator<{ line: number; cells: string[] }> {
  const text = content.replace(/^\ufeff/, '')
  const delimiter = delimiterOf(text)
  let line = 1
  let at = 0
  while (at < text.length) {
    const row = { line, cells: [] as string[] }
    for (;;) {
      let cell = ''
      if (text[at] === '"') {
        const quoted = /"((?:[^"]|"")*)("|$)/y
        quoted.lastIndex = at
        const found = quoted.exec(text)!
        at = quoted.lastIndex
        cell = found[1]!.replaceAll('""', '"')
        line += found[1]!.split('\n').length - 1
      }
      const from = at
      while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at++
      row.cells.push((cell + text.slice(from, at)).replace(guarded, ''))
      if (text[at] !== delimiter) break
      at++
    }
    at += text.startsWith('\r\n', at) ? 2 : 1
    line++
    if (row.cells.some(cell => cell.trim() !== '')) yield row
  }
}
