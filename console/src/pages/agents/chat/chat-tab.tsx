import { DeleteOutlined, EditOutlined, PlusOutlined } from '@ant-design/icons'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Button, Input } from 'antd'
import { useCallback, useState } from 'react'
import { call } from '../../../api/call.ts'
import type { ItemOf } from '../../../api/operations.ts'
import { cursorPages, withCursor } from '../../../api/queries.ts'
import { useMay } from '../../../session/use-session.ts'
import { Confirm } from '../../../ui/confirm.tsx'
import { QueryFailure, useFailureToast } from '../../../ui/failure.tsx'
import { navigate, pathTo } from '../../../ui/router.ts'
import { useDebounced } from '../../../ui/use-debounced.ts'
import { When } from '../../../ui/when.tsx'
import { defineWords } from '../../../ui/words.ts'
import type { AgentRecord } from '../agent-record.ts'
import { Chat } from './chat.tsx'
import { chatAgentOf } from './chat-agent.ts'
import { consoleUser } from './chat-api.ts'

/** The chat with an agent, with the console's conversations at the side. */
export function ChatTab({
  agent,
  conversationId,
}: {
  agent: AgentRecord
  conversationId: string | undefined
}) {
  const may = useMay()
  const queries = useQueryClient()
  const open = useCallback(
    (id: string | undefined, replace = false) =>
      navigate(pathTo('agents', agent.id, 'chat', ...(id === undefined ? [] : [id])), { replace }),
    [agent.id],
  )
  const refresh = useCallback(
    () => void queries.invalidateQueries({ queryKey: ['conversations', agent.id] }),
    [queries, agent.id],
  )
  const onConversation = useCallback(
    (id: string) => {
      open(id, true)
      refresh()
    },
    [open, refresh],
  )
  return (
    <div className="chat-tab">
      <ConversationList agentId={agent.id} shownId={conversationId} onOpen={open} canChange={may.write} />
      <Chat
        agent={chatAgentOf(agent)}
        conversationId={conversationId}
        canTalk={may.write}
        onConversation={onConversation}
        onAnswered={refresh}
        autoFocus
      />
    </div>
  )
}

const useWords = defineWords(
  {
    conversations: 'Your conversations',
    new: 'New conversation',
    search: 'Search conversations',
    more: 'Show more',
    none: 'Your conversations are listed here.',
    notFound: 'No matches.',
  },
  {
    conversations: '你的对话',
    new: '新对话',
    search: '搜索对话',
    more: '显示更多',
    none: '你的对话会列在此处。',
    notFound: '没有找到。',
  },
)

interface ConversationListProps {
  agentId: string
  shownId: string | undefined
  onOpen: (id: string | undefined) => void
  canChange: boolean
}

/** The console's conversations with an agent, newest first. */
function ConversationList({ agentId, shownId, onOpen, canChange }: ConversationListProps) {
  const words = useWords()
  const [typed, setTyped] = useState('')
  const keyword = useDebounced(typed.trim())
  const list = useInfiniteQuery({
    queryKey: ['conversations', agentId, 'console', keyword],
    queryFn: ({ pageParam, signal }) =>
      call('POST /api/v1/conversation/list', {
        body: { agent_id: agentId, user_id: consoleUser, keyword, ...withCursor(pageParam), page_size: 30 },
        signal,
      }),
    ...cursorPages,
  })
  const items = list.data?.pages.flatMap(page => page.items) ?? []
  return (
    <aside className="conversations" aria-label={words.conversations}>
      {canChange && (
        <Button block icon={<PlusOutlined aria-hidden />} onClick={() => onOpen(undefined)}>
          {words.new}
        </Button>
      )}
      <Input
        allowClear
        aria-label={words.search}
        placeholder={words.search}
        value={typed}
        onChange={event => setTyped(event.target.value)}
      />
      {list.isError && <QueryFailure query={list} />}
      {list.isSuccess && items.length === 0 && (
        <p className="soft small">{keyword === '' ? words.none : words.notFound}</p>
      )}
      <ul>
        {items.map(conversation => (
          <ConversationItem
            key={conversation.conversation_id}
            conversation={conversation}
            isShown={conversation.conversation_id === shownId}
            canChange={canChange}
            onRemoved={() => conversation.conversation_id === shownId && onOpen(undefined)}
          />
        ))}
      </ul>
      {list.hasNextPage && (
        <Button type="link" loading={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
          {words.more}
        </Button>
      )}
    </aside>
  )
}

const useConversationItemWords = defineWords(
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

/** One conversation of the list, with its actions. */
function ConversationItem({ conversation, isShown, canChange, onRemoved }: ConversationItemProps) {
  const words = useConversationItemWords()
  const showFailure = useFailureToast()
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
        <RenameInput
          label={words.name}
          name={conversation.name}
          onDone={next => rename(next).catch(showFailure)}
        />
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
          <Confirm
            title={words.sure}
            description={words.lost}
            okText={words.yes}
            okButtonProps={{ danger: true }}
            cancelText={words.no}
            onConfirm={() => remove().catch(showFailure)}
          >
            <Button type="text" size="small" icon={<DeleteOutlined />} aria-label={words.remove(name)} />
          </Confirm>
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
        // Unchanged: an empty name is ignored.
        if (event.key === 'Escape') onDone('')
      }}
    />
  )
}
