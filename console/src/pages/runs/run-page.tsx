import { Button } from 'antd'
import { RunResult } from '../../editor/runs/run-result.tsx'
import { isOver } from '../../editor/runs/run-view.ts'
import { StopButton } from '../../editor/runs/stop-button.tsx'
import { useRunById } from '../../editor/runs/use-run.ts'
import { ValueView } from '../../editor/runs/value-view.tsx'
import { useMay } from '../../session/use-session.ts'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { pathTo } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'
import { RunFacts } from './run-facts.tsx'
import { useNames } from './use-names.ts'
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

/** What a run was handed, without the lists that are empty. */
const given = (inputs: unknown): unknown =>
  typeof inputs === 'object' && inputs !== null
    ? Object.fromEntries(
        Object.entries(inputs).filter(([, value]) => !Array.isArray(value) || value.length > 0),
      )
    : {}

/** One run: what was asked and said, every step of it, and how it came about. Live while it runs. */
export function RunPage({ runId }: { runId: string }) {
  const words = useWords()
  const may = useMay()
  const run = useRunById(runId)
  const { workflowName, agentName } = useNames()
  const { view, details } = run
  const back = { href: pathTo('runs'), title: words.runs }
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
      {details.workflow_id !== '' && (
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
