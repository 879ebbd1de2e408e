import { PlusOutlined } from '@ant-design/icons'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Button, Input } from 'antd'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import { Failure } from '../../../ui/failure.tsx'
import { useDebounced } from '../../../ui/use-debounced.ts'
import { defineWords } from '../../../ui/words.ts'
import { consoleUser } from './chat-api.ts'
import { ConversationItem } from './conversation-item.tsx'

const useWords = defineWords(
  {
    conversations: 'Your console conversations',
    new: 'New conversation',
    search: 'Search conversations',
    more: 'Show more',
    none: 'Your conversations are listed here.',
    notFound: 'No matches.',
  },
  {
    conversations: '控制台里的对话',
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

/** The conversations that were had with an agent from the console, the last one first. */
export function ConversationList({ agentId, shownId, onOpen, canChange }: ConversationListProps) {
  const words = useWords()
  const [typed, setTyped] = useState('')
  const keyword = useDebounced(typed.trim())
  const list = useInfiniteQuery({
    queryKey: ['conversations', agentId, 'console', keyword],
    queryFn: ({ pageParam, signal }) =>
      call('POST /api/v1/conversation/list', {
        body: { agent_id: agentId, user_id: consoleUser, keyword, page: pageParam, page_size: 30 },
        signal,
      }),
    initialPageParam: 1,
    getNextPageParam: ({ total, page, page_size }) => (page * page_size < total ? page + 1 : undefined),
  })
  const items = list.data?.pages.flatMap(page => page.items) ?? []
  return (
    <aside className="conversations" aria-label={words.conversations}>
      {canChange && (
        <Button block icon={<PlusOutlined />} onClick={() => onOpen(undefined)}>
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
      {list.isError && <Failure error={list.error} onRetry={() => list.refetch()} />}
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
