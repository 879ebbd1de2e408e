import type { Block } from '../block.ts'
import { lengthOf } from './table-blocks.ts'

/** Terminal escape sequences, as found in logs. */
const terminalCodes = /\u001b\[[\d;?]*[A-Za-z]/g
/** Control and invisible characters, which would keep words from being found. */
const unseen = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\u00ad\u200b\u2060\ufeff\ufff9-\uffff]/g
const blanks = /[ \t\f\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+/g

const characters = (text: string): string =>
  text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(terminalCodes, '')
    .toWellFormed()
    .replace(unseen, '')
    .normalize('NFC')

/** Most text is normalized already, which this single test shows. */
const unsettled = /[^!-~ \u3001\u3002\u4e00-\u9fff\uff01-\uff5e]| {2}|^ | $/

const running = (text: string): string => {
  if (!unsettled.test(text)) return text
  return characters(text)
    .replace(blanks, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

const normalize = {
  paragraph: running,
  heading: (text: string): string => running(text).replace(/\n+/g, ' '),
  /** Code keeps its indentation. */
  code: (text: string): string =>
    characters(text)
      .split('\n')
      .map(line => line.trimEnd())
      .join('\n')
      .replace(/^\n+/, '')
      .trimEnd(),
}

const cells = (row: string[]): string[] => row.map(running)
const isFilled = (row: string[]): boolean => row.some(cell => cell !== '')

/** A block as it is stored and searched, or `undefined` if nothing is left of it. */
export const normalizeBlock = (block: Block): Block | undefined => {
  if (block.kind === 'table') {
    const header = block.header && cells(block.header)
    const rows = block.rows.map(cells).filter(isFilled)
    const named = header && isFilled(header) ? header : undefined
    return rows.length === 0 && !named ? undefined : { ...block, header: named, rows }
  }
  const text = normalize[block.kind](block.text)
  return text === '' ? undefined : { ...block, text }
}

/** The length of the text of a block. */
export const charactersOf = (block: Block): number => {
  if (block.kind !== 'table') return block.text.length
  return block.rows.reduce((sum, row) => sum + lengthOf(row), lengthOf(block.header ?? []))
}
