import { glueBetween } from './text-lines.ts'

/** Columns of white space at the start; a tab goes to the next multiple of four. */
export const indentOf = (line: string): number => {
  let columns = 0
  for (const character of line) {
    if (character === ' ') columns++
    else if (character === '\t') columns += 4 - (columns % 4)
    else break
  }
  return columns
}

export const dedent = (line: string, columns: number): string => {
  let index = 0
  for (let column = 0; column < columns && index < line.length; index++) {
    if (line[index] === ' ') column++
    else if (line[index] === '\t') column += 4
    else break
  }
  return line.slice(index)
}

export interface Fence {
  mark: string
  length: number
  indent: number
  language: string
}

export const fenceOf = (line: string): Fence | undefined => {
  const trimmed = line.trim()
  const mark = trimmed[0]
  if ((mark !== '`' && mark !== '~') || !trimmed.startsWith(mark.repeat(3))) return undefined
  let length = 3
  while (trimmed[length] === mark) length++
  const info = trimmed.slice(length).trim()
  if (mark === '`' && info.includes('`')) return undefined
  return { mark, length, indent: indentOf(line), language: info.split(/[\s{,]/, 1)[0] ?? '' }
}

export const isRule = (line: string): boolean => {
  const marks = line.replace(/[ \t]+/g, '')
  return marks.length >= 3 && '-*_'.includes(marks[0]!) && marks === marks[0]!.repeat(marks.length)
}

/** The lines of a paragraph as running text. Two blanks or a backslash at the end of a line keep the break. */
export const joinSoftLines = (lines: string[]): string => {
  const pieces: string[] = []
  let last = '\n'
  for (const line of lines) {
    const hard = line.endsWith('  ') || /(?:^|[^\\])\\$/.test(line.slice(-2))
    const text = (hard ? line.replace(/\\$/, '') : line).trim()
    pieces.push(last === '\n' ? '' : glueBetween(last, text), text, hard ? '\n' : '')
    last = hard ? '\n' : text
  }
  return pieces.join('')
}
