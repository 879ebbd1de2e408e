import { Table, type TableColumnsType, Tag } from 'antd'
import type { ItemOf } from '../../api/operations.ts'
import { useAll } from '../../api/use-all.ts'
import { useSession } from '../../session/use-session.ts'
import { When } from '../../ui/when.tsx'
import { RevokeToken } from './revoke-token.tsx'
import { useTokenWords } from './token-words.ts'

export type Token = ItemOf<'POST /api/v1/token/list'>

const roleColors = { admin: 'gold', editor: 'green', viewer: 'default', runner: 'blue' } as const

const timeOf = (time: string | null): number =>
  time === null ? Number.POSITIVE_INFINITY : new Date(time).getTime()

function Expiry({ time }: { time: string | null }) {
  const words = useTokenWords()
  if (time === null) return <span className="soft">{words.never}</span>
  if (timeOf(time) < Date.now()) return <Tag color="red">{words.expired}</Tag>
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
          {id === session?.id && <Tag>{words.thisOne}</Tag>}
        </span>
      ),
    },
    {
      title: words.role,
      dataIndex: 'role',
      sorter: (one, other) => one.role.localeCompare(other.role),
      render: (role: Token['role']) => <Tag color={roleColors[role]}>{words[role]}</Tag>,
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

export function TokensTable({ tokens, isLoading }: { tokens: Token[]; isLoading: boolean }) {
  return (
    <Table
      rowKey="id"
      size="middle"
      columns={useColumns()}
      dataSource={tokens}
      loading={isLoading}
      scroll={{ x: 640 }}
      pagination={{ pageSize: 20, hideOnSinglePage: true, showSizeChanger: false }}
    />
  )
}
