import { RightOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { useId, useMemo, useState } from 'react'
import { call } from '../../api/call.ts'
import { formatDuration } from '../../ui/format-duration.ts'
import { useLanguage } from '../../ui/preferences.ts'
import { explainInLine } from '../../ui/server-texts/message-facts.ts'
import { defineWords } from '../../ui/words.ts'
import { StatusIcon, useRunWords } from './run-status.tsx'
import { callOfPath, isSettled, type NodeView, type RunView } from './run-view.ts'
import { type Bar, barsOf, type TraceEntry, traceTree } from './trace-tree.ts'
import { useNow } from './use-now.ts'
import { ValueView } from './value-view.tsx'
import './trace.css'

const useWords = defineWords({ steps: 'Steps' }, { steps: '步骤' })

interface TraceProps {
  view: RunView
  clockOffset: number
  /** The node whose row is open from the start. */
  openNode?: string | undefined
  onShow?: ((nodeId: string) => void) | undefined
  onMissing(): void
}

/** Every node of a run in the order they started, during the run and afterwards. */
export function Trace({ view, clockOffset, openNode, onShow, onMissing }: TraceProps) {
  const words = useWords()
  const kindTitle = useKindTitles()
  const now = useNow(!isSettled(view.status)) - clockOffset
  const tree = useMemo(() => traceTree(view.nodes), [view.nodes])
  const work = view.elapsedMs ?? (view.startedAt === undefined ? 0 : now - view.startedAt)
  const bars = barsOf(view.nodes, now, work)
  if (tree.length === 0) return null
  const context = { bars, now, kindTitle, failedPath: view.error?.path, openNode, onShow, onMissing }
  return (
    <ol className="trace" aria-label={words.steps}>
      {tree.map(entry => (
        <NodeRow key={entry.node.path} entry={entry} context={context} />
      ))}
    </ol>
  )
}

const useNodeRowWords = defineWords(
  {
    inputs: 'Inputs',
    outputs: 'Outputs',
    text: 'Message',
    nothing: 'No inputs and no outputs.',
    notYet: 'No data yet.',
    attempts: (count: number) => `Attempt ${count}`,
    triedTimes: (count: number) => `${count} attempts`,
    inside: 'Nested steps',
    item: (name: string) => (/^\d+$/.test(name) ? `#${Number(name) + 1}` : ''),
  },
  {
    inputs: '输入',
    outputs: '输出',
    text: '消息',
    nothing: '没有输入，也没有输出。',
    notYet: '暂无内容。',
    attempts: (count: number) => `第 ${count} 次尝试`,
    triedTimes: (count: number) => `共尝试 ${count} 次`,
    inside: '内部步骤',
    item: (name: string) => (/^\d+$/.test(name) ? `第 ${Number(name) + 1} 次` : ''),
  },
)

interface RowContext {
  bars: ReadonlyMap<string, Bar>
  /** Now, by the server's clock. */
  now: number
  kindTitle(kind: string): string
  /** The node that failed the run. */
  failedPath: string | undefined
  openNode: string | undefined
  /** The row of a top-level node was opened or closed. */
  onShow?: ((nodeId: string) => void) | undefined
  /** Called when the user wants to see inputs of a node that are not loaded yet. */
  onMissing(): void
}

/** Up to this many nested steps are shown initially. */
const shownInside = 12

/** One node of a run: status and duration; expanded, its inputs and outputs. */
function NodeRow({ entry, context }: { entry: TraceEntry; context: RowContext }) {
  const { node, inside } = entry
  const words = useNodeRowWords()
  const [isOpen, setIsOpen] = useState(node.path === context.openNode)
  const id = useId()
  // The run's own failure is shown above all steps.
  const isErrorShown = node.error !== undefined && node.path !== context.failedPath
  const toggle = () => {
    setIsOpen(!isOpen)
    if (node.depth === 0) context.onShow?.(node.nodeId)
    if (!isOpen && node.inputs === undefined) context.onMissing()
  }
  return (
    <li className={`trace-row is-${node.status}`}>
      <button type="button" className="trace-head" aria-expanded={isOpen} aria-controls={id} onClick={toggle}>
        <RowHead node={node} context={context} />
        <RightOutlined className="trace-arrow" aria-hidden />
      </button>
      <div id={id} className="trace-body" hidden={!isOpen && !isErrorShown}>
        {(isOpen || isErrorShown) && node.error && <StepError error={node.error} />}
        {isOpen && <RowValues node={node} />}
      </div>
      {inside.length > 0 && (isOpen || inside.length <= shownInside) && (
        <ol className="trace trace-inside" aria-label={words.inside}>
          {inside.map(each => (
            <NodeRow key={each.node.path} entry={each} context={context} />
          ))}
        </ol>
      )}
    </li>
  )
}

function RowHead({ node, context }: { node: NodeView; context: RowContext }) {
  const words = useNodeRowWords()
  const runWords = useRunWords()
  const bar = context.bars.get(node.path)
  const kind = context.kindTitle(node.kind)
  const title = node.title || (node.kind === '' ? node.nodeId : kind)
  const running = node.status === 'running' && node.startedAt !== undefined
  const elapsed = node.elapsedMs ?? (running ? Math.max(0, context.now - node.startedAt!) : undefined)
  const isShown = elapsed !== undefined && node.status !== 'skipped'
  const item = node.depth > 0 ? words.item(callOfPath(node.path)) : ''
  return (
    <>
      <StatusIcon status={node.status} />
      <span className="trace-title">
        {title}
        <span className="soft small">
          {[item, node.title ? kind : node.nodeId].filter(text => text && text !== title).join(' · ')}
        </span>
      </span>
      <span className="trace-numbers small soft">
        {node.attempts > 1 && (
          <span className="trace-attempts">
            {node.status === 'running' ? words.attempts(node.attempts) : words.triedTimes(node.attempts)}
          </span>
        )}
        {node.status === 'running' && node.progress !== '' && <span>{node.progress}</span>}
        {node.tokens > 0 && <span>{runWords.tokens(node.tokens)}</span>}
        {isShown && <span className="trace-time">{formatDuration(elapsed)}</span>}
      </span>
      <span className="trace-track" aria-hidden>
        {bar && (
          <span className="trace-bar" style={{ left: `${bar.left}%`, width: `max(3px, ${bar.width}%)` }} />
        )}
      </span>
    </>
  )
}

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)

export function RowValues({ node }: { node: NodeView }) {
  const words = useNodeRowWords()
  const isWriting = node.outputs === undefined && node.text !== ''
  if (isNothing(node.inputs) && isNothing(node.outputs) && !isWriting)
    return (
      <p className="soft small">
        {node.status === 'running' || node.inputs === undefined ? words.notYet : words.nothing}
      </p>
    )
  return (
    <>
      {!isNothing(node.inputs) && <ValueView title={words.inputs} value={node.inputs} />}
      {isWriting && <ValueView title={words.text} value={node.text} />}
      {!isNothing(node.outputs) && <ValueView title={words.outputs} value={node.outputs} />}
    </>
  )
}

export function StepError({ error }: { error: NonNullable<NodeView['error']> }) {
  return <p className="trace-error">{explainInLine(useLanguage(), error)}</p>
}

/** The title of a node kind; its name if the server does not know it. */
function useKindTitles(): (kind: string) => string {
  const language = useLanguage()
  const { data } = useQuery({
    queryKey: ['workflow-kinds'],
    queryFn: ({ signal }) => call('GET /api/v1/workflow/kinds', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return kind => data?.kinds.find(each => each.kind === kind)?.title[language] ?? kind
}
