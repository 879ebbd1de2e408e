import { PlusOutlined } from '@ant-design/icons'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Button, Input, Pagination } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useMay } from '../../session/use-session.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { usePageInReach } from '../../ui/use-page-in-reach.ts'
import { defineWords } from '../../ui/words.ts'
import { AgentCard } from './agent-card.tsx'
import { CreateAgentDialog } from './create-agent-dialog.tsx'

const useWords = defineWords(
  {
    title: 'Agents',
    about: 'An agent is somebody to talk to: a persona that answers with a model, or a workflow with a name.',
    search: 'Search agents',
    create: 'New agent',
    emptyTitle: 'No agents yet',
    empty:
      'Give a persona a character, knowledge and tools, or put a workflow behind a name. Then talk to it here, or from your own app.',
    emptyReader:
      'Somebody with the role editor can make one. You can then see here how it is made and read its conversations.',
    noneTitle: 'Nothing found',
    none: (keyword: string) => `No agent has “${keyword}” in its name.`,
    clear: 'Show all agents',
  },
  {
    title: '智能体',
    about: '智能体是可以对话的对象：由模型扮演的角色，或者一个有名字的工作流。',
    search: '搜索智能体',
    create: '新建智能体',
    emptyTitle: '还没有智能体',
    empty: '给角色写下设定、知识和工具，或者为工作流起个名字，就可以在这里或你自己的应用里与它对话。',
    emptyReader: '拥有编辑者角色的人可以创建智能体。之后你可以在这里查看它的设置和对话。',
    noneTitle: '没有找到',
    none: (keyword: string) => `没有名称包含“${keyword}”的智能体。`,
    clear: '显示全部',
  },
)

const pageSize = 24

/** All agents of the workspace. */
export function AgentsPage() {
  const words = useWords()
  const may = useMay()
  const [page, setPage] = useState(1)
  const [typed, setTyped] = useState('')
  const [isCreating, setIsCreating] = useState(false)
  const keyword = useDebounced(typed.trim())
  const agents = useQuery({
    queryKey: ['agents', keyword, page],
    queryFn: ({ signal }) =>
      call('POST /api/v1/agent/list', { body: { keyword, page, page_size: pageSize }, signal }),
    placeholderData: keepPreviousData,
  })
  const create = may.write && (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setIsCreating(true)}>
      {words.create}
    </Button>
  )
  const { data } = agents
  usePageInReach(data?.total, page, pageSize, setPage)
  return (
    <Page title={words.title} about={words.about} actions={create}>
      {(data === undefined || data.total > 0 || typed !== '') && (
        <Input.Search
          allowClear
          className="agents-search"
          aria-label={words.search}
          placeholder={words.search}
          value={typed}
          onChange={event => {
            setTyped(event.target.value)
            setPage(1)
          }}
        />
      )}
      {agents.isError && <Failure error={agents.error} onRetry={() => agents.refetch()} />}
      {agents.isPending && <Loading />}
      {data?.total === 0 &&
        (keyword === '' ? (
          <EmptyState title={words.emptyTitle} actions={create}>
            {may.write ? words.empty : words.emptyReader}
          </EmptyState>
        ) : (
          <EmptyState
            title={words.noneTitle}
            actions={<Button onClick={() => setTyped('')}>{words.clear}</Button>}
          >
            {words.none(keyword)}
          </EmptyState>
        ))}
      <ul className="agent-cards">
        {data?.items.map(agent => (
          <AgentCard key={agent.id} agent={agent} />
        ))}
      </ul>
      {data && data.total > pageSize && (
        <Pagination
          align="end"
          current={page}
          total={data.total}
          pageSize={pageSize}
          showSizeChanger={false}
          onChange={setPage}
        />
      )}
      <CreateAgentDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </Page>
  )
}
