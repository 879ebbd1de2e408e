import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Alert } from 'antd'
import { call } from '../../api/call.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { navigate } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'
import { SearchForm } from './search-form.tsx'
import { SearchResults } from './search-results.tsx'
import { readSearch, type SearchState, searchBody, searchHref } from './search-state.ts'
import type { KnowledgeBase } from './use-knowledge.ts'

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

/** Tries out what a base finds. */
export function SearchTab({ base, query }: { base: KnowledgeBase; query: URLSearchParams }) {
  const words = useWords()
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
      {isAsked && search.isError && <Failure error={search.error} onRetry={() => search.refetch()} />}
      {isAsked && search.isLoading && <Loading />}
      {isAsked && search.data?.warning !== undefined && (
        <Alert type="warning" showIcon title={search.data.warning} />
      )}
      {isAsked && search.data && !search.isError && (
        <SearchResults base={base} found={search.data} state={state} onChange={show} />
      )}
    </div>
  )
}
