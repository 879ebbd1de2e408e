import type { Block } from '../../block.ts'
import { MarkdownScanner } from './markdown-blocks.ts'

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
  // Without a key it is text between two thematic breaks.
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
