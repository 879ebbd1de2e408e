import type { Block } from '../../block.ts'
import { blockTags } from '../html/elements.ts'
import { readHtml } from '../html/read-html.ts'
import { tableBlocks } from '../table-blocks.ts'
import { linesOf, separatorBetween } from '../text/lines.ts'
import { labelOf, plainInline } from './plain-inline.ts'

/** Indentation in columns; a tab advances to the next multiple of four. */
const indentOf = (line: string): number => {
  let columns = 0
  for (const character of line) {
    if (character === ' ') columns++
    else if (character === '\t') columns += 4 - (columns % 4)
    else break
  }
  return columns
}

const dedent = (line: string, columns: number): string => {
  let index = 0
  for (let column = 0; column < columns && index < line.length; index++) {
    if (line[index] === ' ') column++
    else if (line[index] === '\t') column += 4
    else break
  }
  return line.slice(index)
}

interface Fence {
  marks: string
  indent: number
  /** Whether the fence can end a block of code. */
  closes: boolean
}

const fenceOf = (line: string): Fence | undefined => {
  const [, marks = '', info = ''] = /^\s*(`{3,}|~{3,})(.*)$/s.exec(line) ?? []
  if (marks === '' || (marks.startsWith('`') && info.includes('`'))) return undefined
  return { marks, indent: indentOf(line), closes: /^\s*(?:$|[{,])/.test(info) }
}

const isRule = (line: string): boolean => {
  const marks = line.replace(/[ \t]+/g, '')
  return marks.length >= 3 && '-*_'.includes(marks[0]!) && marks === marks[0]!.repeat(marks.length)
}

/** Joins the lines of a paragraph. Two trailing spaces or a backslash keep the line break. */
const joinSoftLines = (lines: string[]): string => {
  const pieces: string[] = []
  let last = '\n'
  for (const line of lines) {
    const hard = line.endsWith('  ') || /(?:^|[^\\])\\$/.test(line.slice(-2))
    const text = (hard ? line.replace(/\\$/, '') : line).trim()
    pieces.push(last === '\n' ? '' : separatorBetween(last, text), text, hard ? '\n' : '')
    last = hard ? '\n' : text
  }
  return pieces.join('')
}

/** The cells of a row. An escaped bar belongs to its cell. */
const cellsOf = (line: string): string[] => {
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

/** The delimiter row below the header, without which lines with bars are not a table. */
const isDelimiterRow = (line: string | undefined): line is string => {
  if (line === undefined || !line.includes('-') || !delimiterCharacters.test(line)) return false
  const cells = cellsOf(line)
  return (cells.length > 1 || line.includes('|')) && cells.every(cell => delimiter.test(cell))
}

const isTableHead = (line: string, next: string | undefined): boolean =>
  line.includes('|') && isDelimiterRow(next) && cellsOf(line).length === cellsOf(next).length

/** Bounded, because an endless repetition of a group overflows the stack. */
const quote = /^(?: {0,3}> ?){1,100}/
const item = /^([ \t]*)([-*+]|\d{1,9}[.)])(?:[ \t]+|$)/
const definition = /^ {0,3}\[(?!\^)([^\]]{1,300})\]:[ \t]*\S/
const htmlStart = /^ {0,3}<\/?([a-zA-Z][a-zA-Z0-9]*)(?=[\s/>]|$)/
/** MDX components on a line of their own are layout. */
const component = /^\s*<\/?[A-Z][\w.]*(?:\s[^<>]*)?>\s*$/

/** Follows CommonMark closely, and is written by hand for linear time: see docs/decisions/2026-11-15-document-readers.md. */
class MarkdownScanner {
  readonly #lines: string[]
  readonly #labels = new Set<string>()
  readonly #lastCommentEnd: number
  #at = 0
  #mark = ''
  #paragraph: string[] = []
  /** The content column of the last list item; 0 outside of lists. */
  #listIndent = 0
  #afterBlank = true

  constructor(text: string) {
    this.#lines = [...linesOf(text)]
    this.#lastCommentEnd = this.#lines.findLastIndex(line => line.includes('-->'))
    for (const line of this.#lines) {
      const found = definition.exec(line)
      if (found) this.#labels.add(labelOf(found[1]!))
    }
  }

  *blocks(): Generator<Block> {
    while (this.#at < this.#lines.length) {
      const raw = this.#lines[this.#at++]!
      const line = raw.replace(quote, '')
      if (line.trim() === '') {
        yield* this.#flush()
        this.#afterBlank = true
        continue
      }
      // Unindented text after a blank line ends the list.
      if (this.#afterBlank && indentOf(line) < 2 && !item.test(line)) this.#listIndent = 0
      yield* this.#block(line, raw !== line)
      this.#afterBlank = false
    }
    yield* this.#flush()
  }

  *#block(line: string, quoted: boolean): Generator<Block> {
    const fence = fenceOf(line)
    if (fence) yield* this.#fenced(fence, quoted)
    else if (this.#isCode(line)) yield* this.#indented(line)
    else if (yield* this.#heading(line)) return
    else if (isRule(line)) yield* this.#flush()
    else if (isTableHead(line, this.#next(quoted))) yield* this.#table(line, quoted)
    else if (item.test(line) && this.#mayBegin(line)) yield* this.#item(line)
    else if (yield* this.#html(line, quoted)) return
    else this.#text(line)
  }

  #next(quoted: boolean): string | undefined {
    const line = this.#lines[this.#at]
    return quoted ? line?.replace(quote, '') : line
  }

  *#flush(): Generator<Block> {
    const lines = this.#paragraph
    if (lines.length === 0) return
    const text = plainInline(joinSoftLines(lines), this.#labels).trim()
    const mark = this.#mark
    this.#paragraph = []
    this.#mark = ''
    if (text !== '') yield { kind: 'paragraph', text: mark + text }
  }

  *#fenced(fence: Fence, quoted: boolean): Generator<Block> {
    yield* this.#flush()
    const code: string[] = []
    while (this.#at < this.#lines.length) {
      const raw = this.#lines[this.#at]!
      const line = quoted ? raw.replace(quote, '') : raw
      // The end of the quote ends the code in it.
      if (quoted && raw === line) break
      this.#at++
      const end = fenceOf(line)
      if (end?.closes && end.marks.startsWith(fence.marks)) break
      code.push(dedent(line, fence.indent))
    }
    yield { kind: 'code', text: code.join('\n') }
  }

  #isCode(line: string): boolean {
    return this.#afterBlank && this.#paragraph.length === 0 && indentOf(line) >= this.#listIndent + 4
  }

  *#indented(first: string): Generator<Block> {
    const columns = this.#listIndent + 4
    const code = [dedent(first, columns)]
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at]!
      if (line.trim() !== '' && indentOf(line) < columns) break
      code.push(dedent(line, columns))
      this.#at++
    }
    yield { kind: 'code', text: code.join('\n').trimEnd() }
  }

  *#heading(line: string): Generator<Block, boolean> {
    const trimmed = line.trim()
    const underlined = this.#paragraph.length > 0 && this.#mark === '' && indentOf(line) < 4
    const setext = underlined ? (/^=+$/.test(trimmed) ? 1 : /^-+$/.test(trimmed) ? 2 : 0) : 0
    if (setext > 0) {
      for (const block of this.#flush())
        yield block.kind === 'paragraph' && block.text.length <= 200
          ? { kind: 'heading', level: setext, text: block.text.replaceAll('\n', ' ') }
          : block
      this.#listIndent = 0
      return true
    }
    const marks = /^#{1,6}(?!#)/.exec(trimmed)?.[0]
    if (!marks || indentOf(line) >= this.#listIndent + 4) return false
    const rest = trimmed.slice(marks.length)
    // "##标题" is common although CommonMark requires a space; after a single "#" it could be a hashtag.
    if (!/^(?:\s|$)/.test(rest) && !(marks.length > 1 && /^[\u4e00-\u9fff]/.test(rest))) return false
    yield* this.#flush()
    this.#listIndent = 0
    const text = plainInline(rest.trim().replace(/(^|\s)#+$/, ''), this.#labels).trim()
    yield { kind: 'heading', level: marks.length, text }
    return true
  }

  *#table(head: string, quoted: boolean): Generator<Block> {
    yield* this.#flush()
    const cells = (line: string) => cellsOf(line).map(cell => plainInline(cell, this.#labels))
    this.#at++
    const rows: string[][] = []
    for (;;) {
      const line = this.#next(quoted)
      if (line === undefined || !line.includes('|')) break
      rows.push(cells(line))
      this.#at++
    }
    yield* tableBlocks(cells(head), rows)
  }

  /** Inside a paragraph, only the number 1 starts a list. */
  #mayBegin(line: string): boolean {
    if (this.#paragraph.length === 0 || this.#mark !== '') return true
    return /^\s*(?:[-*+]|1[.)])[ \t]/.test(line)
  }

  *#item(line: string): Generator<Block> {
    yield* this.#flush()
    const found = item.exec(line)!
    const sign = found[2]!
    this.#listIndent = indentOf(found[1]!) + sign.length + 1
    this.#mark = /\d/.test(sign) ? `${sign} ` : '- '
    const rest = line.slice(found[0].length)
    if (rest.trim() !== '') this.#paragraph.push(rest)
  }

  /** Passes HTML blocks to the HTML reader. Returns whether the line started one. */
  *#html(line: string, quoted: boolean): Generator<Block, boolean> {
    if (line.trimStart().startsWith('<!--') && this.#lastCommentEnd >= this.#at - 1) {
      yield* this.#flush()
      this.#skipComment(line)
      return true
    }
    if (component.test(line)) return true
    const name = htmlStart.exec(line)?.[1]?.toLowerCase()
    if (name === undefined || !blockTags.has(name)) return false
    yield* this.#flush()
    const end = ['script', 'style', 'pre', 'textarea'].includes(name) ? `</${name}` : undefined
    const html = [line]
    while (this.#at < this.#lines.length) {
      const next = this.#next(quoted)!
      if (end === undefined ? next.trim() === '' : html.at(-1)!.toLowerCase().includes(end)) break
      html.push(next)
      this.#at++
    }
    yield* readHtml(html.join('\n'))
    return true
  }

  #skipComment(first: string): void {
    let rest = first
    do {
      let end = rest.indexOf('-->')
      while (end < 0) {
        rest = this.#lines[this.#at++] ?? '-->'
        end = rest.indexOf('-->')
      }
      rest = rest.slice(end + 3).trimStart()
    } while (rest.startsWith('<!--') && rest.includes('-->'))
    // The rest of the line is handled as a line of its own.
    if (rest !== '') this.#lines[--this.#at] = rest
  }

  #text(line: string): void {
    if (this.#paragraph.length === 0 && definition.test(line)) return
    this.#paragraph.push(line)
  }
}

const maxFrontMatterLength = 64 * 1024
const titleLine = /^title\s*[:=]\s*(.+)$/im

const unquote = (value: string): string => {
  const found = /^(["'])(.*)\1\s*(?:#.*)?$/.exec(value)
  return (found ? found[2]! : value).trim()
}

/** Front matter is metadata; only its title is used. */
const splitFrontMatter = (text: string): { title: string; body: string } => {
  const fence = /^(---|\+\+\+)[ \t]*\r?\n/.exec(text)
  if (!fence) return { title: '', body: text }
  const head = text.slice(fence[0].length, fence[0].length + maxFrontMatterLength)
  const end = (fence[1] === '---' ? /^(?:---|\.\.\.)[ \t]*\r?$/m : /^\+\+\+[ \t]*\r?$/m).exec(head)
  const inside = end ? head.slice(0, end.index) : ''
  // Without a key this is text between two thematic breaks.
  if (!end || (inside.trim() !== '' && !/^[\w-]+\s*[:=]/m.test(inside))) return { title: '', body: text }
  const title = unquote(titleLine.exec(inside)?.[1]?.trim() ?? '')
  return { title, body: text.slice(fence[0].length + end.index + end[0].length) }
}

const hasTopHeading = (text: string): boolean => {
  for (const block of new MarkdownScanner(text).blocks())
    if (block.kind === 'heading' && block.level === 1) return true
  return false
}

export function* readMarkdown(text: string): Generator<Block> {
  const { title, body } = splitFrontMatter(text)
  if (title !== '' && !hasTopHeading(body)) yield { kind: 'heading', level: 1, text: title }
  yield* new MarkdownScanner(body).blocks()
}
