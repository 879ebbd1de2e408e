import { formatDuration } from './format-duration.ts'
import { StatusTag } from './run-status.tsx'
import { isSettled, type RunView } from './run-view.ts'
import { useRunWords } from './run-words.ts'
import { useNow } from './use-now.ts'

/** How the run stands as a whole: status, time at work, tokens. */
export function RunSummary({ view, clockOffset }: { view: RunView; clockOffset: number }) {
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
