import { ImportOutlined, PlusOutlined } from '@ant-design/icons'
import { Alert, Button, Space, Table, type TableColumnsType, Tag } from 'antd'
import { useState } from 'react'
import { useMay } from '../../session/use-session.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { ListSearch } from '../../ui/list-search.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { navigate, pathTo } from '../../ui/router.ts'
import { type SharedTool, useTools } from '../../ui/tools/use-tools.ts'
import { When } from '../../ui/when.tsx'
import { WideTable } from '../../ui/wide-table.tsx'
import type { PageProps } from '../page-props.ts'
import { DeleteToolDialog } from './delete-tool-dialog.tsx'
import { ImportToolsDialog } from './import-tools-dialog.tsx'
import { SharedToolDialog } from './shared-tool-dialog.tsx'
import { useToolWords } from './tool-words.ts'
import './tools.css'

type Dialog = { is: 'add' | 'import' } | { is: 'edit' | 'delete'; tool: SharedTool }

export function ToolsPage({ segments: [openId] }: PageProps) {
  const words = useToolWords()
  const may = useMay()
  const tools = useTools()
  const [keyword, setKeyword] = useState('')
  const [dialog, setDialog] = useState<Dialog>()
  const named = openId === undefined ? undefined : tools.data?.find(({ id }) => id === openId)
  const close = () => {
    setDialog(undefined)
    if (openId !== undefined) navigate(pathTo('tools'))
  }
  const isEmpty = tools.data?.length === 0
  const shown = tools.data?.filter(tool => isFound(tool, keyword)) ?? []
  const buttons = may.write && (
    <Space>
      <Button icon={<ImportOutlined />} onClick={() => setDialog({ is: 'import' })}>
        {words.import}
      </Button>
      <Button type="primary" icon={<PlusOutlined />} onClick={() => setDialog({ is: 'add' })}>
        {words.add}
      </Button>
    </Space>
  )
  return (
    <Page title={words.title} about={words.about} actions={isEmpty ? undefined : buttons || undefined}>
      {tools.isError && <Failure error={tools.error} onRetry={tools.refetch} />}
      {tools.isPending && <Loading />}
      {!may.write && tools.data && <Alert type="info" showIcon title={words.onlyEditors} />}
      {isEmpty && (
        <EmptyState title={words.emptyTitle} actions={buttons || undefined}>
          {words.empty}
        </EmptyState>
      )}
      {tools.data && !isEmpty && <ListSearch label={words.search} value={keyword} onChange={setKeyword} />}
      {tools.data && !isEmpty && shown.length === 0 && (
        <EmptyState
          title={words.nothingTitle}
          actions={<Button onClick={() => setKeyword('')}>{words.clear}</Button>}
        >
          {words.nothing(keyword)}
        </EmptyState>
      )}
      {shown.length > 0 && <ToolsTable tools={shown} onOpen={setDialog} />}
      {named && dialog === undefined && <SharedToolDialog tool={named} onClose={close} />}
      {dialog?.is === 'add' && <SharedToolDialog tool={undefined} onClose={close} />}
      {dialog?.is === 'edit' && <SharedToolDialog tool={dialog.tool} onClose={close} />}
      {dialog?.is === 'delete' && <DeleteToolDialog tool={dialog.tool} onClose={close} />}
      {dialog?.is === 'import' && (
        <ImportToolsDialog taken={tools.data?.map(({ name }) => name) ?? []} onClose={close} />
      )}
    </Page>
  )
}

const isFound = ({ name, description, url }: SharedTool, keyword: string): boolean =>
  `${name}\n${description}\n${url}`.toLowerCase().includes(keyword.trim().toLowerCase())

interface ToolsTableProps {
  tools: SharedTool[]
  onOpen(dialog: Dialog): void
}

function ToolsTable({ tools, onOpen }: ToolsTableProps) {
  const words = useToolWords()
  const may = useMay()
  const columns: TableColumnsType<SharedTool> = [
    {
      title: words.name,
      dataIndex: 'name',
      sorter: (one, other) => one.name.localeCompare(other.name),
      render: (_, { name, description }) => (
        <>
          {name}
          <div className="small soft shared-tool-about">{description}</div>
        </>
      ),
    },
    {
      title: words.url,
      dataIndex: 'url',
      render: (_, { type, method, url }) => (
        <span className="shared-tool-address">
          <Tag>{type === 'http' ? method : words.mcp}</Tag>
          <code>{url}</code>
        </span>
      ),
    },
    { title: words.changed, dataIndex: 'updated_at', render: (time: string) => <When time={time} /> },
    ...(may.write
      ? [
          {
            title: <span className="visually-hidden">{words.actions}</span>,
            key: 'actions',
            align: 'end' as const,
            render: (_: unknown, tool: SharedTool) => (
              <Space size={0}>
                <Button
                  type="text"
                  size="small"
                  aria-label={words.editNamed(tool.name)}
                  onClick={() => onOpen({ is: 'edit', tool })}
                >
                  {words.edit}
                </Button>
                <Button
                  type="text"
                  size="small"
                  danger
                  aria-label={words.deleteNamed(tool.name)}
                  onClick={() => onOpen({ is: 'delete', tool })}
                >
                  {words.delete}
                </Button>
              </Space>
            ),
          },
        ]
      : []),
  ]
  return (
    <WideTable>
      <Table
        rowKey="id"
        size="middle"
        columns={columns}
        dataSource={tools}
        pagination={{ pageSize: 20, hideOnSinglePage: true, showSizeChanger: false }}
      />
    </WideTable>
  )
}
