import { PlusOutlined } from '@ant-design/icons'
import { useQueryClient } from '@tanstack/react-query'
import { Button, type TableColumnsType } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { allKey, useAll } from '../../api/queries.ts'
import { signOut } from '../../api/token.ts'
import { useMay, useSession } from '../../session/use-session.ts'
import { Badge } from '../../ui/badge.tsx'
import { DeleteButton } from '../../ui/delete-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryFailure } from '../../ui/failure.tsx'
import { ListSearch } from '../../ui/list-search.tsx'
import { actionsColumn, ListTable } from '../../ui/list-table.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { When } from '../../ui/when.tsx'
import type { PageProps } from '../page-props.ts'
import { CreateToken } from './create-token.tsx'
import { type Token, useTokenWords } from './token-words.ts'
import './tokens-page.css'

export function TokensPage(_: PageProps) {
  const words = useTokenWords()
  const may = useMay()
  const tokens = useAll('POST /api/v1/token/list', { enabled: may.administer })
  const [keyword, setKeyword] = useState('')
  const [isCreating, setIsCreating] = useState(false)
  if (!may.administer)
    return (
      <Page title={words.title} about={words.about}>
        <EmptyState title={words.whyNotTitle} actions={<a href="#/">{words.home}</a>}>
          {words.whyNot}
        </EmptyState>
      </Page>
    )
  const wanted = keyword.trim().toLowerCase()
  const shown = tokens.data?.filter(({ name, role, id }) =>
    [name, role, words[role], id].some(text => text.toLowerCase().includes(wanted)),
  )
  return (
    <Page
      title={words.title}
      about={words.about}
      actions={
        <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setIsCreating(true)}>
          {words.create}
        </Button>
      }
    >
      <ListSearch label={words.search} value={keyword} onChange={setKeyword} />
      {tokens.isError && <QueryFailure query={tokens} />}
      {tokens.isPending && <Loading />}
      {shown && <TokensTable tokens={shown} />}
      {isCreating && <CreateToken onClose={() => setIsCreating(false)} />}
    </Page>
  )
}

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
      title: words.user,
      dataIndex: 'user_id',
      render: (user: string | null, { role }) =>
        user ?? (role === 'runner' ? <span className="soft">{words.allUsers}</span> : ''),
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
    actionsColumn(token => <RevokeToken token={token} isOwn={token.id === session?.id} />),
  ]
}

function TokensTable({ tokens }: { tokens: Token[] }) {
  return <ListTable rowKey="id" columns={useColumns()} dataSource={tokens} />
}

function RevokeToken({ token, isOwn }: { token: Token; isOwn: boolean }) {
  const words = useTokenWords()
  const queries = useQueryClient()
  return (
    <DeleteButton
      text={words.revoke}
      label={words.revokeNamed(token.name)}
      question={isOwn ? words.revokeOwnSure : words.revokeSure}
      lost={isOwn ? words.revokeOwnLost : words.revokeLost}
      done={words.revoked(token.name)}
      remove={() => call('POST /api/v1/token/delete', { body: { id: token.id } })}
      onRemoved={() =>
        isOwn ? signOut() : queries.invalidateQueries({ queryKey: allKey('POST /api/v1/token/list') })
      }
    />
  )
}
