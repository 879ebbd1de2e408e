import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Input, Select, Table } from 'antd'
import { useState } from 'react'
import { call } from '../../../api/call.ts'
import type { ItemOf } from '../../../api/operations.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { QueryFailure } from '../../../ui/failure.tsx'
import { ListSearch } from '../../../ui/list-search.tsx'
import { PeriodFilter } from '../../../ui/period-filter.tsx'
import { pathTo } from '../../../ui/router.ts'
import { useDebounced } from '../../../ui/use-debounced.ts'
import { When } from '../../../ui/when.tsx'
import { defineWords } from '../../../ui/words.ts'
import type { AgentRecord } from '../agent-record.ts'
import { ExportButton } from './export-button.tsx'

const useWords = defineWords(
  {
    search: 'Search conversations by name',
    user: 'User',
    filters: 'Filter conversations',
    byUser: 'User ID',
    from: 'Last message from',
    to: 'Last message before',
    rating: 'Feedback',
    all: 'All conversations',
    any: 'With feedback',
    dislike: 'With bad ratings',
    like: 'With good ratings',
    name: 'Conversation',
    messages: 'Messages',
    changed: 'Last message',
    anybody: 'no user ID',
    untitled: 'Untitled',
    emptyTitle: 'No conversations yet',
    empty:
      'All conversations with this agent appear here: from the console, from your app and, if it is public, from visitors.',
    notFound: 'No matching conversations.',
    use: 'Share / API',
  },
  {
    search: '按名称搜索对话',
    user: '用户',
    filters: '筛选对话',
    byUser: '用户 ID',
    from: '最后一条消息从',
    to: '最后一条消息早于',
    rating: '反馈',
    all: '全部对话',
    any: '有反馈',
    dislike: '有差评',
    like: '有好评',
    name: '对话',
    messages: '消息数',
    changed: '最后一条消息',
    anybody: '没有用户 ID',
    untitled: '未命名',
    emptyTitle: '还没有对话',
    empty: '所有来源的对话都会列在这里：控制台、你的应用，以及公开智能体的访客。',
    notFound: '没有匹配的对话。',
    use: '接入',
  },
)

type Conversation = ItemOf<'POST /api/v1/conversation/list'>

const pageSize = 20

/** A time of the browser's zone, as a date field writes it. */
const momentOf = (text: string): string | undefined => {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

const unfiltered = {
  text: '',
  user: '',
  from: '',
  to: '',
  rating: 'all' as 'all' | 'any' | 'like' | 'dislike',
}
type Typed = typeof unfiltered

/** The typed filter in the form of a request. */
function filterOf(agentId: string, { text, user, from, to, rating }: Typed) {
  const [after, before] = [momentOf(from), momentOf(to)]
  return {
    agent_id: agentId,
    ...(text.trim() !== '' && { keyword: text.trim() }),
    ...(user.trim() !== '' && { user_id: user.trim() }),
    ...(after !== undefined && { from: after }),
    ...(before !== undefined && { to: before }),
    ...(rating !== 'all' && { rating }),
  }
}

/** All conversations with an agent. */
export function ConversationsTab({ agent }: { agent: AgentRecord }) {
  const words = useWords()
  const [page, setPage] = useState(1)
  const [typed, setTyped] = useState(unfiltered)
  const applied = useDebounced(typed)
  const filter = filterOf(agent.id, applied)
  const list = useQuery({
    queryKey: ['conversations', agent.id, 'all', filter, page],
    queryFn: ({ signal }) =>
      call('POST /api/v1/conversation/list', { body: { ...filter, page, page_size: pageSize }, signal }),
    placeholderData: keepPreviousData,
  })
  const change = (changed: Partial<Typed>): void => {
    setTyped({ ...typed, ...changed })
    setPage(1)
  }
  if (list.data?.total === 0 && Object.keys(filter).length === 1)
    return (
      <div className="agent-content">
        <EmptyState
          title={words.emptyTitle}
          actions={<a href={pathTo('agents', agent.id, 'use')}>{words.use}</a>}
        >
          {words.empty}
        </EmptyState>
      </div>
    )
  return (
    <div className="agent-content">
      <search className="conversation-filters" aria-label={words.filters}>
        <ListSearch label={words.search} value={typed.text} onChange={text => change({ text })} />
        <Select
          className="feedback-filter"
          aria-label={words.rating}
          value={typed.rating}
          options={(['all', 'any', 'dislike', 'like'] as const).map(value => ({
            value,
            label: words[value],
          }))}
          onChange={rating => change({ rating })}
        />
        <Input
          className="user-filter"
          aria-label={words.byUser}
          placeholder={words.byUser}
          allowClear
          maxLength={100}
          value={typed.user}
          onChange={({ target }) => change({ user: target.value })}
        />
        <PeriodFilter
          from={typed.from}
          to={typed.to}
          labels={{ period: words.changed, from: words.from, to: words.to }}
          onChange={change}
        />
        <ExportButton
          formats={['csv', 'jsonl']}
          filter={filterOf(agent.id, typed)}
          fileName={`conversations-${agent.id}`}
        />
      </search>
      {list.isError && <QueryFailure query={list} />}
      <Table<Conversation>
        rowKey="conversation_id"
        size="middle"
        scroll={{ x: 'max-content' }}
        loading={list.isPending}
        dataSource={list.data?.items ?? []}
        locale={{ emptyText: list.isError ? ' ' : words.notFound }}
        pagination={{
          ...{ current: page, pageSize, total: list.data?.total ?? 0, showSizeChanger: false },
          hideOnSinglePage: true,
          onChange: setPage,
        }}
        columns={[
          {
            title: words.name,
            render: (_, { conversation_id, name }) => (
              <a href={pathTo('agents', agent.id, 'conversations', conversation_id)}>
                {name || words.untitled}
              </a>
            ),
          },
          {
            title: words.user,
            render: (_, { user_id }) => user_id || <span className="soft">{words.anybody}</span>,
          },
          { title: words.messages, dataIndex: 'message_count', align: 'right' },
          { title: words.changed, render: (_, { updated_at }) => <When time={updated_at} /> },
        ]}
      />
    </div>
  )
}
