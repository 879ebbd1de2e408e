import { DeleteOutlined, GlobalOutlined, LockOutlined, PlusOutlined } from '@ant-design/icons'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button, Pagination, Tag } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { ItemOf } from '../../api/operations.ts'
import { useMay } from '../../session/use-session.ts'
import { AgentMark } from '../../ui/agent-mark.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryFailure, useFailureToast } from '../../ui/failure.tsx'
import { ListSearch } from '../../ui/list-search.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { pathTo } from '../../ui/router.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { useExistingPage } from '../../ui/use-existing-page.ts'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'
import { useWorkflowName } from './build/workflow-select.tsx'
import { CreateAgentDialog } from './create-agent-dialog.tsx'

const useWords = defineWords(
  {
    title: 'Agents',
    about: 'Agents answer with a model and a persona, or by running a workflow.',
    search: 'Search agents',
    create: 'New agent',
    emptyTitle: 'No agents yet',
    empty:
      'Write a persona and add knowledge and tools, or bind a workflow. Then chat with the agent here or from your own app.',
    emptyReader:
      'Users with the editor role can create agents. You can then view their settings and conversations here.',
    noneTitle: 'No matches',
    none: (keyword: string) => `No agent name contains “${keyword}”.`,
    clear: 'Show all agents',
  },
  {
    title: '智能体',
    about: '智能体由模型按角色设定回答，或通过运行工作流来回答。',
    search: '搜索智能体',
    create: '新建智能体',
    emptyTitle: '还没有智能体',
    empty: '为智能体写下角色设定、添加知识和工具，或绑定一个工作流，就可以在这里或你自己的应用里与它对话。',
    emptyReader: '拥有编辑者角色的用户可以创建智能体。之后你可以在这里查看它的设置和对话。',
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
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setIsCreating(true)}>
      {words.create}
    </Button>
  )
  const { data } = agents
  useExistingPage(data?.total, page, pageSize, setPage)
  return (
    <Page title={words.title} about={words.about} actions={create}>
      {(data === undefined || data.total > 0 || typed !== '') && (
        <ListSearch
          label={words.search}
          value={typed}
          onChange={value => {
            setTyped(value)
            setPage(1)
          }}
        />
      )}
      {agents.isError && <QueryFailure query={agents} />}
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

const useAgentCardWords = defineWords(
  {
    public: 'Public',
    private: 'Private',
    persona: 'Persona',
    workflow: (name: string) => `Workflow ${name}`,
    changed: 'Updated',
    talk: 'Chat',
    remove: (name: string) => `Delete ${name}`,
    sure: (name: string) => `Delete ${name}?`,
    lost: 'Its conversations will be deleted too. Its workflow and knowledge bases are kept.',
    yes: 'Delete',
    no: 'Cancel',
  },
  {
    public: '公开',
    private: '私有',
    persona: '角色设定',
    workflow: (name: string) => `工作流 ${name}`,
    changed: '更新于',
    talk: '对话',
    remove: (name: string) => `删除 ${name}`,
    sure: (name: string) => `删除 ${name}？`,
    lost: '它的所有对话也会被删除；工作流和知识库会保留。',
    yes: '删除',
    no: '取消',
  },
)

type ListedAgent = ItemOf<'POST /api/v1/agent/list'>

/** An agent in the list: name, type and links. */
function AgentCard({ agent }: { agent: ListedAgent }) {
  const words = useAgentCardWords()
  const workflowId = agent.config.workflow_id || undefined
  const workflow = useWorkflowName(workflowId)
  return (
    <li className="agent-card">
      <div className="agent-card-head">
        <AgentMark name={agent.name} avatar={agent.config.avatar} />
        <h2>
          <a className="agent-link" href={pathTo('agents', agent.id)} title={agent.name}>
            {agent.name}
          </a>
        </h2>
      </div>
      <p className="soft agent-intro">{agent.intro}</p>
      <div className="agent-tags">
        <Tag icon={agent.access === 'public' ? <GlobalOutlined /> : <LockOutlined />}>
          {words[agent.access]}
        </Tag>
        <Tag title={workflowId}>{workflowId === undefined ? words.persona : words.workflow(workflow)}</Tag>
      </div>
      <div className="agent-card-foot">
        <span className="soft small">
          {words.changed} <When time={agent.updated_at} />
        </span>
        <span className="agent-card-actions">
          <DeleteAgent agent={agent} />
          <Button size="small" href={pathTo('agents', agent.id, 'chat')}>
            {words.talk}
          </Button>
        </span>
      </div>
    </li>
  )
}

function DeleteAgent({ agent }: { agent: ListedAgent }) {
  const words = useAgentCardWords()
  const may = useMay()
  const showFailure = useFailureToast()
  const queries = useQueryClient()
  if (!may.write) return null
  const remove = async (): Promise<void> => {
    await call('POST /api/v1/agent/delete', { body: { id: agent.id } }).catch(showFailure)
    await queries.invalidateQueries({ queryKey: ['agents'] })
  }
  return (
    <Confirm
      title={words.sure(agent.name)}
      description={words.lost}
      okText={words.yes}
      okButtonProps={{ danger: true }}
      cancelText={words.no}
      onConfirm={remove}
    >
      <Button
        type="text"
        size="small"
        icon={<DeleteOutlined />}
        aria-label={words.remove(agent.name)}
        title={words.remove(agent.name)}
      />
    </Confirm>
  )
}
