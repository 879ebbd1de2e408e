import { PlusOutlined } from '@ant-design/icons'
import { Button, Space, type TableColumnsType, Tooltip } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useMay } from '../../session/use-session.ts'
import { Badge } from '../../ui/badge.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DeleteButton } from '../../ui/delete-button.tsx'
import { actionsColumn, ListTable } from '../../ui/list-table.tsx'
import { When } from '../../ui/when.tsx'
import { ListPage } from '../list-page.tsx'
import type { PageProps } from '../page-props.ts'
import { SecretDialog } from './secret-dialog.tsx'
import { type Secret, useSecretWords } from './secret-words.ts'
import { useRefreshSecrets, useSecrets } from './use-secrets.ts'

export function SecretsPage(_: PageProps) {
  const words = useSecretWords()
  const secrets = useSecrets()
  const [edited, setEdited] = useState<Secret | 'new'>()
  return (
    <ListPage
      words={words}
      list={secrets}
      textOf={({ name, updated_by }) => `${name}\n${updated_by}`}
      actions={
        <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setEdited('new')}>
          {words.add}
        </Button>
      }
      table={shown => <SecretsTable secrets={shown} onReplace={setEdited} />}
    >
      {edited !== undefined && (
        <SecretDialog
          secret={edited === 'new' ? undefined : edited}
          taken={secrets.data?.map(({ name }) => name) ?? []}
          onClose={() => setEdited(undefined)}
        />
      )}
    </ListPage>
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
          actionsColumn<Secret>(secret => (
            <SecretActions secret={secret} onReplace={() => onReplace(secret)} />
          )),
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
        <Tooltip title={words.unreadableAbout}>
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
  return <ListTable rowKey="name" columns={useColumns(onReplace)} dataSource={secrets} />
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
