import {
  CopyOutlined,
  DeleteOutlined,
  EllipsisOutlined,
  ExportOutlined,
  ImportOutlined,
  PlusOutlined,
} from '@ant-design/icons'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { App, Button, Table } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { ItemOf } from '../../api/operations.ts'
import { UsedBy } from '../../editor/publishing/used-by.tsx'
import { useMay } from '../../session/use-session.ts'
import { ActionMenu } from '../../ui/action-menu.tsx'
import { Badge } from '../../ui/badge.tsx'
import { cutText } from '../../ui/cut-text.ts'
import { DropCover } from '../../ui/drop-cover.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryFailure, useFailureToast } from '../../ui/failure.tsx'
import { ListSearch } from '../../ui/list-search.tsx'
import { actionsColumn } from '../../ui/list-table.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { pathTo } from '../../ui/router.ts'
import { shownTotal } from '../../ui/shown-total.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { useDroppedFiles } from '../../ui/use-dropped-files.ts'
import { useExistingPage } from '../../ui/use-existing-page.ts'
import { When } from '../../ui/when.tsx'
import { CreateDialog } from './create-dialog.tsx'
import { duplicateWorkflow, exportWorkflow } from './export-workflow.ts'
import { ImportDialog } from './import-dialog.tsx'
import { useListWords } from './workflow-words.ts'
import './workflow-list.css'

const pageSize = 20

/** All workflows of the workspace, last changed first. */
export function WorkflowList() {
  const words = useListWords()
  const may = useMay()
  const [typed, setTyped] = useState('')
  const [page, setPage] = useState(1)
  const [dialog, setDialog] = useState<'create' | 'import'>()
  const [importing, setImporting] = useState('')
  const showFailure = useFailureToast()
  const isOver = useDroppedFiles(
    ({ files: [file] }) => {
      if (!file) return
      setDialog('import')
      file.text().then(setImporting, showFailure)
    },
    may.write && dialog !== 'create',
  )
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
  useExistingPage(list.data?.total, page, pageSize, setPage)
  const isNew = list.data?.total === 0 && keyword === '' && !list.isPlaceholderData
  const buttons = may.write && (
    <>
      <Button icon={<ImportOutlined aria-hidden />} onClick={() => setDialog('import')}>
        {words.import}
      </Button>
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setDialog('create')}>
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
          <ListSearch
            label={words.search}
            value={typed}
            onChange={value => {
              setTyped(value)
              setPage(1)
            }}
          />
          {list.isError && <QueryFailure query={list} />}
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
            <WorkflowTable list={list.data} page={page} onPage={setPage} />
          )}
        </>
      )}
      <CreateDialog open={dialog === 'create'} onClose={() => setDialog(undefined)} />
      <ImportDialog
        open={dialog === 'import'}
        content={importing}
        onContent={setImporting}
        onClose={() => setDialog(undefined)}
      />
      {isOver && <DropCover>{words.drop}</DropCover>}
    </Page>
  )
}

interface WorkflowTableProps {
  list: { items: WorkflowItem[]; total: number; total_capped: boolean }
  page: number
  onPage(page: number): void
}

function WorkflowTable({ list, page, onPage }: WorkflowTableProps) {
  const words = useListWords()
  return (
    <Table<WorkflowItem>
      rowKey="id"
      size="middle"
      dataSource={list.items}
      pagination={{
        current: page,
        pageSize,
        total: list.total,
        onChange: onPage,
        hideOnSinglePage: true,
        showSizeChanger: false,
        showTotal: () => words.total(shownTotal(list)),
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
        {
          title: words.published,
          key: 'published',
          width: 150,
          render: (_, { version, published_version }) =>
            published_version === null ? (
              <span className="soft">{words.unpublished}</span>
            ) : (
              <>
                <Badge tone={published_version === version ? 'good' : 'warning'}>
                  {words.version(published_version)}
                </Badge>
                {published_version !== version && <div className="soft small">{words.draft}</div>}
              </>
            ),
        },
        { title: words.nodes, dataIndex: 'node_count', width: 80, align: 'right' },
        {
          title: words.changed,
          key: 'changed',
          width: 150,
          render: (_, { updated_at }) => <When time={updated_at} />,
        },
        actionsColumn<WorkflowItem>(item => <WorkflowActions item={item} />, 64),
      ]}
    />
  )
}

type WorkflowItem = ItemOf<'POST /api/v1/workflow/list'>

/** Actions for one workflow of the list. */
function WorkflowActions({ item }: { item: WorkflowItem }) {
  const words = useListWords()
  const may = useMay()
  const { modal, message } = App.useApp()
  const queries = useQueryClient()
  const showFailure = useFailureToast()
  const name = item.name || item.id
  const refresh = () => queries.invalidateQueries({ queryKey: ['workflows'] })

  const duplicate = async (): Promise<void> => {
    const copy = words.copyOf(cutText(name, 240))
    await duplicateWorkflow(item.id, copy)
    message.success(words.duplicated(copy))
    await refresh()
  }
  const remove = (): void => {
    modal.confirm({
      title: words.removeTitle(name),
      content: (
        <>
          <p>{words.removeLost}</p>
          <UsedBy workflowId={item.id} showsNone={false} />
        </>
      ),
      okText: words.remove,
      okButtonProps: { danger: true },
      onOk: async () => {
        try {
          await call('POST /api/v1/workflow/delete', { body: { id: item.id } })
          message.success(words.removed)
          await refresh()
        } catch (error) {
          showFailure(error)
        }
      },
    })
  }
  const actions: Record<string, () => Promise<void> | void> = {
    duplicate,
    export: () => exportWorkflow(item.id),
    remove,
  }
  return (
    <ActionMenu
      menu={{
        items: [
          ...(may.write ? [{ key: 'duplicate', icon: <CopyOutlined />, label: words.duplicate }] : []),
          { key: 'export', icon: <ExportOutlined />, label: words.export },
          ...(may.write
            ? [{ key: 'remove', icon: <DeleteOutlined />, label: words.remove, danger: true }]
            : []),
        ],
        onClick: ({ key }) => void Promise.resolve(actions[key]?.()).catch(showFailure),
      }}
    >
      <Button
        type="text"
        icon={<EllipsisOutlined />}
        aria-label={words.more(name)}
        title={words.more(name)}
      />
    </ActionMenu>
  )
}
