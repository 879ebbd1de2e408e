import {
  CopyOutlined,
  DeleteOutlined,
  EllipsisOutlined,
  ExportOutlined,
  ImportOutlined,
  InboxOutlined,
  PlusOutlined,
  SearchOutlined,
} from '@ant-design/icons'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Alert, App, Button, Dropdown, Input, Modal, Table, Upload } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { parseExact } from '../../api/exact-json.ts'
import type { ItemOf } from '../../api/operations.ts'
import { UsedBy } from '../../editor/publishing/used-by.tsx'
import { useMay } from '../../session/use-session.ts'
import { Badge } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure, useFailureToast } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { navigate, pathTo } from '../../ui/router.ts'
import { shownTotal } from '../../ui/shown-total.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { useExistingPage } from '../../ui/use-existing-page.ts'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'
import { CreateDialog } from './create-dialog.tsx'
import { duplicateWorkflow, exportWorkflow } from './export-workflow.ts'
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
            <WorkflowTable list={list.data} page={page} onPage={setPage} />
          )}
        </>
      )}
      <CreateDialog open={dialog === 'create'} onClose={() => setDialog(undefined)} />
      <ImportDialog open={dialog === 'import'} onClose={() => setDialog(undefined)} />
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
          width: 140,
          render: (_, { version, published_version }) =>
            published_version === null ? (
              <span className="soft">{words.unpublished}</span>
            ) : (
              <span title={published_version === version ? undefined : words.draft}>
                <Badge tone={published_version === version ? 'good' : 'warning'}>
                  {words.version(published_version)}
                </Badge>
              </span>
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
    const copy = words.copyOf(name)
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
    <Dropdown
      trigger={['click']}
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
    </Dropdown>
  )
}

const useWords = defineWords(
  {
    title: 'Import a workflow',
    drop: 'Drop an exported file here, or click to choose one',
    paste: 'Or paste its JSON',
    go: 'Import',
    wrong: 'This is not a workflow in JSON. Use the complete exported file.',
  },
  {
    title: '导入工作流',
    drop: '把导出的文件拖到这里，或点击选择',
    paste: '或粘贴 JSON 内容',
    go: '导入',
    wrong: '这不是工作流的 JSON。请使用导出得到的完整文件。',
  },
)

/** An exported document, or a bare graph; undefined if it is neither. */
function readDocument(text: string): object | undefined {
  try {
    const read: unknown = parseExact(text)
    if (typeof read !== 'object' || read === null || Array.isArray(read)) return undefined
    if ('document' in read && typeof read.document === 'object') return read.document ?? undefined
    return 'nodes' in read ? { workflow: read } : read
  } catch {
    return undefined
  }
}

function ImportDialog({ open, onClose }: { open: boolean; onClose(): void }) {
  const words = useWords()
  const queries = useQueryClient()
  const [text, setText] = useState('')
  const importing = useMutation({
    mutationFn: (given: object) =>
      call('POST /api/v1/workflow/import', {
        body: 'format' in given ? { document: given } : { ...given },
      }),
    onSuccess: async ({ id }) => {
      close()
      await queries.invalidateQueries({ queryKey: ['workflows'] })
      navigate(pathTo('workflows', id))
    },
  })
  const close = (): void => {
    setText('')
    importing.reset()
    onClose()
  }
  const given = readDocument(text)
  return (
    <Modal
      open={open}
      title={words.title}
      okText={words.go}
      okButtonProps={{ disabled: given === undefined }}
      confirmLoading={importing.isPending}
      onOk={() => given && importing.mutate(given)}
      onCancel={close}
    >
      <div className="import-form">
        <Upload.Dragger
          accept=".json,application/json"
          showUploadList={false}
          beforeUpload={async file => {
            setText(await file.text())
            return Upload.LIST_IGNORE
          }}
        >
          <p className="import-icon">
            <InboxOutlined />
          </p>
          <p>{words.drop}</p>
        </Upload.Dragger>
        <Input.TextArea
          aria-label={words.paste}
          placeholder={words.paste}
          rows={6}
          value={text}
          onChange={event => setText(event.target.value)}
        />
        {text !== '' && given === undefined && <Alert type="warning" showIcon title={words.wrong} />}
        {importing.isError && <Failure error={importing.error} />}
      </div>
    </Modal>
  )
}
