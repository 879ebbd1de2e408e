import { Alert, Button } from 'antd'
import { type ReactNode, useMemo } from 'react'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { formatDuration } from '../../ui/format-duration.ts'
import { citationsFor } from '../../ui/markdown/citations.ts'
import { Markdown } from '../../ui/markdown/markdown.tsx'
import { useLanguage } from '../../ui/preferences.ts'
import { explain } from '../../ui/server-texts/message-facts.ts'
import { openCitation } from '../../ui/source/open-source.ts'
import { useRetryWhenReachable } from '../../ui/use-retry-when-reachable.ts'
import { defineWords } from '../../ui/words.ts'
import { ReplyForm } from './reply-form.tsx'
import { StatusTag, useRunWords } from './run-status.tsx'
import { isSettled, nodeOfPath, type RunMessage, type RunView } from './run-view.ts'
import { Trace } from './trace.tsx'
import { useNow } from './use-now.ts'
import type { WatchedRun } from './use-run.ts'
import './run-result.css'
import './conversation.css'

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
  /** The node whose step is open from the start. */
  openNode?: string | undefined
  /** Brings a node into view, if there is a canvas. */
  onShow?: ((nodeId: string) => void) | undefined
  /** Shown beside the summary. */
  actions?: ReactNode
}

/** A run: messages, question, failure and all steps. */
export function RunResult({ run, openNode, onShow, actions }: RunResultProps) {
  const { view, clockOffset, watch, details } = run
  if (!view) return run.failure === undefined ? null : <Failure error={run.failure} />
  return (
    <div className="run-result">
      <Conversation view={view} details={details} />
      {view.waiting && (
        <ReplyForm
          key={`${view.runId} ${view.waiting.path} ${view.lastEvent}`}
          options={view.waiting.options}
          isChat={details?.trigger === 'chat'}
          onReply={answer => watch.reply(answer)}
        />
      )}
      <ConnectionAlert run={run} />
      {run.failure !== undefined && <Failure error={run.failure} />}
      {view.error && <RunError error={view.error} nodes={view.nodes} onShow={onShow} />}
      <div className="run-line">
        <RunSummary view={view} clockOffset={clockOffset} />
        {actions !== undefined && <div className="run-actions">{actions}</div>}
      </div>
      <Trace
        view={view}
        clockOffset={clockOffset}
        openNode={openNode}
        onShow={onShow}
        onMissing={() => watch.loadDetails()}
      />
    </div>
  )
}

function RunError({
  error,
  nodes,
  onShow,
}: {
  error: NonNullable<RunView['error']>
  nodes: RunView['nodes']
  onShow: RunResultProps['onShow']
}) {
  const words = useWords()
  const { title, details } = explain(useLanguage(), error.reason, error.message)
  // For a node of a nested workflow, the canvas shows the node around it.
  const top = error.path?.split('/')[0]
  const nodeId = top === undefined ? undefined : nodeOfPath(top)
  return (
    <Alert
      type="error"
      showIcon
      role="alert"
      title={title}
      description={
        <>
          {details.map(line => (
            <div key={line}>{line}</div>
          ))}
          {/* Below the text, which a button beside it would squeeze. */}
          {onShow && nodeId !== undefined && (
            <Button size="small" className="failure-button" onClick={() => onShow(nodeId)}>
              {words.where(nodes.find(({ path }) => path === top)?.title || nodeId)}
            </Button>
          )}
        </>
      }
    />
  )
}

function ConnectionAlert({ run: { connection, failure, watch, view } }: { run: WatchedRun }) {
  const words = useWords()
  useRetryWhenReachable(connection === 'lost' ? failure : undefined, () => watch.open(view!.runId))
  if (connection === 'reconnecting') return <Alert type="warning" showIcon title={words.reconnecting} />
  if (connection !== 'lost') return null
  const again = (
    <Button size="small" onClick={() => watch.open(view!.runId)}>
      {words.again}
    </Button>
  )
  return <Alert type="warning" showIcon title={words.lost} description={again} />
}

/** The status, duration and tokens of a run. */
function RunSummary({ view, clockOffset }: { view: RunView; clockOffset: number }) {
  const words = useRunWords()
  const isRunning = !isSettled(view.status)
  const now = useNow(isRunning) - clockOffset
  const since = view.startedAt === undefined ? undefined : Math.max(0, now - view.startedAt)
  const elapsed = isRunning ? since : view.elapsedMs
  return (
    <div className="run-summary" role="status">
      <StatusTag status={view.status} />
      {elapsed !== undefined && <span className="run-number">{formatDuration(elapsed)}</span>}
      {view.tokens > 0 && <span className="run-number">{words.tokens(view.tokens)}</span>}
    </div>
  )
}

const useConversationWords = defineWords(
  {
    messages: 'Conversation',
    you: 'Question',
    workflow: 'Answer',
    thinking: 'Running…',
    copy: 'Copy answer',
    silent: 'No output.',
    files: (count: number) => (count === 1 ? '1 file' : `${count} files`),
  },
  {
    messages: '对话内容',
    you: '提问',
    workflow: '回答',
    thinking: '正在处理…',
    copy: '复制回答',
    silent: '没有输出内容。',
    files: (count: number) => `${count} 个文件`,
  },
)

/** Question and answers of a run, as they arrive. */
function Conversation({ view, details }: { view: RunView; details: WatchedRun['details'] }) {
  const words = useConversationWords()
  const isWorking = !isSettled(view.status)
  const isStreaming = view.messages.some(({ isComplete }) => !isComplete)
  // A message begins before its text, which may never come.
  const shown = view.messages.filter(each => isWorking || each.text !== '' || each.files.length > 0)
  // The outputs of a node that ran alone are in its step.
  const hasMessages = details !== undefined && details.trigger !== 'debug'
  const isSilent =
    hasMessages && !isWorking && view.status === 'succeeded' && !shown.some(({ by }) => by === 'run')
  return (
    <section className="run-messages" aria-label={words.messages} aria-live="polite" aria-busy={isWorking}>
      {shown.map(each => (
        <Bubble key={each.id} message={each} nodes={view.nodes} />
      ))}
      {isWorking && !isStreaming && <p className="said-working soft">{words.thinking}</p>}
      {isSilent && <p className="soft small">{words.silent}</p>}
    </section>
  )
}

function Bubble({ message, nodes }: { message: RunMessage; nodes: RunView['nodes'] }) {
  const words = useConversationWords()
  const isAnswer = message.by === 'run'
  const citations = useMemo(
    () => (isAnswer && message.isComplete ? citationsFor(message.text, nodes) : []),
    [isAnswer, message, nodes],
  )
  return (
    <article
      className={`said-bubble by-${message.by}${message.isComplete ? '' : ' is-speaking'}`}
      aria-label={isAnswer ? words.workflow : words.you}
    >
      {isAnswer && message.dataType === 'text' ? (
        <Markdown text={message.text} citations={citations} onCite={openCitation} />
      ) : isAnswer ? (
        <pre>{message.text}</pre>
      ) : (
        <p className="said-plain">{message.text}</p>
      )}
      {message.files.length > 0 && (
        <p className="soft small">
          {words.files(message.files.length)}: {message.files.join(', ')}
        </p>
      )}
      {isAnswer && message.isComplete && <CopyButton text={message.text} label={words.copy} size="small" />}
    </article>
  )
}
