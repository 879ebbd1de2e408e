/** The cells of a row. A bar after a backslash belongs to the cell. */
export const cellsOf = (line: string): string[] => {
  const cells: string[] = []
  let cell = ''
  let from = 0
  for (let at = line.indexOf('|'); at >= 0; at = line.indexOf('|', at + 1)) {
    const escaped = line[at - 1] === '\\'
    cell += line.slice(from, escaped ? at - 1 : at) + (escaped ? '|' : '')
    from = at + 1
    if (escaped) continue
    cells.push(cell.trim())
    cell = ''
  }
  cells.push((cell + line.slice(from)).trim())
  if (cells[0] === '') cells.shift()
  if (cells.at(-1) === '') cells.pop()
  return cells
}

const delimiter = /^:?-+:?$/
const delimiterCharacters = /^[\s|:-]*$/

/** The row of dashes below the header: only with it is a line with bars a table. */
export const isDelimiterRow = (line: string | undefined): line is string => {
  if (line === undefined || !line.includes('-') || !delimiterCharacters.test(line)) return false
  const cells = cellsOf(line)
  return (cells.length > 1 || line.includes('|')) && cells.every(cell => delimiter.test(cell))
}

export const isTableHead = (line: string, next: string | undefined): boolean =>
  line.includes('|') && isDelimiterRow(next) && cellsOf(line).length === cellsOf(next).length
