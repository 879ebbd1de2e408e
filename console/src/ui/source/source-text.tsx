import { useInfiniteQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useEffect, useRef } from 'react'
import { call } from '../../api/call.ts'
import { Failure } from '../failure.tsx'
import { PassageText } from '../passage/passage-text.tsx'
import { defineWords } from '../words.ts'
import type { DocumentView, Source } from './open-source.ts'

const useWords = defineWords(
  {
    text: 'Text of the document',
    passage: 'Cited passage',
    before: 'Show text before',
    after: 'Show text after',
    page: (page: number) => `Page ${page}`,
    sheet: (name: string) => `Sheet ${name}`,
  },
  {
    text: '文档的文本',
    passage: '引用的段落',
    before: '显示前面的内容',
    after: '显示后面的内容',
    page: (page: number) => `第 ${page} 页`,
    sheet: (name: string) => `工作表 ${name}`,
  },
)

/** The text of the document page by page, from the one with the passage in both directions. */
function useText({ knowledgeId, fileId }: Source, first: DocumentView) {
  const last = Math.ceil(first.total / first.page_size)
  return useInfiniteQuery({
    queryKey: ['knowledge', 'base', knowledgeId, 'text', fileId, first.passage?.chunk_id, first.page],
    queryFn: ({ pageParam, signal }) =>
      pageParam === first.page
        ? first
        : call('GET /api/v1/knowledge/{knowledge_id}/files/{file_id}/view', {
            params: { knowledge_id: knowledgeId, file_id: fileId },
            query: { page: pageParam, page_size: first.page_size },
            signal,
          }),
    initialPageParam: first.page,
    initialData: { pages: [first], pageParams: [first.page] },
    staleTime: Number.POSITIVE_INFINITY,
    getPreviousPageParam: ({ page }) => (page > 1 ? page - 1 : undefined),
    getNextPageParam: ({ page }) => (page < last ? page + 1 : undefined),
  })
}

/** The text of a document with the passage highlighted. */
export function SourceText({ source, first }: { source: Source; first: DocumentView }) {
  const words = useWords()
  const text = useText(source, first)
  const meant = useRef<HTMLElement>(null)
  useEffect(() => {
    meant.current?.scrollIntoView({ block: 'center' })
  }, [])
  const parts = text.data.pages.flatMap(page => page.items)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard
    <section className="source-text" aria-label={words.text} tabIndex={0}>
      {text.hasPreviousPage && (
        <Button loading={text.isFetchingPreviousPage} onClick={() => text.fetchPreviousPage()}>
          {words.before}
        </Button>
      )}
      {parts.map((part, at) => {
        const before = parts[at - 1]
        const isMeant = part.chunk_id === first.passage?.chunk_id
        const content = <PassageText text={part.text} headings={part.heading} hasHeadings />
        return (
          <div key={part.chunk_id}>
            {part.page !== null && part.page !== before?.page && (
              <p className="soft small">{words.page(part.page)}</p>
            )}
            {part.sheet !== null && part.sheet !== before?.sheet && (
              <p className="soft small">{words.sheet(part.sheet)}</p>
            )}
            {isMeant ? (
              <section ref={meant} className="source-passage" aria-label={words.passage}>
                {content}
              </section>
            ) : (
              content
            )}
          </div>
        )
      })}
      {text.isError && <Failure error={text.error} />}
      {text.hasNextPage && (
        <Button loading={text.isFetchingNextPage} onClick={() => text.fetchNextPage()}>
          {words.after}
        </Button>
      )}
    </section>
  )
}
