import { PlusOutlined } from '@ant-design/icons'
import { Alert, Button, Space, Table, type TableColumnsType, Tooltip } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useMay } from '../../session/use-session.ts'
import { Badge } from '../../ui/badge.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DeleteButton } from '../../ui/delete-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { When } from '../../ui/when.tsx'
import { WideTable } from '../../ui/wide-table.tsx'
import type { PageProps } from '../page-props.ts'
import { SecretDialog } from './secret-dialog.tsx'
import { type Secret, useSecretWords } from './secret-words.ts'
import { useRefreshSecrets, useSecrets } from './use-secrets.ts'

export function SecretsPage(_: PageProps) {
  const words = useSecretWords()
  const may = useMay()
  const secrets = useSecrets()
  const [edited, setEdited] = useState<Secret | 'new'>()
  const add = may.write ? (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setEdited('new')}>
      {words.add}
    </Button>
  ) : undefined
  const isEmpty = secrets.data?.length === 0
  return (
    <Page title={words.title} about={words.about} actions={isEmpty ? undefined : add}>
      {secrets.isError && <Failure error={secrets.error} onRetry={secrets.refetch} />}
      {secrets.isPending && <Loading />}
      {!may.write && secrets.data && <Alert type="info" showIcon title={words.onlyEditors} />}
      {isEmpty && (
        <EmptyState title={words.emptyTitle} actions={add}>
          {words.empty}
        </EmptyState>
      )}
      {secrets.data && !isEmpty && <SecretsTable secrets={secrets.data} onReplace={setEdited} />}
      {edited !== undefined && (
        <SecretDialog
          secret={edited === 'new' ? undefined : edited}
          taken={secrets.data?.map(({ name }) => name) ?? []}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Page>
  )
}

interface SecretsTableProps {
  secrets: Secret[]
  onReplace(secret: Secret): void
}

const timeOf = ({ updated_at }: Secret): number => new Date(updated_at).getTime()

function useColumns(onReplace: SecretsTableProps['onReplace']): TableColumnsType<Secret> {
  const words = useSecretWords()
  const may = useMay()
  return [
    {
      title: words.name,
      dataIndex: 'name',
      sorter: (one, other) => one.name.localeCompare(other.name),
      render: (_, secret) => <SecretName secret={secret} />,
    },
    {
      title: words.changed,
      dataIndex: 'updated_at',
      sorter: (one, other) => timeOf(one) - timeOf(other),
      render: (time: string) => <When time={time} />,
    },
    { title: words.by, dataIndex: 'updated_by' },
    ...(may.write
      ? [
          {
            title: <span className="visually-hidden">{words.actions}</span>,
            key: 'actions',
            align: 'end' as const,
            render: (_: unknown, secret: Secret) => (
              <SecretActions secret={secret} onReplace={() => onReplace(secret)} />
            ),
          },
        ]
      : []),
  ]
}

/** The name, and the reference that requests use. */
function SecretName({ secret: { name, problem } }: { secret: Secret }) {
  const words = useSecretWords()
  const reference = `{{#secret.${name}#}}`
  return (
    <>
      {name}{' '}
      {problem !== null && (
        <Tooltip title={problem}>
          <span>
            <Badge tone="bad">{words.unreadable}</Badge>
          </span>
        </Tooltip>
      )}
      <div className="small soft">
        <code>{reference}</code>
        <CopyButton size="small" text={reference} label={words.copy(name)} />
      </div>
    </>
  )
}

function SecretsTable({ secrets, onReplace }: SecretsTableProps) {
  return (
    <WideTable>
      <Table
        rowKey="name"
        size="middle"
        columns={useColumns(onReplace)}
        dataSource={secrets}
        pagination={{ pageSize: 20, hideOnSinglePage: true, showSizeChanger: false }}
      />
    </WideTable>
  )
}

function SecretActions({ secret: { name }, onReplace }: { secret: Secret; onReplace(): void }) {
  const words = useSecretWords()
  const refresh = useRefreshSecrets()
  return (
    <Space size={0}>
      <Button type="text" size="small" aria-label={words.replaceNamed(name)} onClick={onReplace}>
        {words.replace}
      </Button>
      <DeleteButton
        text={words.delete}
        label={words.deleteNamed(name)}
        question={words.deleteSure(name)}
        lost={words.deleteLost}
        done={words.deleted(name)}
        remove={() => call('POST /api/v1/secret/delete', { body: { name } })}
        onRemoved={refresh}
      />
    </Space>
  )
}
