import { PlusOutlined, SearchOutlined } from '@ant-design/icons'
import { Button, Input, Pagination } from 'antd'
import { useEffect, useState } from 'react'
import { useMay } from '../../session/use-session.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { navigate, pathTo } from '../../ui/router.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { defineWords } from '../../ui/words.ts'
import { CreateKnowledge } from './create-knowledge.tsx'
import { KnowledgeCard } from './knowledge-card.tsx'
import { useKnowledgeList } from './use-knowledge.ts'
import { pageIn, withQuery } from './with-query.ts'
import './knowledge.css'

const useWords = defineWords(
  {
    title: 'Knowledge',
    about: 'Documents that agents and workflows search and cite.',
    create: 'New knowledge base',
    find: 'Search knowledge bases',
    list: 'Knowledge bases',
    none: 'No knowledge bases yet',
    noneAbout:
      'Add handbooks, contracts or price lists: PDF, Word, Excel, PowerPoint, Markdown, web pages and more. They are processed in the background; then agents answer from them and cite their sources.',
    readOnly: 'View only: editors can create knowledge bases.',
    nothing: 'No matches',
    nothingAbout: (keyword: string) =>
      `No knowledge base has “${keyword}” in its name or description. Try a shorter search term.`,
    showAll: 'Show all',
    total: (count: number) => `${count} in total`,
  },
  {
    title: '知识库',
    about: '供智能体和工作流检索并引用的文档。',
    create: '新建知识库',
    find: '搜索知识库',
    list: '知识库列表',
    none: '还没有知识库',
    noneAbout:
      '放入手册、合同或价目表：支持 PDF、Word、Excel、PowerPoint、Markdown、网页等格式。系统会在后台处理，稍后智能体就能据此回答，并注明出处。',
    readOnly: '你的令牌只能查看；编辑者可以新建知识库。',
    nothing: '没有匹配的知识库',
    nothingAbout: (keyword: string) => `没有名称或描述中包含“${keyword}”的知识库，换个更短的词试试。`,
    showAll: '显示全部',
    total: (count: number) => `共 ${count} 个`,
  },
)

const pageSize = 12

export function KnowledgeListPage({ query }: { query: URLSearchParams }) {
  const words = useWords()
  const may = useMay()
  const [keyword, setKeyword] = useState(query.get('keyword') ?? '')
  const [isCreating, setIsCreating] = useState(false)
  const rested = useDebounced(keyword.trim())
  const page = rested === (query.get('keyword') ?? '') ? pageIn(query) : 1
  useEffect(() => {
    navigate(withQuery(pathTo('knowledge'), { keyword: rested, page: page === 1 ? undefined : page }), {
      replace: true,
    })
  }, [rested, page])
  const list = useKnowledgeList({ keyword: rested, page, page_size: pageSize })
  const last = Math.max(1, Math.ceil((list.data?.total ?? 0) / pageSize))
  useEffect(() => {
    // What was deleted may have been all of the last page.
    if (list.isSuccess && !list.isPlaceholderData && page > last)
      navigate(withQuery(pathTo('knowledge'), { keyword: rested, page: last }), { replace: true })
  })
  const create = (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setIsCreating(true)}>
      {words.create}
    </Button>
  )
  const goTo = (next: number) => navigate(withQuery(pathTo('knowledge'), { keyword: rested, page: next }))
  const isEmpty = list.data?.total === 0
  return (
    <Page
      title={words.title}
      about={words.about}
      actions={may.write && !(isEmpty && rested === '') && create}
    >
      {(!isEmpty || rested !== '' || keyword !== '') && (
        <Input
          className="knowledge-find"
          prefix={<SearchOutlined aria-hidden />}
          allowClear
          value={keyword}
          onChange={event => setKeyword(event.target.value)}
          placeholder={words.find}
          aria-label={words.find}
        />
      )}
      {list.isError && <Failure error={list.error} onRetry={() => list.refetch()} />}
      {list.isPending && <Loading />}
      {isEmpty && rested === '' && (
        <EmptyState title={words.none} {...(may.write && { actions: create })}>
          {words.noneAbout} {!may.write && words.readOnly}
        </EmptyState>
      )}
      {isEmpty && rested !== '' && (
        <EmptyState
          title={words.nothing}
          actions={<Button onClick={() => setKeyword('')}>{words.showAll}</Button>}
        >
          {words.nothingAbout(rested)}
        </EmptyState>
      )}
      {list.data && !isEmpty && (
        <>
          <ul className="knowledge-cards" aria-label={words.list}>
            {list.data.items.map(base => (
              <KnowledgeCard key={base.knowledge_id} base={base} />
            ))}
          </ul>
          <Pagination
            className="knowledge-pages"
            align="end"
            hideOnSinglePage
            current={page}
            pageSize={pageSize}
            total={list.data.total}
            showSizeChanger={false}
            showTotal={words.total}
            onChange={goTo}
          />
        </>
      )}
      <CreateKnowledge open={isCreating} onClose={() => setIsCreating(false)} />
    </Page>
  )
}
