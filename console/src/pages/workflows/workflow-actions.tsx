import { CopyOutlined, DeleteOutlined, EllipsisOutlined, ExportOutlined } from '@ant-design/icons'
import { useQueryClient } from '@tanstack/react-query'
import { App, Button, Dropdown } from 'antd'
import { call } from '../../api/call.ts'
import type { ItemOf } from '../../api/operations.ts'
import { useMay } from '../../session/use-session.ts'
import { useTellFailure } from '../../ui/use-tell-failure.ts'
import { duplicateWorkflow, exportWorkflow } from './export-workflow.ts'
import { useListWords } from './workflow-words.ts'

export type WorkflowItem = ItemOf<'POST /api/v1/workflow/list'>

/** What can be done with one workflow of the list. */
export function WorkflowActions({ item }: { item: WorkflowItem }) {
  const words = useListWords()
  const may = useMay()
  const { modal, message } = App.useApp()
  const queries = useQueryClient()
  const tellFailure = useTellFailure()
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
      content: words.removeLost,
      okText: words.remove,
      okButtonProps: { danger: true },
      onOk: async () => {
        try {
          await call('POST /api/v1/workflow/delete', { body: { id: item.id } })
          message.success(words.removed)
          await refresh()
        } catch (error) {
          tellFailure(error)
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
        onClick: ({ key }) => void Promise.resolve(actions[key]?.()).catch(tellFailure),
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
