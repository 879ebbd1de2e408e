import { useEffect, useSyncExternalStore } from 'react'
import { formatDuration } from '../../ui/format-duration.ts'
import { defineWords } from '../../ui/words.ts'
import { useWorkflowEditor } from '../workflow-editor.ts'
import { StatusIcon } from './run-status.tsx'
import { RowValues, StepError } from './trace.tsx'
import { watchOf } from './use-run.ts'
import './node-in-run.css'

const useWords = defineWords({ title: 'In the shown run' }, { title: '在当前运行中' })

/** The inputs and outputs of a node in the run that the editor shows. */
export function NodeInRun({ nodeId }: { nodeId: string }) {
  const words = useWords()
  const { workflowId } = useWorkflowEditor()
  const watch = watchOf(workflowId)
  const { view } = useSyncExternalStore(watch.subscribe, watch.state)
  const node = view?.nodes.find(each => each.path === nodeId)
  const isIncomplete = node !== undefined && node.inputs === undefined && node.status !== 'running'
  useEffect(() => {
    if (isIncomplete) watch.loadDetails()
  }, [isIncomplete, watch])
  if (!node) return null
  return (
    <details className="node-in-run" open>
      <summary>
        <StatusIcon status={node.status} /> {words.title}
        {node.elapsedMs !== undefined && node.status !== 'skipped' && (
          <span className="soft small">{formatDuration(node.elapsedMs)}</span>
        )}
      </summary>
      {node.error && <StepError error={node.error} />}
      <RowValues node={node} />
    </details>
  )
}
