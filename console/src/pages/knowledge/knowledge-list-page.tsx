import {
  DeleteOutlined,
  MoreOutlined,
  PlusOutlined,
  SearchOutlined,
  SettingOutlined,
} from '@ant-design/icons'
import { Button, Input, Pagination } from 'antd'
import { useEffect, useState } from 'react'
import { useMay } from '../../session/use-session.ts'
import { ActionMenu } from '../../ui/action-menu.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryFailure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { navigate, pathTo } from '../../ui/router.ts'
import { shownTotal } from '../../ui/shown-total.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'
import { BaseStatus } from './base-status.tsx'
import { CreateKnowledge } from './create-knowledge.tsx'
import { DeleteKnowledge } from './delete-knowledge.tsx'
import { type KnowledgeBase, useKnowledgeList } from './use-knowledge.ts'
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
    total: (count: string) => `${count} in total`,
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
    total: (count: string) => `共 ${count} 个`,
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
    // The last page may be empty after deleting.
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
      {list.isError && <QueryFailure query={list} />}
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
            showTotal={() => words.total(shownTotal(list.data))}
            onChange={goTo}
          />
        </>
      )}
      <CreateKnowledge open={isCreating} onClose={() => setIsCreating(false)} />
    </Page>
  )
}

const useKnowledgeCardWords = defineWords(
  {
    documents: (count: number) => (count === 1 ? '1 document' : `${count} documents`),
    chunks: (count: number) => (count === 1 ? '1 passage' : `${count} passages`),
    failed: (count: number) => `${count} failed`,
    changed: 'Updated',
    more: (name: string) => `More actions for ${name}`,
    search: 'Search',
    settings: 'Settings',
    remove: 'Delete…',
  },
  {
    documents: (count: number) => `${count} 个文档`,
    chunks: (count: number) => `${count} 个段落`,
    failed: (count: number) => `${count} 个失败`,
    changed: '更新于',
    more: (name: string) => `${name} 的更多操作`,
    search: '搜索',
    settings: '设置',
    remove: '删除…',
  },
)

/** One knowledge base in the list. */
function KnowledgeCard({ base }: { base: KnowledgeBase }) {
  const words = useKnowledgeCardWords()
  const may = useMay()
  const [isDeleting, setIsDeleting] = useState(false)
  const href = pathTo('knowledge', base.knowledge_id)
  const items = [
    { key: 'search', icon: <SearchOutlined aria-hidden />, label: words.search },
    { key: 'settings', icon: <SettingOutlined aria-hidden />, label: words.settings },
    ...(may.write
      ? [{ key: 'delete', icon: <DeleteOutlined aria-hidden />, label: words.remove, danger: true as const }]
      : []),
  ]
  return (
    <li className="knowledge-card">
      <div className="knowledge-card-head">
        <h2>
          <a href={href} title={base.name}>
            {base.name}
          </a>
        </h2>
        <ActionMenu
          menu={{
            items,
            onClick: ({ key }) => (key === 'delete' ? setIsDeleting(true) : navigate(`${href}/${key}`)),
          }}
        >
          <Button
            type="text"
            size="small"
            icon={<MoreOutlined aria-hidden />}
            aria-label={words.more(base.name)}
          />
        </ActionMenu>
      </div>
      <p className="soft knowledge-card-about">{base.description}</p>
      <div className="knowledge-card-counts">
        <span>{words.documents(base.document_count)}</span>
        <span>{words.chunks(base.chunk_count)}</span>
        {base.status === 'indexing' && base.failed_count > 0 && (
          <span className="kb-danger">{words.failed(base.failed_count)}</span>
        )}
      </div>
      <div className="knowledge-card-foot small">
        <BaseStatus base={base} />
        <span className="soft">
          {words.changed} <When time={base.updated_at} />
        </span>
      </div>
      <DeleteKnowledge base={base} open={isDeleting} onClose={() => setIsDeleting(false)} />
    </li>
  )
}
