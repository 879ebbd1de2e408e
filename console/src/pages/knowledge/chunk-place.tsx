import { defineWords } from '../../ui/words.ts'
import type { Chunk } from './use-knowledge.ts'

const range = (first: number, last: number): string => (first === last ? `${first}` : `${first}–${last}`)

const useWords = defineWords(
  {
    page: (first: number, last: number) => `p. ${range(first, last)}`,
    sheet: (name: string) => `sheet ${name}`,
    headings: 'Section',
  },
  {
    page: (first: number, last: number) => `第 ${range(first, last)} 页`,
    sheet: (name: string) => `工作表 ${name}`,
    headings: '位于',
  },
)

/** The location of a chunk in its document: headings, page, sheet. */
export function ChunkPlace({ chunk }: { chunk: Pick<Chunk, 'heading' | 'page' | 'last_page' | 'sheet'> }) {
  const words = useWords()
  const parts = [
    ...(chunk.page === null ? [] : [words.page(chunk.page, chunk.last_page ?? chunk.page)]),
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
