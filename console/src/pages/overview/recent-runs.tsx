import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { allKey, type Names, useAgentNames, useUsage, useWorkflowNames } from '../../api/queries.ts'
import { plainStart } from '../../editor/runs/run-texts.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { QueryFailure } from '../../ui/failure.tsx'
import { formatDuration } from '../../ui/format-duration.ts'
import { Loading } from '../../ui/loading.tsx'
import { useLanguage } from '../../ui/preferences.ts'
import { pathTo } from '../../ui/router.ts'
import { explainInLine } from '../../ui/server-texts/message-facts.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'
import { useOverviewWords } from './overview-words.ts'
import { type Run, useRecentRuns } from './use-overview.ts'

const nameOf = (run: Run, agents: Names, workflows: Names): string | undefined =>
  agents?.get(run.agent_id) ?? workflows?.get(run.workflow_id)

function RunLine({ run, agents, workflows }: { run: Run; agents: Names; workflows: Names }) {
  const language = useLanguage()
  const name = nameOf(run, agents, workflows) ?? (run.agent_id || run.workflow_id)
  return (
    <li>
      <a href={pathTo('runs', run.run_id)}>
        <RunState status={run.status} />
        <span className="run-name" title={name || run.run_id}>
          {name || run.run_id}
        </span>
        <span className={run.error ? 'run-text run-failure' : 'run-text soft'}>
          {run.error ? explainInLine(language, run.error) : plainStart(run.answer)}
        </span>
        <span className="soft small" title={formatDuration(run.elapsed_ms)}>
          <When time={run.created_at} />
        </span>
      </a>
    </li>
  )
}

/** Failures of the last days, if any. */
function Failures() {
  const words = useOverviewWords()
  const { number } = useFormats()
  const from = new Date(Date.now() - 6 * 86_400_000).toISOString().slice(0, 10)
  const failures = useUsage({ from }).data?.totals.failures ?? 0
  if (failures === 0) return null
  return (
    <p className="run-failures">
      <a href="#/usage?days=7">{words.failed(number(failures))}</a>
    </p>
  )
}

/** Reads the names again when a run of a new agent or workflow is shown; only once, because it may have been deleted. */
function useNewNames(runs: readonly Run[], agents: Names, workflows: Names): void {
  const queries = useQueryClient()
  const unknown = runs.filter(run => agents && workflows && nameOf(run, agents, workflows) === undefined)
  const ids = unknown.map(run => run.agent_id || run.workflow_id).join()
  useEffect(() => {
    if (ids === '') return
    for (const key of ['POST /api/v1/agent/list', 'POST /api/v1/workflow/list'] as const)
      void queries.invalidateQueries({ queryKey: allKey(key) })
  }, [queries, ids])
}

export function RecentRuns() {
  const words = useOverviewWords()
  const runs = useRecentRuns()
  const agents = useAgentNames()
  const workflows = useWorkflowNames()
  useNewNames(runs.data?.items ?? [], agents, workflows)
  if (runs.isLoadingError) return <QueryFailure query={runs} />
  if (runs.isPending) return <Loading />
  if (runs.data.items.length === 0) return <p className="soft">{words.noRuns}</p>
  return (
    <>
      {runs.isError && <QueryFailure query={runs} />}
      <Failures />
      <ul className="recent-runs">
        {runs.data.items.map(run => (
          <RunLine key={run.run_id} run={run} agents={agents} workflows={workflows} />
        ))}
      </ul>
    </>
  )
}

const useWords = defineWords(
  {
    queued: 'Queued',
    running: 'Running',
    waiting: 'Waiting',
    succeeded: 'Succeeded',
    failed: 'Failed',
    stopped: 'Stopped',
  },
  {
    queued: '排队中',
    running: '运行中',
    waiting: '等待回答',
    succeeded: '成功',
    failed: '失败',
    stopped: '已停止',
  },
)

const tones: Readonly<Record<Run['status'], Tone>> = {
  queued: 'plain',
  running: 'info',
  waiting: 'warning',
  succeeded: 'good',
  failed: 'bad',
  stopped: 'plain',
}

function RunState({ status }: { status: Run['status'] }) {
  const words = useWords()
  return <Badge tone={tones[status]}>{words[status]}</Badge>
}
