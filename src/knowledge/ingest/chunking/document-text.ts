import type { Block } from '../block.ts'

/** What stands between two blocks in the document's text, and between two rows of a table. */
export const blockGap = '\n\n'
export const rowGap = '\n'
const cellGap = ' | '

const longestSpace = 40
const longSpace = new RegExp(`[^\\S\\n]{${longestSpace + 1},}`, 'g')
const manyBlankLines = /\n(?:[^\S\n]*\n){3,}/g
const leadingBlankLines = /^(?:[^\S\n]*\n)+/

/** White space costs no tokens, so there must be an end to it: long runs are shortened, never removed. */
export const withBoundedSpace = (text: string): string =>
  text.replace(longSpace, ' '.repeat(longestSpace)).replace(manyBlankLines, '\n\n\n')

const cellText = (cell: string): string => cell.trim().replace(/\s+/g, ' ')

/** The cells of a row, each with the mark after it: joined they are the row's text. Empty if all cells are. */
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

/** A block as it stands in the document's text; empty if there is nothing in it. */
export const blockText = (block: Block): string => {
  if (block.kind === 'table') return tableText(block.header, block.rows)
  const text = withBoundedSpace(block.text)
  // The indentation of the first line is part of the code.
  return block.kind === 'code' ? text.replace(leadingBlankLines, '').trimEnd() : text.trim()
}

/**
 * The text that `from` and `to` of a chunk point into: blocks that are not empty with a blank line between them,
 * a table as its header and rows on lines of their own.
 */
export const documentText = (blocks: Iterable<Block>): string =>
  [...blocks]
    .map(blockText)
    .filter(text => text !== '')
    .join(blockGap)
