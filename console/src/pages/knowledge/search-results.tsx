import { QuestionCircleOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { CopyButton } from '../../ui/copy-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { defineWords } from '../../ui/words.ts'
import { SearchExplanation } from './search-explanation.tsx'
import { SearchResult } from './search-result.tsx'
import { type SearchState, searchHref } from './search-state.ts'
import type { Found, KnowledgeBase } from './use-knowledge.ts'

const useWords = defineWords(
  {
    count: (count: number) => (count === 1 ? '1 passage' : `${count} passages`),
    keyword: 'keyword search',
    semantic: 'semantic search',
    hybrid: 'hybrid search',
    took: (milliseconds: string) => `in ${milliseconds} ms`,
    why: 'Why?',
    copy: 'Copy link to this search',
    results: 'Results',
    nothing: 'No results',
    nothingAbout:
      'Try other words, a lower minimum score, or no filter. “Why?” shows which terms were searched, and why an expected document is missing.',
  },
  {
    count: (count: number) => `${count} 个段落`,
    keyword: '关键词检索',
    semantic: '语义检索',
    hybrid: '混合检索',
    took: (milliseconds: string) => `用时 ${milliseconds} 毫秒`,
    why: '为什么？',
    copy: '复制此搜索的链接',
    results: '结果',
    nothing: '没有找到',
    nothingAbout:
      '换些词、降低最低分数或去掉筛选试试。点“为什么？”可查看查找了哪些词，以及预期的文档为何没有出现。',
  },
)

interface SearchResultsProps {
  base: KnowledgeBase
  found: Found
  state: SearchState
  onChange: (state: SearchState) => void
}

/** What a search found, and how. */
export function SearchResults({ base, found, state, onChange }: SearchResultsProps) {
  const words = useWords()
  const { items, explanation } = found
  const address = new URL(searchHref(base.knowledge_id, state), window.location.href).href
  return (
    <>
      <div className="kb-search-summary">
        <span role="status">
          {words.count(items.length)}{' '}
          <span className="soft">
            {words[found.mode]}, {words.took(found.took_ms.toFixed(found.took_ms < 10 ? 1 : 0))}
          </span>
        </span>
        <CopyButton text={address} label={words.copy} />
        <Button
          icon={<QuestionCircleOutlined aria-hidden />}
          type={state.explain ? 'primary' : 'default'}
          ghost={state.explain}
          aria-pressed={state.explain}
          onClick={() => onChange({ ...state, explain: !state.explain, explainFileId: undefined })}
        >
          {words.why}
        </Button>
      </div>
      {state.explain && explanation && (
        <SearchExplanation
          base={base}
          found={found}
          explanation={explanation}
          fileId={state.explainFileId}
          onFile={explainFileId => onChange({ ...state, explain: true, explainFileId })}
        />
      )}
      {items.length === 0 ? (
        <EmptyState title={words.nothing}>{words.nothingAbout}</EmptyState>
      ) : (
        <ol className="kb-results" aria-label={words.results}>
          {items.map((item, index) => (
            <SearchResult
              key={item.chunk_id}
              base={base}
              item={item}
              place={index + 1}
              ranks={explanation?.ranks.find(({ chunk_id }) => chunk_id === item.chunk_id)}
            />
          ))}
        </ol>
      )}
    </>
  )
}
