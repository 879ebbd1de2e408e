import { QuestionCircleOutlined } from '@ant-design/icons'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Alert, Button } from 'antd'
import { call } from '../../api/call.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryFailure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { useLanguage } from '../../ui/preferences.ts'
import { navigate } from '../../ui/router.ts'
import { explainSearchWarning } from '../../ui/server-texts/message-facts.ts'
import { defineWords } from '../../ui/words.ts'
import { SearchExplanation } from './search-explanation.tsx'
import { SearchForm } from './search-form.tsx'
import { SearchResult } from './search-result.tsx'
import { readSearch, type SearchState, searchBody, searchHref } from './search-state.ts'
import type { Found, KnowledgeBase } from './use-knowledge.ts'

const useWords = defineWords(
  {
    teach: 'Try a search',
    teachAbout:
      'Agents and workflows get exactly these results. Each result shows its source, score and explanation; the URL of this page contains the search, so you can share it.',
    indexing: 'Some documents are still being processed and cannot be found yet.',
  },
  {
    teach: '试试搜索',
    teachAbout:
      '这里的结果与智能体和工作流查到的完全一致。每条结果都会说明出处、得分和原因；搜索条件保存在本页网址中，可直接分享。',
    indexing: '有些文档还在处理，暂时搜索不到。',
  },
)

/** Tries out searches in a knowledge base. */
export function SearchTab({ base, query }: { base: KnowledgeBase; query: URLSearchParams }) {
  const words = useWords()
  const language = useLanguage()
  const state = readSearch(query)
  const body = searchBody(state)
  const isAsked = state.text.trim() !== ''
  const search = useQuery({
    queryKey: ['knowledge', 'base', base.knowledge_id, 'search', body],
    queryFn: ({ signal }) =>
      call('POST /api/v1/knowledge/{knowledge_id}/search', {
        params: { knowledge_id: base.knowledge_id },
        body,
        signal,
      }),
    enabled: isAsked,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  })
  const show = (next: SearchState): void => {
    const href = searchHref(base.knowledge_id, next)
    if (href === searchHref(base.knowledge_id, state)) void search.refetch()
    else navigate(href)
  }
  return (
    <div className="kb-search">
      <SearchForm base={base} state={state} isBusy={search.isFetching} onSearch={show} />
      {base.status === 'indexing' && !base.reindexing && <p className="soft small">{words.indexing}</p>}
      {!isAsked && <EmptyState title={words.teach}>{words.teachAbout}</EmptyState>}
      {isAsked && search.isError && <QueryFailure query={search} />}
      {isAsked && search.isLoading && <Loading />}
      {isAsked && search.data?.warning !== undefined && (
        <Alert type="warning" showIcon title={explainSearchWarning(language, search.data.warning)} />
      )}
      {isAsked && search.data && !search.isError && (
        <SearchResults base={base} found={search.data} state={state} onChange={show} />
      )}
    </div>
  )
}

const useSearchResultsWords = defineWords(
  {
    count: (count: number) => (count === 1 ? '1 passage' : `${count} passages`),
    keyword: 'keyword search',
    semantic: 'semantic search',
    hybrid: 'hybrid search',
    took: (milliseconds: string) => `, in ${milliseconds} ms`,
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
    took: (milliseconds: string) => `，用时 ${milliseconds} 毫秒`,
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

/** The results of a search. */
function SearchResults({ base, found, state, onChange }: SearchResultsProps) {
  const words = useSearchResultsWords()
  const { items, explanation } = found
  const address = new URL(searchHref(base.knowledge_id, state), window.location.href).href
  return (
    <>
      <div className="kb-search-summary">
        <span role="status">
          {words.count(items.length)}
          <span className="soft">
            {' · '}
            {words[found.mode]}
            {words.took(found.took_ms.toFixed(found.took_ms < 10 ? 1 : 0))}
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
              question={state.text.trim()}
              place={index + 1}
              ranks={explanation?.ranks.find(({ chunk_id }) => chunk_id === item.chunk_id)}
            />
          ))}
        </ol>
      )}
    </>
  )
}
