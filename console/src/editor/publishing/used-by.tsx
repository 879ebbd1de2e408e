import { NodeIndexOutlined, RobotOutlined, ThunderboltOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import type { CallData } from '../../api/operations.ts'
import { QueryFailure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { pathTo } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'
import './publishing.css'

const useWords = defineWords(
  {
    title: 'Used by',
    none: 'Nothing uses this workflow yet. Choose it in an agent or in a Workflow node, or call it over the API.',
    agent: 'Agent',
    workflow: 'Workflow',
    trigger: 'Trigger',
  },
  {
    title: '引用情况',
    none: '还没有智能体、工作流或触发器引用它。可在智能体或“子工作流”节点中选择它，或通过 API 调用。',
    agent: '智能体',
    workflow: '工作流',
    trigger: '触发器',
  },
)

type User = CallData<'GET /api/v1/workflow/used_by'>['items'][number]

const icons: Readonly<Record<User['kind'], ReactNode>> = {
  agent: <RobotOutlined aria-hidden />,
  workflow: <NodeIndexOutlined aria-hidden />,
  trigger: <ThunderboltOutlined aria-hidden />,
}
const pages: Readonly<Record<User['kind'], string>> = {
  agent: 'agents',
  workflow: 'workflows',
  trigger: 'triggers',
}

/** The agents, workflows and triggers that run a workflow. */
export function UsedBy({ workflowId, showsNone = true }: { workflowId: string; showsNone?: boolean }) {
  const words = useWords()
  const query = useQuery({
    queryKey: ['workflow-used-by', workflowId],
    queryFn: ({ signal }) => call('GET /api/v1/workflow/used_by', { query: { id: workflowId }, signal }),
  })
  const users = query.data?.items
  if (users?.length === 0 && !showsNone) return null
  return (
    <section className="used-by" aria-label={words.title}>
      <h3>{words.title}</h3>
      {query.isPending && <Loading />}
      {query.isError && <QueryFailure query={query} />}
      {users?.length === 0 && <p className="soft">{words.none}</p>}
      {users && users.length > 0 && <UserList users={users} />}
    </section>
  )
}

export function UserList({ users }: { users: readonly User[] }) {
  const words = useWords()
  return (
    <ul className="user-list">
      {users.map(({ kind, id, name }) => (
        <li key={`${kind} ${id}`}>
          {icons[kind]}
          <a href={pathTo(pages[kind], id)}>{name || id}</a>
          <span className="soft small">{words[kind]}</span>
        </li>
      ))}
    </ul>
  )
}
