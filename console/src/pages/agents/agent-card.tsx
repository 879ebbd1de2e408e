import { DeleteOutlined, GlobalOutlined, LockOutlined } from '@ant-design/icons'
import { useQueryClient } from '@tanstack/react-query'
import { Button, Popconfirm, Tag } from 'antd'
import { call } from '../../api/call.ts'
import type { ItemOf } from '../../api/operations.ts'
import { useMay } from '../../session/use-session.ts'
import { pathTo } from '../../ui/router.ts'
import { useTellFailure } from '../../ui/use-tell-failure.ts'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'
import { AgentMark } from './agent-mark.tsx'
import { useWorkflowName } from './build/workflow-select.tsx'

const useWords = defineWords(
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
    persona: '角色',
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

/** An agent in the list: who it is, what answers, and the ways to it. */
export function AgentCard({ agent }: { agent: ListedAgent }) {
  const words = useWords()
  const workflowId = agent.config.workflow_id ?? undefined
  const workflow = useWorkflowName(workflowId)
  return (
    <li className="agent-card">
      <div className="agent-card-head">
        <AgentMark name={agent.name} />
        <h2>
          <a className="agent-link" href={pathTo('agents', agent.id)}>
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
  const words = useWords()
  const may = useMay()
  const tell = useTellFailure()
  const queries = useQueryClient()
  if (!may.write) return null
  const remove = async (): Promise<void> => {
    await call('POST /api/v1/agent/delete', { body: { id: agent.id } }).catch(tell)
    await queries.invalidateQueries({ queryKey: ['agents'] })
  }
  return (
    <Popconfirm
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
    </Popconfirm>
  )
}
