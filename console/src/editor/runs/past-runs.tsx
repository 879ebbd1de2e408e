import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Pagination } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { QueryFailure } from '../../ui/failure.tsx'
import { formatDuration } from '../../ui/format-duration.ts'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'
import { RunOutcome } from './run-outcome.tsx'
import { StatusIcon, useRunWords } from './run-status.tsx'
import { isSettled, type RunDetails } from './run-view.ts'

const useWords = defineWords(
  {
    title: 'Previous runs',
    none: 'No runs yet. Ask something above; every run is listed here with all its steps.',
  },
  {
    title: '历史运行',
    none: '还没有运行。在上方输入问题试试，每次运行的全部步骤都会保留在这里。',
  },
)

const pageSize = 8

type ListedRun = Omit<RunDetails, 'chat_id' | 'inputs' | 'outputs' | 'waiting' | 'nodes'>

/** The runs of a workflow, newest first; each can be opened. */
export function PastRuns({
  workflowId,
  current,
  onOpen,
}: {
  workflowId: string
  current: string | undefined
  onOpen(runId: string): void
}) {
  const words = useWords()
  const [page, setPage] = useState(1)
  const runs = useQuery({
    queryKey: ['runs', 'of', workflowId, page],
    queryFn: ({ signal }) =>
      call('GET /api/v1/workflow/runs', { query: { id: workflowId, page, page_size: pageSize }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => !isSettled(status)) ? 3000 : false,
  })
  return (
    <section className="past-runs" aria-label={words.title}>
      <h3>{words.title}</h3>
      {runs.isError && <QueryFailure query={runs} />}
      {runs.data?.total === 0 && <p className="soft small">{words.none}</p>}
      <ul className="past-list">
        {runs.data?.items.map(run => (
          <li key={run.run_id}>
            <PastRun run={run} isCurrent={run.run_id === current} onOpen={onOpen} />
          </li>
        ))}
      </ul>
      {(runs.data?.total ?? 0) > pageSize && (
        <Pagination
          size="small"
          simple
          current={page}
          pageSize={pageSize}
          total={runs.data!.total}
          onChange={setPage}
        />
      )}
    </section>
  )
}

function PastRun({
  run,
  isCurrent,
  onOpen,
}: {
  run: ListedRun
  isCurrent: boolean
  onOpen(runId: string): void
}) {
  const runWords = useRunWords()
  return (
    <button
      type="button"
      className="past-run"
      aria-current={isCurrent || undefined}
      onClick={() => onOpen(run.run_id)}
    >
      <StatusIcon status={run.status} />
      <span className="past-said">
        <RunOutcome run={run} />
      </span>
      <span className="past-facts soft small">
        <When time={run.created_at} />
        {isSettled(run.status) && <span>{formatDuration(run.elapsed_ms)}</span>}
        {run.trigger !== 'run' && <span>{runWords[run.trigger]}</span>}
      </span>
    </button>
  )
}
