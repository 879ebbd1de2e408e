import { defineWords } from '../../ui/words.ts'
import type { Chunk } from './use-knowledge.ts'

const useWords = defineWords(
  { page: (page: number) => `page ${page}`, sheet: (name: string) => `sheet ${name}`, headings: 'Section' },
  { page: (page: number) => `第 ${page} 页`, sheet: (name: string) => `工作表 ${name}`, headings: '位于' },
)

/** The location of a chunk in its document: headings, page, sheet. */
export function ChunkPlace({ chunk }: { chunk: Pick<Chunk, 'heading' | 'page' | 'sheet'> }) {
  const words = useWords()
  const parts = [
    ...(chunk.page === null ? [] : [words.page(chunk.page)]),
    ...(chunk.sheet === null ? [] : [words.sheet(chunk.sheet)]),
  ]
  return (
    <>
      {chunk.heading.length > 0 && (
        <span className="kb-chunk-heading" title={words.headings}>
          {chunk.heading.join(' › ')}
        </span>
      )}
      {parts.map(part => (
        <span key={part} className="soft">
          {part}
        </span>
      ))}
    </>
  )
}
