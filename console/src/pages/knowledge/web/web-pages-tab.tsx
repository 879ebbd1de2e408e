import { CloseOutlined, GlobalOutlined } from '@ant-design/icons'
import { Button, Select } from 'antd'
import { useEffect, useState } from 'react'
import { useMay } from '../../../session/use-session.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { QueryFailure } from '../../../ui/failure.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { navigate, pathTo } from '../../../ui/router.ts'
import { defineWords } from '../../../ui/words.ts'
import type { KnowledgeBase } from '../use-knowledge.ts'
import { pageIn, withQuery } from '../with-query.ts'
import { AddWebPages } from './add-web-pages.tsx'
import { useWebPages, type WebPage } from './use-web-pages.ts'
import { useWebStatusWords } from './web-page-state.tsx'
import { WebPagesTable } from './web-pages-table.tsx'

const useWords = defineWords(
  {
    add: 'Add web pages',
    none: 'No web pages yet',
    noneAbout: 'Web pages become documents, are kept up to date, and are cited with their address.',
    nothing: 'No matches',
    nothingAbout: 'No web page has this status.',
    showAll: 'Show all',
    status: 'Status',
    any: 'Any status',
    ofMap: 'Only one site map',
  },
  {
    add: '添加网页',
    none: '还没有网页',
    noneAbout: '网页会成为文档并保持更新，引用时附上网页的地址。',
    nothing: '没有匹配的网页',
    nothingAbout: '没有处于这个状态的网页。',
    showAll: '显示全部',
    status: '状态',
    any: '全部状态',
    ofMap: '仅一个站点地图',
  },
)

const statuses: WebPage['status'][] = ['queued', 'fetching', 'ready', 'failed', 'excluded']
const pageSize = 20

interface Shown {
  status?: WebPage['status'] | undefined
  sitemap?: string | undefined
  page?: number
}

/** The web pages and site maps of a knowledge base. */
export function WebPagesTab({ base, query }: { base: KnowledgeBase; query: URLSearchParams }) {
  const words = useWords()
  const names = useWebStatusWords()
  const may = useMay()
  const [isAdding, setIsAdding] = useState(false)
  const knowledgeId = base.knowledge_id
  const status = statuses.find(name => name === query.get('status'))
  const sitemap = query.get('sitemap') ?? undefined
  const page = pageIn(query)
  const show = (next: Shown): void =>
    navigate(withQuery(pathTo('knowledge', knowledgeId, 'pages'), { ...next }), { replace: true })
  const pages = useWebPages(knowledgeId, {
    ...(status && { status }),
    ...(sitemap !== undefined && { sitemap_id: sitemap }),
    page,
    page_size: pageSize,
  })
  const last = Math.max(1, Math.ceil((pages.data?.total ?? 0) / pageSize))
  useEffect(() => {
    // The last page may be empty after deleting.
    if (pages.isSuccess && !pages.isPlaceholderData && page > last) show({ status, sitemap, page: last })
  })
  const isFiltered = status !== undefined || sitemap !== undefined
  const isEmpty = pages.data?.total === 0
  const adding = (
    <Button type="primary" icon={<GlobalOutlined aria-hidden />} onClick={() => setIsAdding(true)}>
      {words.add}
    </Button>
  )
  return (
    <>
      {(!isEmpty || isFiltered) && (
        <div className="kb-toolbar">
          {may.write && adding}
          <Select
            value={status ?? ''}
            aria-label={words.status}
            onChange={value => show({ status: statuses.find(name => name === value), sitemap })}
            options={[
              { value: '', label: words.any },
              ...statuses.map(value => ({ value, label: names[value] })),
            ]}
          />
          {sitemap !== undefined && (
            <Button icon={<CloseOutlined aria-hidden />} onClick={() => show({ status })}>
              {words.ofMap}
            </Button>
          )}
        </div>
      )}
      {pages.isError && <QueryFailure query={pages} />}
      {pages.isPending && <Loading />}
      {isEmpty && (
        <EmptyState
          title={isFiltered ? words.nothing : words.none}
          actions={
            isFiltered ? <Button onClick={() => show({})}>{words.showAll}</Button> : may.write && adding
          }
        >
          {isFiltered ? words.nothingAbout : words.noneAbout}
        </EmptyState>
      )}
      {pages.data && !isEmpty && (
        <WebPagesTable
          base={base}
          items={pages.data.items}
          paging={{ ...pages.data, page, pageSize }}
          onPage={next => show({ status, sitemap, page: next })}
        />
      )}
      <AddWebPages
        knowledgeId={knowledgeId}
        metadata={{}}
        open={isAdding}
        onClose={() => setIsAdding(false)}
      />
    </>
  )
}
