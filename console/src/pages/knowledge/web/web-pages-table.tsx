import { ApartmentOutlined, DeleteOutlined, ReloadOutlined, SettingOutlined } from '@ant-design/icons'
import { Button, Table, type TableColumnsType, Tag } from 'antd'
import { useState } from 'react'
import { useMay } from '../../../session/use-session.ts'
import { Confirm } from '../../../ui/confirm.tsx'
import { actionsColumn } from '../../../ui/list-table.tsx'
import { PageLink } from '../../../ui/page-link.tsx'
import { pathTo } from '../../../ui/router.ts'
import { shownTotal } from '../../../ui/shown-total.ts'
import { type Fitting, useFittingColumns } from '../../../ui/use-fitting-columns.ts'
import { When } from '../../../ui/when.tsx'
import { defineWords } from '../../../ui/words.ts'
import type { KnowledgeBase } from '../use-knowledge.ts'
import { withQuery } from '../with-query.ts'
import { EditWebPage } from './edit-web-page.tsx'
import { RefreshName, RefreshSelect } from './refresh-select.tsx'
import { useWebPageActions, type WebPage } from './use-web-pages.ts'
import { WebPageFailure, WebPageState } from './web-page-state.tsx'

const useWords = defineWords(
  {
    page: 'Page',
    status: 'Status',
    refresh: 'Refresh',
    fetched: 'Last fetched',
    next: 'Next',
    total: (count: string) => `${count} in total`,
    map: 'Site map',
    unlisted: 'No longer in the site map',
    pages: (ready: number, total: number) => `${ready} of ${total} pages fetched`,
    failed: (count: number) => `${count} failed`,
    more: (found: number) => `${found} found`,
    limit: (max: number) => `at most ${max}`,
    settings: (name: string) => `Settings of ${name}`,
    never: 'Not yet',
    none: 'None',
    withMap: 'With its site map',
    refreshOf: (name: string) => `Refresh of ${name}`,
    now: (name: string) => `Refresh ${name} now`,
    again: (name: string) => `Add ${name} again`,
    remove: (name: string) => `Delete ${name}`,
    removeTitle: 'Delete this page?',
    removeAbout: 'Its document disappears from all searches immediately.',
    removeOfMap:
      'Its document disappears from all searches immediately, and the site map does not add it again.',
    removeMapTitle: 'Delete this site map?',
    removeMapAbout: 'All its pages and their documents will be deleted too.',
    ok: 'Delete',
    cancel: 'Cancel',
  },
  {
    page: '网页',
    status: '状态',
    refresh: '刷新',
    fetched: '上次获取',
    next: '下次获取',
    total: (count: string) => `共 ${count} 个`,
    map: '站点地图',
    unlisted: '已不在站点地图中',
    pages: (ready: number, total: number) => `已获取 ${ready}/${total} 个网页`,
    failed: (count: number) => `${count} 个失败`,
    more: (found: number) => `共找到 ${found} 个`,
    limit: (max: number) => `最多 ${max} 个`,
    settings: (name: string) => `${name} 的设置`,
    never: '尚未获取',
    none: '无',
    withMap: '随站点地图',
    refreshOf: (name: string) => `${name} 的刷新频率`,
    now: (name: string) => `立即刷新 ${name}`,
    again: (name: string) => `重新添加 ${name}`,
    remove: (name: string) => `删除 ${name}`,
    removeTitle: '删除这个网页？',
    removeAbout: '它的文档会立即从所有搜索中消失。',
    removeOfMap: '它的文档会立即从所有搜索中消失，站点地图也不会再次添加它。',
    removeMapTitle: '删除这个站点地图？',
    removeMapAbout: '它的所有网页及其文档也会被删除。',
    ok: '删除',
    cancel: '取消',
  },
)

interface WebPagesTableProps {
  base: KnowledgeBase
  items: readonly WebPage[]
  paging: { page: number; pageSize: number; total: number; total_capped: boolean }
  onPage: (page: number) => void
}

export function WebPagesTable({ base, items, paging, onPage }: WebPagesTableProps) {
  const words = useWords()
  const knowledgeId = base.knowledge_id
  const all: Fitting<TableColumnsType<WebPage>[number]>[] = [
    {
      key: 'page',
      title: words.page,
      render: (_, page) => <PageName knowledgeId={knowledgeId} page={page} />,
    },
    { key: 'status', title: words.status, width: 120, render: (_, page) => <WebPageState page={page} /> },
    {
      key: 'refresh',
      title: words.refresh,
      width: 150,
      from: 560,
      render: (_, page) => <Refresh knowledgeId={knowledgeId} page={page} />,
    },
    {
      key: 'fetched',
      title: words.fetched,
      width: 130,
      from: 760,
      render: (_, { fetched_at }) =>
        fetched_at === null ? <span className="soft">{words.never}</span> : <When time={fetched_at} />,
    },
    {
      key: 'next',
      title: words.next,
      width: 130,
      from: 900,
      render: (_, { next_fetch_at, status }) =>
        next_fetch_at === null || status === 'queued' ? (
          <span className="soft">{words.none}</span>
        ) : (
          <When time={next_fetch_at} />
        ),
    },
    actionsColumn(page => <PageButtons knowledgeId={knowledgeId} page={page} />, 132),
  ]
  const { container, columns } = useFittingColumns(all)
  return (
    <div ref={container}>
      <Table
        rowKey="page_id"
        size="middle"
        columns={columns}
        dataSource={items}
        pagination={{
          current: paging.page,
          pageSize: paging.pageSize,
          total: paging.total,
          hideOnSinglePage: true,
          showSizeChanger: false,
          showTotal: () => words.total(shownTotal(paging)),
          onChange: onPage,
        }}
      />
    </div>
  )
}

interface PageProps {
  knowledgeId: string
  page: WebPage
}

function PageName({ knowledgeId, page }: PageProps) {
  const words = useWords()
  const { sitemap, file_id, title, url, listed } = page
  return (
    <div className="kb-document-name">
      {file_id !== null && (
        <a href={pathTo('knowledge', knowledgeId, 'documents', file_id)}>{title || url}</a>
      )}
      {file_id === null && title !== '' && <span>{title}</span>}
      {sitemap && (
        <span className="kb-site-map">
          <Tag icon={<ApartmentOutlined aria-hidden />}>{words.map}</Tag>
          <a href={withQuery(pathTo('knowledge', knowledgeId, 'pages'), { sitemap: page.page_id })}>
            {words.pages(sitemap.pages.ready, sitemap.pages.total)}
          </a>
          {sitemap.pages.failed > 0 && (
            <span className="kb-danger small">{words.failed(sitemap.pages.failed)}</span>
          )}
          {sitemap.found > sitemap.pages.total && (
            <span className="soft small">{words.more(sitemap.found)}</span>
          )}
          <span className="soft small">
            {[
              words.limit(sitemap.max_pages),
              ...sitemap.include,
              ...sitemap.exclude.map(path => `− ${path}`),
            ].join(' · ')}
          </span>
        </span>
      )}
      <PageLink url={url} />
      {!listed && <span className="soft small">{words.unlisted}</span>}
      <WebPageFailure page={page} />
    </div>
  )
}

function Refresh({ knowledgeId, page }: PageProps) {
  const words = useWords()
  const may = useMay()
  const { update } = useWebPageActions(knowledgeId, page.page_id)
  if (page.sitemap_id !== null) return <span className="soft">{words.withMap}</span>
  if (!may.write) return <RefreshName refresh={page.refresh} />
  return (
    <RefreshSelect
      isPlain
      value={page.refresh}
      label={words.refreshOf(page.title || page.url)}
      isLoading={update.isPending}
      onChange={refresh => update.mutate({ refresh })}
    />
  )
}

function PageButtons({ knowledgeId, page }: PageProps) {
  const words = useWords()
  const may = useMay()
  const { refresh, remove } = useWebPageActions(knowledgeId, page.page_id)
  const [isEditing, setIsEditing] = useState(false)
  if (!may.write || page.status === 'deleting') return null
  const name = page.title || page.url
  const fetching = page.status === 'excluded' ? words.again(name) : words.now(name)
  const isMap = page.kind === 'sitemap'
  const isOfMap = page.sitemap_id !== null && page.listed && page.status !== 'excluded'
  return (
    <span className="kb-row-buttons">
      {page.sitemap_id === null && (
        <>
          <Button
            type="text"
            icon={<SettingOutlined aria-hidden />}
            title={words.settings(name)}
            aria-label={words.settings(name)}
            onClick={() => setIsEditing(true)}
          />
          <EditWebPage {...{ knowledgeId, page }} open={isEditing} onClose={() => setIsEditing(false)} />
        </>
      )}
      <Button
        type="text"
        icon={<ReloadOutlined aria-hidden />}
        title={fetching}
        aria-label={fetching}
        loading={refresh.isPending || page.status === 'fetching'}
        onClick={() => refresh.mutate()}
      />
      <Confirm
        title={isMap ? words.removeMapTitle : words.removeTitle}
        description={
          <div className="kb-confirm-words">
            {isMap ? words.removeMapAbout : isOfMap ? words.removeOfMap : words.removeAbout}
          </div>
        }
        okText={words.ok}
        okButtonProps={{ danger: true }}
        cancelText={words.cancel}
        onConfirm={() => remove.mutate()}
      >
        <Button
          type="text"
          icon={<DeleteOutlined aria-hidden />}
          title={words.remove(name)}
          aria-label={words.remove(name)}
          loading={remove.isPending}
        />
      </Confirm>
    </span>
  )
}
