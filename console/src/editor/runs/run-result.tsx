import { Alert, Button } from 'antd'
import type { ReactNode } from 'react'
import { Failure } from '../../ui/failure.tsx'
import { useLanguage } from '../../ui/preferences.ts'
import { explain } from '../../ui/server-texts/message-facts.ts'
import { defineWords } from '../../ui/words.ts'
import { Conversation } from './conversation.tsx'
import { ReplyForm } from './reply-form.tsx'
import { RunSummary } from './run-summary.tsx'
import { nodeOfPath, type RunView } from './run-view.ts'
import { Trace } from './trace.tsx'
import type { WatchedRun } from './use-run.ts'
import './run-result.css'

const useWords = defineWords(
  {
    reconnecting: 'Connection lost. Reconnecting; the run continues on the server.',
    lost: 'Could not reconnect. The run continues on the server.',
    again: 'Reconnect',
    where: (node: string) => `Show ${node}`,
  },
  {
    reconnecting: '连接中断，正在重连；运行仍在服务器上继续。',
    lost: '无法恢复连接。运行仍在服务器上继续。',
    again: '重新连接',
    where: (node: string) => `查看 ${node}`,
  },
)

interface RunResultProps {
  run: WatchedRun
  /** Brings a node of the graph into view, where there is a canvas. */
  onShow?: ((nodeId: string) => void) | undefined
  /** Beside the summary. */
  actions?: ReactNode
}

/** All that is known of a run: what was said, what it asks, why it failed, and every step. */
export function RunResult({ run, onShow, actions }: RunResultProps) {
  const { view, clockOffset, watch, details } = run
  if (!view) return run.failure === undefined ? null : <Failure error={run.failure} />
  return (
    <div className="run-result">
      <Conversation view={view} />
      {view.waiting && (
        <ReplyForm
          key={`${view.runId} ${view.waiting.path} ${view.lastEvent}`}
          options={view.waiting.options}
          isChat={details?.trigger === 'chat'}
          onReply={answer => watch.reply(answer)}
        />
      )}
      <ConnectionTold run={run} />
      {run.failure !== undefined && <Failure error={run.failure} />}
      {view.error && <RunError error={view.error} onShow={onShow} />}
      <div className="run-line">
        <RunSummary view={view} clockOffset={clockOffset} />
        {actions !== undefined && <div className="run-actions">{actions}</div>}
      </div>
      <Trace view={view} clockOffset={clockOffset} onShow={onShow} onMissing={() => watch.loadDetails()} />
    </div>
  )
}

function RunError({
  error,
  onShow,
}: {
  error: NonNullable<RunView['error']>
  onShow: RunResultProps['onShow']
}) {
  const words = useWords()
  const { title, details } = explain(useLanguage(), error.reason, error.message)
  // Of one inside of another workflow, the canvas shows the node around it.
  const nodeId = error.path === undefined ? undefined : nodeOfPath(error.path.split('/')[0]!)
  return (
    <Alert
      type="error"
      showIcon
      role="alert"
      title={title}
      {...(details.length > 0 && { description: details.map(line => <div key={line}>{line}</div>) })}
      {...(onShow &&
        nodeId !== undefined && {
          action: (
            <Button size="small" onClick={() => onShow(nodeId)}>
              {words.where(nodeId)}
            </Button>
          ),
        })}
    />
  )
}

function ConnectionTold({ run: { connection, watch, view } }: { run: WatchedRun }) {
  const words = useWords()
  if (connection === 'reconnecting') return <Alert type="warning" showIcon title={words.reconnecting} />
  if (connection !== 'lost') return null
  const again = (
    <Button size="small" onClick={() => watch.open(view!.runId)}>
      {words.again}
    </Button>
  )
  return <Alert type="warning" showIcon title={words.lost} action={again} />
}
