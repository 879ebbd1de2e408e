import { PlusOutlined } from '@ant-design/icons'
import { Button, Space, Switch, type TableColumnsType, Tooltip } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useWorkflowNames } from '../../api/queries.ts'
import { StatusTag } from '../../editor/runs/run-status.tsx'
import { useMay } from '../../session/use-session.ts'
import { Badge } from '../../ui/badge.tsx'
import { DeleteButton } from '../../ui/delete-button.tsx'
import { useFailureToast } from '../../ui/failure.tsx'
import { actionsColumn, ListTable } from '../../ui/list-table.tsx'
import { pathTo } from '../../ui/router.ts'
import { When } from '../../ui/when.tsx'
import { ListPage } from '../list-page.tsx'
import { TriggerDialog } from './trigger-dialog.tsx'
import { useFailureText, useTriggerWords } from './trigger-words.ts'
import { type Trigger, useRefreshTriggers, useTriggers, useUpdateTrigger } from './use-triggers.ts'

export function TriggersPage() {
  const words = useTriggerWords()
  const triggers = useTriggers()
  const names = useWorkflowNames()
  const [edited, setEdited] = useState<Trigger | 'new'>()
  return (
    <ListPage
      words={words}
      list={triggers}
      textOf={({ name, workflow_id }) => `${name}\n${names?.get(workflow_id) ?? workflow_id}`}
      actions={
        <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setEdited('new')}>
          {words.add}
        </Button>
      }
      table={shown => <TriggersTable triggers={shown} onEdit={setEdited} />}
    >
      {edited !== undefined && (
        <TriggerDialog trigger={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </ListPage>
  )
}

interface TriggersTableProps {
  triggers: Trigger[]
  onEdit(trigger: Trigger): void
}

function TriggersTable({ triggers, onEdit }: TriggersTableProps) {
  return <ListTable rowKey="id" columns={useColumns(onEdit)} dataSource={triggers} />
}

function useColumns(onEdit: TriggersTableProps['onEdit']): TableColumnsType<Trigger> {
  const words = useTriggerWords()
  const may = useMay()
  const names = useWorkflowNames()
  return [
    {
      title: words.name,
      dataIndex: 'name',
      render: (_, { id, name, kind, schedule }) => (
        <>
          <a href={pathTo('triggers', id)}>{name}</a>
          <div className="small soft">
            {kind === 'webhook' ? words.webhook : <code>{schedule?.cron}</code>}
          </div>
        </>
      ),
    },
    {
      title: words.workflow,
      dataIndex: 'workflow_id',
      render: (id: string) => <a href={pathTo('workflows', id)}>{names?.get(id) ?? id}</a>,
    },
    { title: words.next, key: 'next', render: (_, trigger) => <NextRun trigger={trigger} /> },
    { title: words.last, key: 'last', render: (_, trigger) => <LastRun trigger={trigger} /> },
    {
      title: words.enabled,
      key: 'enabled',
      render: (_, trigger) => <EnabledSwitch trigger={trigger} />,
    },
    ...(may.write
      ? [
          actionsColumn<Trigger>(trigger => (
            <TriggerActions trigger={trigger} onEdit={() => onEdit(trigger)} />
          )),
        ]
      : []),
  ]
}

function NextRun({ trigger: { kind, enabled, next } }: { trigger: Trigger }) {
  const words = useTriggerWords()
  if (!enabled) return <span className="soft">–</span>
  if (kind === 'webhook') return words.onRequest
  return next[0] === undefined ? <span className="soft">{words.none}</span> : <When time={next[0]} />
}

function LastRun({ trigger: { last_run, failure } }: { trigger: Trigger }) {
  const words = useTriggerWords()
  const textOf = useFailureText()
  return (
    <>
      {last_run ? (
        <a href={pathTo('runs', last_run.run_id)}>
          <StatusTag status={last_run.status} /> <When time={last_run.created_at} />
        </a>
      ) : (
        <span className="soft">{words.never}</span>
      )}
      {failure && (
        <div>
          <Tooltip title={textOf(failure)}>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the reason is also shown to keyboard users. */}
            <span tabIndex={0}>
              <Badge tone="bad">{words.noStart}</Badge>
            </span>
          </Tooltip>
        </div>
      )}
    </>
  )
}

export function EnabledSwitch({ trigger: { id, name, enabled } }: { trigger: Trigger }) {
  const words = useTriggerWords()
  const may = useMay()
  const update = useUpdateTrigger()
  const showFailure = useFailureToast()
  return (
    <Switch
      checked={enabled}
      disabled={!may.write}
      loading={update.isPending}
      aria-label={words.enable(name)}
      onChange={isOn => update.mutate({ id, enabled: isOn }, { onError: showFailure })}
    />
  )
}

function TriggerActions({ trigger: { id, name }, onEdit }: { trigger: Trigger; onEdit(): void }) {
  const words = useTriggerWords()
  const refresh = useRefreshTriggers()
  return (
    <Space size={0}>
      <Button type="text" size="small" aria-label={words.editNamed(name)} onClick={onEdit}>
        {words.edit}
      </Button>
      <DeleteButton
        text={words.delete}
        label={words.deleteNamed(name)}
        question={words.deleteSure(name)}
        lost={words.deleteLost}
        done={words.deleted(name)}
        remove={() => call('POST /api/v1/trigger/delete', { body: { id } })}
        onRemoved={refresh}
      />
    </Space>
  )
}
