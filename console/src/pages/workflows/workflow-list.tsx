import { ImportOutlined, PlusOutlined, SearchOutlined } from '@ant-design/icons'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Button, Input, Table } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useMay } from '../../session/use-session.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { pathTo } from '../../ui/router.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { usePageInReach } from '../../ui/use-page-in-reach.ts'
import { When } from '../../ui/when.tsx'
import { CreateDialog } from './create-dialog.tsx'
import { ImportDialog } from './import-dialog.tsx'
import { WorkflowActions, type WorkflowItem } from './workflow-actions.tsx'
import { useListWords } from './workflow-words.ts'
import './workflow-list.css'

const pageSize = 20

/** All workflows of the workspace, the last changed first. */
export function WorkflowList() {
  const words = useListWords()
  const may = useMay()
  const [typed, setTyped] = useState('')
  const [page, setPage] = useState(1)
  const [dialog, setDialog] = useState<'create' | 'import'>()
  const keyword = useDebounced(typed.trim())
  const list = useQuery({
    queryKey: ['workflows', keyword, page],
    queryFn: ({ signal }) =>
      call('POST /api/v1/workflow/list', {
        body: { ...(keyword !== '' && { keyword }), page, page_size: pageSize },
        signal,
      }),
    placeholderData: keepPreviousData,
  })
  usePageInReach(list.data?.total, page, pageSize, setPage)
  const isNew = list.data?.total === 0 && keyword === '' && !list.isPlaceholderData
  const buttons = may.write && (
    <>
      <Button icon={<ImportOutlined />} onClick={() => setDialog('import')}>
        {words.import}
      </Button>
      <Button type="primary" icon={<PlusOutlined />} onClick={() => setDialog('create')}>
        {words.make}
      </Button>
    </>
  )
  return (
    <Page title={words.title} about={words.about} actions={isNew ? undefined : buttons}>
      {isNew ? (
        <EmptyState title={words.noneTitle} actions={buttons || words.noneReadOnly}>
          {words.none}
        </EmptyState>
      ) : (
        <>
          <Input
            className="list-search"
            allowClear
            prefix={<SearchOutlined />}
            placeholder={words.search}
            aria-label={words.search}
            value={typed}
            onChange={event => {
              setTyped(event.target.value)
              setPage(1)
            }}
          />
          {list.isError && <Failure error={list.error} onRetry={list.refetch} />}
          {list.isPending && <Loading />}
          {list.data?.items.length === 0 && keyword !== '' && (
            <EmptyState
              title={words.nothingTitle}
              actions={<Button onClick={() => setTyped('')}>{words.clear}</Button>}
            >
              {words.nothing(keyword)}
            </EmptyState>
          )}
          {list.data && list.data.items.length > 0 && (
            <WorkflowTable items={list.data.items} total={list.data.total} page={page} onPage={setPage} />
          )}
        </>
      )}
      <CreateDialog open={dialog === 'create'} onClose={() => setDialog(undefined)} />
      <ImportDialog open={dialog === 'import'} onClose={() => setDialog(undefined)} />
    </Page>
  )
}

interface WorkflowTableProps {
  items: WorkflowItem[]
  total: number
  page: number
  onPage(page: number): void
}

function WorkflowTable({ items, total, page, onPage }: WorkflowTableProps) {
  const words = useListWords()
  return (
    <Table<WorkflowItem>
      rowKey="id"
      size="middle"
      dataSource={items}
      pagination={{
        current: page,
        pageSize,
        total,
        onChange: onPage,
        hideOnSinglePage: true,
        showSizeChanger: false,
        showTotal: words.total,
      }}
      columns={[
        {
          title: words.name,
          key: 'name',
          render: (_, { id, name }) => (
            <a className="workflow-link" href={pathTo('workflows', id)}>
              <span>{name || id}</span>
              {name !== '' && <code className="soft small">{id}</code>}
            </a>
          ),
        },
        { title: words.nodes, dataIndex: 'node_count', width: 100, align: 'right' },
        {
          title: words.changed,
          key: 'changed',
          width: 180,
          render: (_, { updated_at }) => <When time={updated_at} />,
        },
        {
          title: <span className="visually-hidden">{words.actions}</span>,
          key: 'actions',
          width: 64,
          align: 'right',
          render: (_, item) => <WorkflowActions item={item} />,
        },
      ]}
    />
  )
}
