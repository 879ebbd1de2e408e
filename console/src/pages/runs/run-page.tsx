import { Button } from 'antd'
import type { ReactNode } from 'react'
import { RunResult } from '../../editor/runs/run-result.tsx'
import { useRunWords } from '../../editor/runs/run-status.tsx'
import { isOver, type RunDetails } from '../../editor/runs/run-view.ts'
import { StopButton } from '../../editor/runs/stop-button.tsx'
import { useNames } from '../../editor/runs/use-names.ts'
import { useRunById } from '../../editor/runs/use-run.ts'
import { ValueView } from '../../editor/runs/value-view.tsx'
import { useMay } from '../../session/use-session.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { pathTo } from '../../ui/router.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { useRetryWhenReachable } from '../../ui/use-retry-when-reachable.ts'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'
import { RunActions } from './run-actions.tsx'
import './runs.css'

const useWords = defineWords(
  {
    title: (name: string) => `Run of ${name}`,
    run: 'Run',
    runs: 'Runs',
    inputs: 'Inputs',
    outputs: 'Outputs',
    editor: 'Open the workflow',
  },
  {
    title: (name: string) => `${name} 的运行`,
    run: '运行',
    runs: '运行记录',
    inputs: '输入',
    outputs: '输出',
    editor: '打开工作流',
  },
)

/** The inputs of a run, without empty lists. */
const given = (inputs: unknown): unknown =>
  typeof inputs === 'object' && inputs !== null
    ? Object.fromEntries(
        Object.entries(inputs).filter(([, value]) => !Array.isArray(value) || value.length > 0),
      )
    : {}

/** One run: messages, steps and origin. Updated live while it runs. */
export function RunPage({ runId }: { runId: string }) {
  const words = useWords()
  const may = useMay()
  const run = useRunById(runId)
  const { workflowName, agentName } = useNames()
  const { view, details } = run
  const back = { href: pathTo('runs'), title: words.runs }
  useRetryWhenReachable(details ? undefined : run.failure, () => run.watch.open(runId))
  if (!view || !details)
    return (
      <Page title={words.run} back={back}>
        {run.failure === undefined ? (
          <Loading />
        ) : (
          <Failure error={run.failure} onRetry={() => run.watch.open(runId)} />
        )}
      </Page>
    )
  const name = details.agent_id ? agentName(details.agent_id) : workflowName(details.workflow_id)
  const actions = (
    <>
      {!isOver(view.status) && may.write && <StopButton run={run} />}
      <RunActions details={details} />
      {details.workflow_id !== '' && may.read && (
        <Button href={`${pathTo('workflows', details.workflow_id)}?run=${encodeURIComponent(runId)}`}>
          {words.editor}
        </Button>
      )}
    </>
  )
  return (
    <Page title={name === '' ? words.run : words.title(name)} back={back} actions={actions}>
      <div className="run-columns">
        <RunResult run={run} />
        <aside className="run-aside">
          <RunFacts details={details} />
          <ValueView title={words.inputs} value={given(view.inputs)} />
          {view.outputs !== undefined && view.outputs !== null && (
            <ValueView title={words.outputs} value={view.outputs} />
          )}
        </aside>
      </div>
    </Page>
  )
}

const useRunFactsWords = defineWords(
  {
    workflow: 'Workflow',
    version: (number: number) => `version ${number}`,
    skipped: (number: number) => `The newest version, ${number}, could not run.`,
    agent: 'Agent',
    conversation: 'Conversation',
    user: 'User',
    trigger: 'Type',
    started: 'Started',
    id: 'Run ID',
    copy: 'Copy run ID',
    cost: 'Cost',
    rerunOf: 'Repeats',
    earlier: 'earlier run',
  },
  {
    workflow: '工作流',
    version: (number: number) => `版本 ${number}`,
    skipped: (number: number) => `最新的版本 ${number} 无法运行。`,
    agent: '智能体',
    conversation: '对话',
    user: '用户',
    trigger: '类型',
    started: '开始时间',
    id: '运行 ID',
    copy: '复制运行 ID',
    cost: '费用',
    rerunOf: '重新运行自',
    earlier: '之前的运行',
  },
)

/** The origin of a run, with links. */
function RunFacts({ details }: { details: RunDetails }) {
  const words = useRunFactsWords()
  const runWords = useRunWords()
  const { amount } = useFormats()
  const { workflowName, agentName } = useNames()
  const may = useMay()
  const linked = (text: string, ...place: string[]): ReactNode =>
    may.read ? <a href={pathTo(...place)}>{text}</a> : text
  const {
    workflow_id,
    agent_id,
    conversation_id,
    user_id,
    version,
    skipped_version,
    run_id,
    cost,
    rerun_of,
  } = details
  return (
    <dl className="run-facts">
      {workflow_id !== '' && (
        <Fact name={words.workflow}>
          {linked(workflowName(workflow_id), 'workflows', workflow_id)}{' '}
          {version > 0 && <span className="soft small">{words.version(version)}</span>}
          {skipped_version !== null && (
            <div className="small run-skipped">{words.skipped(skipped_version)}</div>
          )}
        </Fact>
      )}
      {agent_id !== '' && <Fact name={words.agent}>{linked(agentName(agent_id), 'agents', agent_id)}</Fact>}
      {conversation_id !== '' && (
        <Fact name={words.conversation}>
          {linked(conversation_id, 'agents', agent_id, 'chat', conversation_id)}
        </Fact>
      )}
      {user_id !== '' && <Fact name={words.user}>{user_id}</Fact>}
      <Fact name={words.trigger}>{runWords[details.trigger]}</Fact>
      <Fact name={words.started}>
        <When time={details.created_at} />
      </Fact>
      {cost > 0 && <Fact name={words.cost}>{amount(cost)}</Fact>}
      {rerun_of !== '' && (
        <Fact name={words.rerunOf}>
          <a href={pathTo('runs', rerun_of)}>{words.earlier}</a>
        </Fact>
      )}
      <Fact name={words.id}>
        <code>{run_id}</code>
        <CopyButton text={run_id} label={words.copy} size="small" />
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
