import { ImportOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Space, type TableColumnsType, Tag } from 'antd'
import { useState } from 'react'
import { useMay } from '../../session/use-session.ts'
import { actionsColumn, ListTable } from '../../ui/list-table.tsx'
import { navigate, pathTo } from '../../ui/router.ts'
import { type SharedTool, useTools } from '../../ui/tools/use-tools.ts'
import { When } from '../../ui/when.tsx'
import { ListPage } from '../list-page.tsx'
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
  const [dialog, setDialog] = useState<Dialog>()
  const named = openId === undefined ? undefined : tools.data?.find(({ id }) => id === openId)
  const close = () => {
    setDialog(undefined)
    if (openId !== undefined) navigate(pathTo('tools'))
  }
  return (
    <ListPage
      words={words}
      list={tools}
      textOf={({ name, description, url }) => `${name}\n${description}\n${url}`}
      actions={
        <Space>
          <Button icon={<ImportOutlined aria-hidden />} onClick={() => setDialog({ is: 'import' })}>
            {words.import}
          </Button>
          <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setDialog({ is: 'add' })}>
            {words.add}
          </Button>
        </Space>
      }
      table={shown => <ToolsTable tools={shown} onOpen={setDialog} />}
    >
      {named && may.write && dialog === undefined && <SharedToolDialog tool={named} onClose={close} />}
      {dialog?.is === 'add' && <SharedToolDialog tool={undefined} onClose={close} />}
      {dialog?.is === 'edit' && <SharedToolDialog tool={dialog.tool} onClose={close} />}
      {dialog?.is === 'delete' && <DeleteToolDialog tool={dialog.tool} onClose={close} />}
      {dialog?.is === 'import' && (
        <ImportToolsDialog taken={tools.data?.map(({ name }) => name) ?? []} onClose={close} />
      )}
    </ListPage>
  )
}

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
          actionsColumn<SharedTool>(tool => (
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
          )),
        ]
      : []),
  ]
  return <ListTable rowKey="id" columns={columns} dataSource={tools} />
}
