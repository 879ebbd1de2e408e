import { CloseOutlined, EditOutlined, ExportOutlined, ReloadOutlined } from '@ant-design/icons'
import { Alert, Button } from 'antd'
import { useState } from 'react'
import { useFailureToast } from '../../ui/failure.tsx'
import { pathTo } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'
import { useFindingText } from '../panels/finding-text.tsx'
import { useNodeTitle } from '../panels/use-node-title.ts'
import { AddToTestSet } from '../tests/add-to-test-set.tsx'
import { useEditorState, useWorkflowEditor } from '../workflow-editor.ts'
import { AskForm } from './ask-form.tsx'
import { PastRuns } from './past-runs.tsx'
import { EditInputs, isRepeatable, useRerun, useRerunWords } from './rerun.tsx'
import { RunOneNode } from './run-one-node.tsx'
import { RunResult } from './run-result.tsx'
import { isSettled, type RunDetails } from './run-view.ts'
import { StopButton } from './stop-button.tsx'
import { useRun, type WatchedRun } from './use-run.ts'
import { useKeptValues } from './use-trial.ts'
import './run-panel.css'

const useWords = defineWords(
  {
    only: 'Run only this node',
    page: 'Open run details',
    close: 'Close this run',
    current: 'This run',
    viewer: 'Your role can view runs, but not start them.',
  },
  {
    only: '只运行这个节点',
    page: '打开运行详情',
    close: '关闭这次运行',
    current: '当前运行',
    viewer: '你的角色可以查看运行，但不能启动。',
  },
)

interface RunPanelProps {
  /** The node whose form is shown in place of that of the workflow. */
  onlyNode: string | undefined
  onOnlyNode(id: string | undefined): void
}

/** Runs the workflow and shows the run. */
export function RunPanel({ onlyNode, onOnlyNode }: RunPanelProps) {
  const words = useWords()
  const { workflowId, checks, mayWrite, showNode } = useWorkflowEditor()
  const { graph, selection } = useEditorState()
  const run = useRun()
  const values = useKeptValues()
  const selected = selection.nodes.size === 1 ? [...selection.nodes][0] : undefined
  const tried = graph.nodes.find(({ id }) => id === onlyNode)
  const more = mayWrite && selected !== undefined && (
    <Button type="text" onClick={() => onOnlyNode(selected)}>
      {words.only}
    </Button>
  )
  return (
    <div className="run-panel">
      {!mayWrite && <p className="soft small">{words.viewer}</p>}
      {!checks.runnable && !checks.isPending && <NotRunnable />}
      {tried && (
        <RunOneNode
          key={tried.id}
          node={tried}
          run={run}
          values={values}
          onCancel={() => onOnlyNode(undefined)}
        />
      )}
      {/* Not unmounted, so that what was typed is kept. */}
      <div hidden={tried !== undefined}>
        <AskForm run={run} more={more} />
      </div>
      {(run.view || run.failure !== undefined) && (
        <section className="run-current" aria-label={words.current}>
          <RunResult run={run} openNode={tried?.id} onShow={showNode} actions={<RunActions run={run} />} />
        </section>
      )}
      <PastRuns
        workflowId={workflowId}
        current={run.view?.runId}
        onOpen={runId => void run.watch.open(runId)}
      />
    </div>
  )
}

function RunActions({ run }: { run: WatchedRun }) {
  const words = useWords()
  const { mayWrite } = useWorkflowEditor()
  const { runId, status } = run.view ?? {}
  if (!runId || !status) return null
  return (
    <>
      {status === 'waiting' && mayWrite && <StopButton run={run} />}
      {mayWrite && run.details?.run_id === runId && isRepeatable(run.details) && (
        <>
          <RunAgain run={run} details={run.details} />
          <AddToTestSet details={run.details} isSmall />
        </>
      )}
      <Button
        type="text"
        size="small"
        icon={<ExportOutlined aria-hidden />}
        href={pathTo('runs', runId)}
        aria-label={words.page}
        title={words.page}
      />
      {isSettled(status) && (
        <Button
          type="text"
          size="small"
          icon={<CloseOutlined aria-hidden />}
          aria-label={words.close}
          title={words.close}
          onClick={() => run.watch.close()}
        />
      )}
    </>
  )
}

/** Repeats the run with the edited graph, with the same inputs or others. */
function RunAgain({ run, details }: { run: WatchedRun; details: RunDetails }) {
  const words = useRerunWords()
  const { saving, checks } = useWorkflowEditor()
  const [isEditing, setIsEditing] = useState(false)
  const showFailure = useFailureToast()
  const rerun = useRerun(details.run_id, {
    version: () => saving.flush(),
    onStarted: runId => {
      setIsEditing(false)
      void run.watch.open(runId)
    },
  })
  const button = { type: 'text', size: 'small', disabled: !checks.runnable } as const
  return (
    <>
      <Button
        {...button}
        icon={<ReloadOutlined aria-hidden />}
        aria-label={words.again}
        title={words.again}
        loading={rerun.isPending}
        onClick={() => rerun.mutate(undefined, { onError: showFailure })}
      />
      <Button
        {...button}
        icon={<EditOutlined aria-hidden />}
        aria-label={words.edit}
        title={words.edit}
        onClick={() => setIsEditing(true)}
      />
      {isEditing && <EditInputs details={details} rerun={rerun} onClose={() => setIsEditing(false)} />}
    </>
  )
}

const useNotRunnableWords = defineWords(
  {
    title: 'This workflow cannot run yet',
    more: (count: number) => `and ${count} more`,
  },
  {
    title: '工作流还不能运行',
    more: (count: number) => `还有 ${count} 处`,
  },
)

const shown = 5

/** Why the Run button is disabled, each problem linking to its node. */
function NotRunnable() {
  const words = useNotRunnableWords()
  const { checks, showNode } = useWorkflowEditor()
  const { graph } = useEditorState()
  const titleOf = useNodeTitle()
  const findingText = useFindingText()
  const findings = checks.findings.filter(({ severity }) => severity !== 'warning')
  return (
    <Alert
      type="warning"
      showIcon
      title={words.title}
      description={
        <ul className="run-findings">
          {findings.slice(0, shown).map(finding => {
            const { path, message, nodeId } = finding
            const text = findingText(finding)
            const node = graph.nodes.find(({ id }) => id === nodeId)
            return (
              <li key={`${path} ${message}`}>
                {node === undefined ? (
                  <span>{text}</span>
                ) : (
                  <Button type="link" size="small" onClick={() => showNode(node.id)}>
                    {titleOf(node)}: {text}
                  </Button>
                )}
              </li>
            )
          })}
          {findings.length > shown && <li>{words.more(findings.length - shown)}</li>}
        </ul>
      }
    />
  )
}
