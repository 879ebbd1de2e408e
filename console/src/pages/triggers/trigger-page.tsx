import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Alert, Button, Space } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useWorkflowNames } from '../../api/queries.ts'
import { RunTable } from '../../editor/runs/run-table.tsx'
import { isSettled } from '../../editor/runs/run-view.ts'
import { useMay } from '../../session/use-session.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { QueryFailure, useFailureToast } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { useLanguage } from '../../ui/preferences.ts'
import { pathTo } from '../../ui/router.ts'
import { CodeBlock } from '../../ui/share/code-block.tsx'
import { NotFoundPage } from '../not-found-page.tsx'
import { NewSecret, TriggerDialog } from './trigger-dialog.tsx'
import { useFailureText, useTriggerWords } from './trigger-words.ts'
import { EnabledSwitch } from './triggers-page.tsx'
import { type Trigger, useTriggers, useUpdateTrigger } from './use-triggers.ts'
import './triggers.css'

/** One trigger: when it runs next, how to call it, and its runs. */
export function TriggerPage({ id }: { id: string }) {
  const words = useTriggerWords()
  const triggers = useTriggers()
  const trigger = triggers.data?.find(each => each.id === id)
  if (triggers.isLoadingError)
    return (
      <Page title={id} back={{ href: pathTo('triggers'), title: words.title }}>
        <QueryFailure query={triggers} />
      </Page>
    )
  if (triggers.isPending) return <Loading />
  return trigger ? <FoundTrigger trigger={trigger} /> : <NotFoundPage />
}

function FoundTrigger({ trigger }: { trigger: Trigger }) {
  const words = useTriggerWords()
  const may = useMay()
  const workflows = useWorkflowNames()
  const textOf = useFailureText()
  const [isEditing, setIsEditing] = useState(false)
  const { name, kind, failure, workflow_id } = trigger
  return (
    <Page
      title={name}
      back={{ href: pathTo('triggers'), title: words.title }}
      about={
        <>
          {words[kind]} ·{' '}
          <a href={pathTo('workflows', workflow_id)}>{workflows?.get(workflow_id) ?? workflow_id}</a>
        </>
      }
      actions={
        <Space>
          <EnabledSwitch trigger={trigger} />
          {may.write && <Button onClick={() => setIsEditing(true)}>{words.edit}</Button>}
        </Space>
      }
    >
      {failure && (
        <Alert type="error" showIcon title={words.failed(failure.count)} description={textOf(failure)} />
      )}
      {kind === 'schedule' ? <Upcoming trigger={trigger} /> : <HowToCall trigger={trigger} />}
      <TriggerRuns id={trigger.id} />
      {isEditing && <TriggerDialog trigger={trigger} onClose={() => setIsEditing(false)} />}
    </Page>
  )
}

function Upcoming({ trigger: { next, enabled, schedule } }: { trigger: Trigger }) {
  const words = useTriggerWords()
  const locale = useLanguage() === 'zh' ? 'zh-CN' : 'en'
  const timeZone = schedule?.timezone ?? 'UTC'
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'medium', timeZone })
  return (
    <section className="trigger-section">
      <h2>{words.upcoming}</h2>
      {next.length === 0 && <p className="soft">{enabled ? words.over : words.disabled}</p>}
      {next.length > 0 && (
        <>
          <ol className="trigger-next">
            {next.map(time => (
              <li key={time}>
                <time dateTime={time}>{format.format(new Date(time))}</time>
              </li>
            ))}
          </ol>
          <p className="soft small">
            <code>{schedule?.cron}</code> · {words.timezone(timeZone)}
          </p>
        </>
      )}
    </section>
  )
}

function HowToCall({ trigger: { id, name, path, enabled, webhook } }: { trigger: Trigger }) {
  const words = useTriggerWords()
  const may = useMay()
  const update = useUpdateTrigger()
  const showFailure = useFailureToast()
  const url = `${window.location.origin}${path}`
  const example =
    webhook?.auth === 'secret'
      ? `curl ${url} \\\n  -H "Authorization: Bearer ${words.secretPlace}" \\\n  -H "Content-Type: application/json" \\\n  -d '{"hello": "world"}'`
      : url
  const { secret } = update.data ?? {}
  return (
    <section className="trigger-section">
      <h2>{words.call}</h2>
      {!enabled && <p className="soft">{words.disabled}</p>}
      {webhook?.auth === 'signature' && <p>{words.signed}</p>}
      {webhook?.auth === 'github' && <p>{words.github}</p>}
      <CodeBlock title={words.call} text={example} copy={words.copy} />
      {may.write && (
        <Confirm
          title={words.newSecretSure}
          description={words.newSecretLost}
          okText={words.newSecret}
          onConfirm={() => update.mutate({ id, rotate_secret: true }, { onError: showFailure })}
        >
          <Button size="small" loading={update.isPending}>
            {words.newSecret}
          </Button>
        </Confirm>
      )}
      {secret && <NewSecret name={name} path={path ?? ''} secret={secret} onClose={() => update.reset()} />}
    </section>
  )
}

const refreshMilliseconds = 2000

function TriggerRuns({ id }: { id: string }) {
  const words = useTriggerWords()
  const [page, setPage] = useState(1)
  const runs = useQuery({
    queryKey: ['runs', 'trigger', id, page],
    queryFn: ({ signal }) => call('POST /api/v1/trigger/runs', { body: { id, page }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.items.some(run => !isSettled(run.status)) ? refreshMilliseconds : false,
  })
  return (
    <section className="trigger-section">
      <h2>{words.runs}</h2>
      {runs.isError && <QueryFailure query={runs} />}
      {runs.data?.total === 0 && <p className="soft">{words.noRuns}</p>}
      {runs.data && runs.data.total > 0 && <RunTable page={runs.data} onPage={setPage} />}
    </section>
  )
}
