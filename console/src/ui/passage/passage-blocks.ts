/** A part of a text, in UTF-16 units; the end is exclusive. */
export interface Span {
  from: number
  to: number
}

export type PassageBlock =
  | ({ kind: 'paragraph' } & Span)
  | ({ kind: 'code' } & Span)
  /** Levels count from 1. */
  | ({ kind: 'heading'; level: number } & Span)
  | { kind: 'list'; items: (Span & { marker: string })[] }
  /** The first row is the header. */
  | { kind: 'table'; rows: Span[][] }

interface Line extends Span {
  text: string
}

function linesOf(text: string): Line[] {
  const lines: Line[] = []
  for (let from = 0; from <= text.length; ) {
    const end = text.indexOf('\n', from)
    const to = end < 0 ? text.length : end
    lines.push({ from, to, text: text.slice(from, to) })
    from = to + 1
  }
  return lines
}

const isBlank = (line: Line | undefined): boolean => line === undefined || line.text.trim() === ''
const fence = /^\s{0,3}(```|~~~)/
const item = /^\s*([-*+•]|\d{1,3}[.)])\s+(?=\S)/
const marker = /^#{1,6}\s+(?=\S)/
const delimiter = /^[\s|:-]*-[\s|:-]*$/

/** The cells of a row: separated by " | " as document readers write it, or between bars as in Markdown. */
function cellsOf({ text, from }: Line): Span[] {
  const isFramed = /^\s*\|.*\|\s*$/.test(text)
  const separator = isFramed ? /\|/g : / \| /g
  const cells: Span[] = []
  let at = isFramed ? text.indexOf('|') + 1 : 0
  const end = isFramed ? text.lastIndexOf('|') : text.length
  const add = (to: number): void => {
    const cell = text.slice(at, to)
    const start = at + cell.length - cell.trimStart().length
    cells.push({ from: from + start, to: from + Math.max(start, at + cell.trimEnd().length) })
  }
  separator.lastIndex = at
  for (let found = separator.exec(text); found && found.index < end; found = separator.exec(text)) {
    add(found.index)
    at = found.index + found[0].length
  }
  add(end)
  return cells
}

const isRow = (line: Line | undefined): line is Line =>
  line !== undefined && !/^(\s{2}|\t)/.test(line.text) && cellsOf(line).length > 1

/** Removes the white space at both ends. */
const trimmed = (text: string, { from, to }: Span): Span => {
  const part = text.slice(from, to)
  return { from: from + part.length - part.trimStart().length, to: from + part.trimEnd().length }
}

/**
 * The structure of a passage: tables, lists, headings and code. A passage is the plain text of a document, so only
 * unmistakable marks count as Markdown. `headings` are the headings above the passage, with which it may begin.
 */
export function passageBlocks(text: string, headings: readonly string[] = []): PassageBlock[] {
  const lines = linesOf(text)
  const blocks: PassageBlock[] = []
  let at = 0
  const endWhere = (isOver: (line: Line, index: number) => boolean): number => {
    let end = at + 1
    while (end < lines.length && !isOver(lines[end]!, end)) end++
    return end
  }
  while (at < lines.length) {
    const line = lines[at]!
    if (isBlank(line)) at++
    else if (fence.test(line.text)) {
      const end = endWhere(({ text: each }) => fence.test(each))
      blocks.push({ kind: 'code', from: (lines[at + 1] ?? line).from, to: lines[end - 1]!.to })
      at = end + 1
    } else if (isRow(line) && isRow(lines[at + 1])) {
      const end = endWhere(each => !isRow(each))
      const rows = lines.slice(at, end).filter(each => !delimiter.test(each.text))
      blocks.push({ kind: 'table', rows: rows.map(cellsOf) })
      at = end
    } else if (item.test(line.text)) {
      at = pushItem(blocks, text, lines, at)
    } else if (headings.includes(line.text.trim()) || (marker.test(line.text) && isBlank(lines[at + 1]))) {
      const marks = marker.exec(line.text)?.[0] ?? ''
      const level = marks === '' ? headings.indexOf(line.text.trim()) + 1 : marks.trim().length
      const span = trimmed(text, { from: line.from + marks.length, to: line.to })
      blocks.push({ kind: 'heading', level, ...span })
      at++
    } else {
      const end = endWhere(
        (each, index) =>
          isBlank(each) ||
          fence.test(each.text) ||
          item.test(each.text) ||
          (isRow(each) && isRow(lines[index + 1])),
      )
      blocks.push({ kind: 'paragraph', from: line.from, to: lines[end - 1]!.to })
      at = end
    }
  }
  return blocks
}

/** An item ends at the next one or at a blank line; items that follow each other are one list. */
function pushItem(blocks: PassageBlock[], text: string, lines: Line[], at: number): number {
  const line = lines[at]!
  const [start = '', sign = ''] = item.exec(line.text) ?? []
  let end = at + 1
  while (end < lines.length && !isBlank(lines[end]) && !item.test(lines[end]!.text)) end++
  const found = {
    marker: /\d/.test(sign) ? sign : '•',
    ...trimmed(text, { from: line.from + start.length, to: lines[end - 1]!.to }),
  }
  const last = blocks.at(-1)
  if (last?.kind === 'list') last.items.push(found)
  else blocks.push({ kind: 'list', items: [found] })
  return end
}

type InlineSpan = Span & { kind: 'text' | 'strong' | 'code' }

// Only around whole words: `a**b**c` is arithmetic.
const inline = /(?<![\w*])\*\*(?=\S)([^*\n]+)(?<=\S)\*\*(?![\w*])|`([^`\n]+)`/g

/** A part of a text without the marks of bold text and code. */
export function inlineSpans(text: string, { from, to }: Span): InlineSpan[] {
  const spans: InlineSpan[] = []
  let at = from
  for (const match of text.slice(from, to).matchAll(inline)) {
    const start = from + match.index
    const width = match[1] === undefined ? 1 : 2
    if (start > at) spans.push({ kind: 'text', from: at, to: start })
    const end = start + match[0].length
    spans.push({ kind: width === 2 ? 'strong' : 'code', from: start + width, to: end - width })
    at = end
  }
  if (at < to) spans.push({ kind: 'text', from: at, to })
  return spans
}

/** A span cut at the ends of marked ranges, which may overlap. */
export function markedSpans({ from, to }: Span, marks: readonly Span[]): (Span & { isMarked: boolean })[] {
  const parts: (Span & { isMarked: boolean })[] = []
  let at = from
  for (const mark of marks) {
    const start = Math.max(mark.from, at)
    const end = Math.min(mark.to, to)
    if (end <= start) continue
    if (start > at) parts.push({ from: at, to: start, isMarked: false })
    parts.push({ from: start, to: end, isMarked: true })
    at = end
  }
  if (at < to) parts.push({ from: at, to, isMarked: false })
  return parts
}
