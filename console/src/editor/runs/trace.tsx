import { useMemo } from 'react'
import { defineWords } from '../../ui/words.ts'
import { NodeRow } from './node-row.tsx'
import { isSettled, type RunView } from './run-view.ts'
import { barsOf, traceTree } from './trace-tree.ts'
import { useKindTitles } from './use-kind-titles.ts'
import { useNow } from './use-now.ts'
import './trace.css'

const useWords = defineWords({ steps: 'Steps' }, { steps: '步骤' })

interface TraceProps {
  view: RunView
  clockOffset: number
  onShow?: ((nodeId: string) => void) | undefined
  onMissing(): void
}

/** Every node of a run in the order they began, while it runs and after. */
export function Trace({ view, clockOffset, onShow, onMissing }: TraceProps) {
  const words = useWords()
  const kindTitle = useKindTitles()
  const now = useNow(!isSettled(view.status)) - clockOffset
  const tree = useMemo(() => traceTree(view.nodes), [view.nodes])
  const work = view.elapsedMs ?? (view.startedAt === undefined ? 0 : now - view.startedAt)
  const bars = barsOf(view.nodes, now, work)
  if (tree.length === 0) return null
  const context = { bars, now, kindTitle, failedPath: view.error?.path, onShow, onMissing }
  return (
    <ol className="trace" aria-label={words.steps}>
      {tree.map(entry => (
        <NodeRow key={entry.node.path} entry={entry} context={context} />
      ))}
    </ol>
  )
}
