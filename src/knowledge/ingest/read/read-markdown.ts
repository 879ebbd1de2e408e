import type { Block } from '../block.ts'
import { splitFrontMatter } from './front-matter.ts'
import { MarkdownScanner } from './markdown-scanner.ts'

const blocksOf = (text: string): Generator<Block> => new MarkdownScanner(text).blocks()

const hasTopHeading = (text: string): boolean => {
  for (const block of blocksOf(text)) if (block.kind === 'heading' && block.level === 1) return true
  return false
}

export function* readMarkdown(text: string): Generator<Block> {
  const { title, body } = splitFrontMatter(text)
  if (title !== undefined && !hasTopHeading(body)) yield { kind: 'heading', level: 1, text: title }
  yield* blocksOf(body)
}
