import { PlusOutlined } from '@ant-design/icons'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { App, Button, Form, Input, type TableColumnsType } from 'antd'
import { useId, useState } from 'react'
import { call } from '../../api/call.ts'
import type { ItemOf } from '../../api/operations.ts'
import { allKey, useAll } from '../../api/queries.ts'
import { useSession } from '../../session/use-session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { QueryFailure, useFailureToast } from '../../ui/failure.tsx'
import { actionsColumn, ListTable } from '../../ui/list-table.tsx'
import { Loading } from '../../ui/loading.tsx'
import { MakeSecretDialog, SecretOnce } from '../../ui/secret-once.tsx'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'

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
    actionsColumn<Workspace>(
      workspace =>
        // The server keeps its default workspace.
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
    ),
  ]
}

/** For system administrators: the workspaces of this server, isolated from one another. */
export function WorkspacesSection() {
  const words = useWorkspaceWords()
  const workspaces = useAll('POST /api/v1/workspace/list')
  const [isCreating, setIsCreating] = useState(false)
  const [leaving, setLeaving] = useState<Workspace>()
  const columns = useColumns(setLeaving)
  return (
    <>
      <p className="soft">{words.about}</p>
      {workspaces.isError && <QueryFailure query={workspaces} />}
      {workspaces.isPending && <Loading />}
      {workspaces.data && (
        <ListTable rowKey="id" size="small" columns={columns} dataSource={workspaces.data} />
      )}
      <Button
        icon={<PlusOutlined aria-hidden />}
        className="settings-add"
        onClick={() => setIsCreating(true)}
      >
        {words.create}
      </Button>
      {isCreating && <CreateWorkspace onClose={() => setIsCreating(false)} />}
      {leaving && <DeleteWorkspace workspace={leaving} onClose={() => setLeaving(undefined)} />}
    </>
  )
}

/** Creates a workspace, then shows its first token. */
function CreateWorkspace({ onClose }: { onClose: () => void }) {
  const words = useWorkspaceWords()
  const queries = useQueryClient()
  const [form] = Form.useForm<{ name: string }>()
  const create = useMutation({
    mutationFn: ({ name }: { name: string }) =>
      call('POST /api/v1/workspace/create', { body: { name: name.trim() } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: allKey('POST /api/v1/workspace/list') }),
  })
  return (
    <MakeSecretDialog
      {...{ create, form, onClose }}
      name="workspace"
      words={{
        title: words.create,
        ready: ({ name }) => words.isReady(name),
        create: words.make,
        cancel: words.cancel,
        done: words.done,
      }}
      made={({ token }) => (
        <>
          <p>{words.createdAbout}</p>
          <SecretOnce secret={token} withLink />
        </>
      )}
    >
      <Form.Item
        name="name"
        label={words.name}
        rules={[{ required: true, whitespace: true, message: words.nameNeeded }]}
      >
        <Input maxLength={100} autoFocus autoComplete="off" />
      </Form.Item>
    </MakeSecretDialog>
  )
}

/** The user types the workspace's name, so that it cannot be the wrong one. */
function DeleteWorkspace({ workspace, onClose }: { workspace: Workspace; onClose: () => void }) {
  const words = useWorkspaceWords()
  const { message } = App.useApp()
  const queries = useQueryClient()
  const inputId = useId()
  const [typed, setTyped] = useState('')
  const isSame = typed.trim() === workspace.name.trim()
  const remove = useMutation({
    mutationFn: () => call('POST /api/v1/workspace/delete', { body: { id: workspace.id } }),
    onSuccess: async () => {
      message.success(words.deleted(workspace.name))
      await queries.invalidateQueries({ queryKey: allKey('POST /api/v1/workspace/list') })
      onClose()
    },
    onError: useFailureToast(),
  })
  return (
    <Dialog
      open
      title={words.deleteTitle(workspace.name)}
      okText={words.delete}
      okButtonProps={{ danger: true, disabled: !isSame }}
      cancelText={words.cancel}
      confirmLoading={remove.isPending}
      onOk={() => remove.mutate()}
      onCancel={onClose}
    >
      <p>{words.deleteLost}</p>
      <label htmlFor={inputId}>{words.typeName(workspace.name)}</label>
      <Input
        id={inputId}
        autoFocus
        autoComplete="off"
        value={typed}
        onChange={event => setTyped(event.target.value)}
        onPressEnter={() => isSame && remove.mutate()}
      />
    </Dialog>
  )
}

const useWorkspaceWords = defineWords(
  {
    about: 'Each workspace has its own agents, workflows, knowledge, files, models and tokens.',
    name: 'Name',
    nameNeeded: 'Enter a name',
    id: 'ID',
    created: 'Created',
    thisOne: 'Current',
    create: 'Create a workspace',
    isReady: (name: string) => `${name} created`,
    createdAbout: 'This is its first access token, with the admin role.',
    make: 'Create',
    cancel: 'Cancel',
    done: 'Done',
    delete: 'Delete',
    deleteNamed: (name: string) => `Delete ${name}`,
    deleteTitle: (name: string) => `Delete ${name}?`,
    deleteLost:
      'Everything in it will be deleted: agents, workflows, knowledge bases, files, conversations, models and tokens. Its tokens stop working immediately. This cannot be undone.',
    typeName: (name: string) => `Type “${name}” to confirm`,
    deleted: (name: string) => `${name} deleted`,
  },
  {
    about: '每个工作空间都有自己的智能体、工作流、知识库、文件、模型和令牌。',
    name: '名称',
    nameNeeded: '请填写名称',
    id: 'ID',
    created: '创建时间',
    thisOne: '当前所在',
    create: '创建工作空间',
    isReady: (name: string) => `${name} 已创建`,
    createdAbout: '这是它的第一个访问令牌，角色是管理员。',
    make: '创建',
    cancel: '取消',
    done: '完成',
    delete: '删除',
    deleteNamed: (name: string) => `删除 ${name}`,
    deleteTitle: (name: string) => `删除 ${name}？`,
    deleteLost:
      '其中的一切都会被删除：智能体、工作流、知识库、文件、对话、模型和令牌。它的令牌立即失效，且无法恢复。',
    typeName: (name: string) => `输入“${name}”以确认`,
    deleted: (name: string) => `已删除 ${name}`,
  },
)

type Workspace = ItemOf<'POST /api/v1/workspace/list'>
