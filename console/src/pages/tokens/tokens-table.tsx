import { Table, type TableColumnsType } from 'antd'
import { useAll } from '../../api/use-all.ts'
import { useSession } from '../../session/use-session.ts'
import { Badge } from '../../ui/badge.tsx'
import { When } from '../../ui/when.tsx'
import { WideTable } from '../../ui/wide-table.tsx'
import { RevokeToken } from './revoke-token.tsx'
import type { Token } from './token.ts'
import { useTokenWords } from './token-words.ts'

const roleTones = { admin: 'warning', editor: 'good', viewer: 'plain', runner: 'info' } as const

const timeOf = (time: string | null): number =>
  time === null ? Number.POSITIVE_INFINITY : new Date(time).getTime()

function Expiry({ time }: { time: string | null }) {
  const words = useTokenWords()
  if (time === null) return <span className="soft">{words.never}</span>
  if (timeOf(time) < Date.now()) return <Badge tone="bad">{words.expired}</Badge>
  return <When time={time} />
}

function useColumns(): TableColumnsType<Token> {
  const words = useTokenWords()
  const { data: session } = useSession()
  const agents = useAll('POST /api/v1/agent/list')
  const agentName = (id: string): string =>
    agents.data?.find(agent => agent.id === id)?.name ?? (agents.data ? `${words.gone} (${id})` : id)
  return [
    {
      title: words.name,
      dataIndex: 'name',
      sorter: (one, other) => one.name.localeCompare(other.name),
      render: (name: string, { id }) => (
        <span className="token-name">
          {name}
          {id === session?.id && <Badge>{words.thisOne}</Badge>}
        </span>
      ),
    },
    {
      title: words.role,
      dataIndex: 'role',
      sorter: (one, other) => one.role.localeCompare(other.role),
      render: (role: Token['role']) => <Badge tone={roleTones[role]}>{words[role]}</Badge>,
    },
    {
      title: words.agents,
      dataIndex: 'agent_ids',
      render: (ids: string[]) => ids.map(agentName).join(', '),
    },
    {
      title: words.created,
      dataIndex: 'created_at',
      defaultSortOrder: 'descend',
      sorter: (one, other) => timeOf(one.created_at) - timeOf(other.created_at),
      render: (time: string) => <When time={time} />,
    },
    {
      title: words.expires,
      dataIndex: 'expires_at',
      sorter: (one, other) => timeOf(one.expires_at) - timeOf(other.expires_at) || 0,
      render: (time: string | null) => <Expiry time={time} />,
    },
    {
      title: <span className="visually-hidden">{words.actions}</span>,
      key: 'actions',
      align: 'end',
      render: (_, token) => <RevokeToken token={token} isOwn={token.id === session?.id} />,
    },
  ]
}

export function TokensTable({ tokens }: { tokens: Token[] }) {
  return (
    <WideTable>
      <Table
        rowKey="id"
        size="middle"
        columns={useColumns()}
        dataSource={tokens}
        pagination={{ pageSize: 20, hideOnSinglePage: true, showSizeChanger: false }}
      />
    </WideTable>
  )
}
