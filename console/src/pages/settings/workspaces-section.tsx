import { PlusOutlined } from '@ant-design/icons'
import { Button, Table, type TableColumnsType } from 'antd'
import { useState } from 'react'
import { useAll } from '../../api/use-all.ts'
import { useSession } from '../../session/use-session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { When } from '../../ui/when.tsx'
import { WideTable } from '../../ui/wide-table.tsx'
import { CreateWorkspace } from './create-workspace.tsx'
import { DeleteWorkspace } from './delete-workspace.tsx'
import type { Workspace } from './workspace.ts'
import { useWorkspaceWords } from './workspace-words.ts'

function useColumns(onDelete: (workspace: Workspace) => void): TableColumnsType<Workspace> {
  const words = useWorkspaceWords()
  const { data: session } = useSession()
  return [
    {
      title: words.name,
      dataIndex: 'name',
      sorter: (one, other) => one.name.localeCompare(other.name),
      render: (name: string, { id }) => (
        <>
          {name} {id === session?.workspace_id && <Badge>{words.thisOne}</Badge>}
        </>
      ),
    },
    { title: words.id, dataIndex: 'id', render: (id: string) => <code>{id}</code> },
    {
      title: words.created,
      dataIndex: 'created_at',
      sorter: (one, other) => one.created_at.localeCompare(other.created_at),
      render: (time: string) => <When time={time} />,
    },
    {
      title: <span className="visually-hidden">{words.actions}</span>,
      key: 'actions',
      align: 'end',
      render: (_, workspace) =>
        // The server keeps the workspace it was started with.
        workspace.id !== session?.workspace_id && (
          <Button
            type="text"
            danger
            size="small"
            aria-label={words.deleteNamed(workspace.name)}
            onClick={() => onDelete(workspace)}
          >
            {words.delete}
          </Button>
        ),
    },
  ]
}

/** For the operator: the worlds of this server, apart from one another. */
export function WorkspacesSection() {
  const words = useWorkspaceWords()
  const workspaces = useAll('POST /api/v1/workspace/list')
  const [isCreating, setIsCreating] = useState(false)
  const [leaving, setLeaving] = useState<Workspace>()
  const columns = useColumns(setLeaving)
  return (
    <>
      <p className="soft">{words.about}</p>
      {workspaces.isError ? (
        <Failure error={workspaces.error} onRetry={workspaces.refetch} />
      ) : workspaces.isPending ? (
        <Loading />
      ) : (
        <WideTable>
          <Table
            rowKey="id"
            size="small"
            columns={columns}
            dataSource={workspaces.data}
            pagination={{ pageSize: 20, hideOnSinglePage: true, showSizeChanger: false }}
          />
        </WideTable>
      )}
      <Button icon={<PlusOutlined />} className="settings-add" onClick={() => setIsCreating(true)}>
        {words.create}
      </Button>
      {isCreating && <CreateWorkspace onClose={() => setIsCreating(false)} />}
      {leaving && <DeleteWorkspace workspace={leaving} onClose={() => setLeaving(undefined)} />}
    </>
  )
}
