import { DeleteOutlined, EditOutlined } from '@ant-design/icons'
import { useQueryClient } from '@tanstack/react-query'
import { Button, Input, Popconfirm } from 'antd'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import type { ItemOf } from '../../../api/operations.ts'
import { pathTo } from '../../../ui/router.ts'
import { useTellFailure } from '../../../ui/use-tell-failure.ts'
import { When } from '../../../ui/when.tsx'
import { defineWords } from '../../../ui/words.ts'

const useWords = defineWords(
  {
    untitled: 'Untitled',
    rename: (name: string) => `Rename ${name}`,
    name: 'Conversation name',
    remove: (name: string) => `Delete ${name}`,
    sure: 'Delete this conversation?',
    lost: 'All its messages will be deleted.',
    yes: 'Delete',
    no: 'Cancel',
  },
  {
    untitled: '未命名',
    rename: (name: string) => `重命名 ${name}`,
    name: '对话名称',
    remove: (name: string) => `删除 ${name}`,
    sure: '删除这个对话？',
    lost: '其中的所有消息都会被删除。',
    yes: '删除',
    no: '取消',
  },
)

type Conversation = ItemOf<'POST /api/v1/conversation/list'>

interface ConversationItemProps {
  conversation: Conversation
  isShown: boolean
  canChange: boolean
  onRemoved: () => void
}

/** One of the conversations at the side, with what can be done about it. */
export function ConversationItem({ conversation, isShown, canChange, onRemoved }: ConversationItemProps) {
  const words = useWords()
  const tell = useTellFailure()
  const queries = useQueryClient()
  const [isRenaming, setIsRenaming] = useState(false)
  const { conversation_id: id, agent_id: agentId } = conversation
  const name = conversation.name || words.untitled
  const refresh = () => queries.invalidateQueries({ queryKey: ['conversations', agentId] })
  const rename = async (next: string): Promise<void> => {
    setIsRenaming(false)
    if (next.trim() === '' || next === conversation.name) return
    await call('POST /api/v1/conversation/rename', { body: { conversation_id: id, name: next.trim() } })
    await refresh()
  }
  const remove = async (): Promise<void> => {
    await call('POST /api/v1/conversation/delete', { body: { conversation_id: id } })
    onRemoved()
    await refresh()
  }
  if (isRenaming)
    return (
      <li>
        <RenameInput label={words.name} name={conversation.name} onDone={next => rename(next).catch(tell)} />
      </li>
    )
  return (
    <li className={isShown ? 'shown' : undefined}>
      <a
        href={pathTo('agents', agentId, 'chat', id)}
        aria-current={isShown ? 'page' : undefined}
        title={name}
      >
        {name}
        <span className="soft small">
          <When time={conversation.updated_at} />
        </span>
      </a>
      {canChange && (
        <span className="conversation-actions">
          <Button
            type="text"
            size="small"
            icon={<EditOutlined />}
            aria-label={words.rename(name)}
            onClick={() => setIsRenaming(true)}
          />
          <Popconfirm
            title={words.sure}
            description={words.lost}
            okText={words.yes}
            okButtonProps={{ danger: true }}
            cancelText={words.no}
            onConfirm={() => remove().catch(tell)}
          >
            <Button type="text" size="small" icon={<DeleteOutlined />} aria-label={words.remove(name)} />
          </Popconfirm>
        </span>
      )}
    </li>
  )
}

function RenameInput({
  label,
  name,
  onDone,
}: {
  label: string
  name: string
  onDone: (name: string) => void
}) {
  const [value, setValue] = useState(name)
  return (
    <Input
      autoFocus
      maxLength={255}
      aria-label={label}
      value={value}
      onChange={event => setValue(event.target.value)}
      onPressEnter={() => onDone(value)}
      onBlur={() => onDone(value)}
      onKeyDown={event => {
        // As it was: an empty name changes nothing.
        if (event.key === 'Escape') onDone('')
      }}
    />
  )
}
