import { useMutation, useQueryClient } from '@tanstack/react-query'
import { App, Input, Modal } from 'antd'
import { useId, useState } from 'react'
import { call } from '../../api/call.ts'
import { allKey } from '../../api/use-all.ts'
import { useTellFailure } from '../../ui/use-tell-failure.ts'
import type { Workspace } from './workspace.ts'
import { useWorkspaceWords } from './workspace-words.ts'

/** Whoever deletes a workspace types its name, so that it cannot be the wrong one. */
export function DeleteWorkspace({ workspace, onClose }: { workspace: Workspace; onClose: () => void }) {
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
    onError: useTellFailure(),
  })
  return (
    <Modal
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
    </Modal>
  )
}
