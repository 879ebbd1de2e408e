import type { Block } from '../block.ts'

/** Separators between blocks, and between table rows, in the document's text. */
export const blockGap = '\n\n'
export const rowGap = '\n'
const cellGap = ' | '

const maxSpaceRun = 40
// Only a repeated single character is matched without a stack: `{41,}` and `(…)+` overflow on millions of blanks.
const longSpace = new RegExp(`[^\\S\\n]{${maxSpaceRun + 1}}[^\\S\\n]*`, 'g')
const blankLines = /\n\s*\n/g
const maxLineBreaks = 3

/** Drops leading blank lines, but not the indentation of the first line with text. */
export const withoutBlankStart = (text: string): string => text.replace(/^\s*\n/, '')

function boundedBreaks(lines: string): string {
  let count = 0
  for (let at = 0; at !== -1 && count <= maxLineBreaks; at = lines.indexOf('\n', at + 1)) count++
  return count > maxLineBreaks ? '\n'.repeat(maxLineBreaks) : lines
}

/** White space costs no tokens, so its length is bounded: long runs are shortened, never removed. */
export const withBoundedSpace = (text: string): string =>
  text.replace(longSpace, ' '.repeat(maxSpaceRun)).replace(blankLines, boundedBreaks)

const cellText = (cell: string): string => cell.trim().replace(/\s+/g, ' ')

/** The cells of a row, each with its separator: joined they are the row's text. Empty if all cells are empty. */
export const rowCells = (row: string[]): string[] => {
  const cells = row.map(cellText)
  while (cells.at(-1) === '') cells.pop()
  return cells.map((cell, index) => {
    const last = index === cells.length - 1
    return last ? cell : index === 0 ? `${cell}${cellGap}`.trimStart() : `${cell}${cellGap}`
  })
}

export const rowText = (row: string[]): string => rowCells(row).join('')

const tableText = (header: string[] | undefined, rows: string[][]): string =>
  [header ?? [], ...rows]
    .map(rowText)
    .filter(text => text !== '')
    .join(rowGap)

/** A block's part of the document's text; may be empty. */
export const blockText = (block: Block): string => {
  if (block.kind === 'table') return tableText(block.header, block.rows)
  const text = withBoundedSpace(block.text)
  return block.kind === 'code' ? withoutBlankStart(text).trimEnd() : text.trim()
}
