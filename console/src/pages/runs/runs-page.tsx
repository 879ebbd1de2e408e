import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { RunTable } from '../../editor/runs/run-table.tsx'
import { isSettled } from '../../editor/runs/run-view.ts'
import { useMay, useSession } from '../../session/use-session.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryFailure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { pathTo } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'
import { filterNames, filterOf, RunFilters, showRuns } from './run-filters.tsx'
import './runs.css'

const useWords = defineWords(
  {
    title: 'Runs',
    about: 'Runs of workflows and agents with all their steps, newest first.',
    empty: 'No runs yet',
    next: 'Run a workflow in its editor, or chat with an agent. Each run is listed here with all its steps.',
    workflows: 'Go to workflows',
    agents: 'Go to agents',
    noMatch: 'No matching runs',
    loosen: 'No run matches all filters. A run can be found by its text a few seconds after it ended.',
    compare: 'Compare',
    choose: 'Select two runs to compare them.',
    clear: 'Show all runs',
  },
  {
    title: '运行记录',
    about: '工作流和智能体的每次运行及其全部步骤，最新的在前。',
    empty: '还没有任何运行',
    next: '在工作流编辑器里运行，或与智能体对话：每次运行的全部步骤都会保留在这里。',
    workflows: '前往工作流',
    agents: '前往智能体',
    noMatch: '没有符合条件的运行',
    loosen: '没有同时符合所有条件的运行。运行结束几秒后才能按文字找到。',
    compare: '对比',
    choose: '选择两次运行进行对比。',
    clear: '显示全部运行',
  },
)

const pageSize = 20
const refreshMilliseconds = 2000

function useRuns(query: URLSearchParams) {
  const filter = {
    ...filterOf(query),
    page: Math.max(1, Number.parseInt(query.get('page') ?? '1', 10) || 1),
    page_size: pageSize,
  }
  return useQuery({
    queryKey: ['runs', 'all', filter],
    queryFn: ({ signal }) => call('GET /api/v1/workflow/runs', { query: filter, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.items.some(run => !isSettled(run.status)) ? refreshMilliseconds : false,
  })
}

/** A runner with several agents sees the runs of one at a time: its first, unless the URL names another. */
function useRunnersQuery(query: URLSearchParams): URLSearchParams {
  const { data: session } = useSession()
  const [first, second] = session?.role === 'runner' ? session.agent_ids : []
  if (first === undefined || second === undefined || query.has('agent')) return query
  const next = new URLSearchParams(query)
  next.set('agent', first)
  return next
}

/** The history of all runs. */
export function RunsPage({ query }: { query: URLSearchParams }) {
  const words = useWords()
  const shown = useRunnersQuery(query)
  const runs = useRuns(shown)
  const [chosen, setChosen] = useState<readonly string[]>([])
  const isFiltered = filterNames.some(name => shown.has(name))
  const isEmpty = runs.data?.total === 0
  return (
    <Page title={words.title} about={words.about}>
      {(isFiltered || !isEmpty) && <RunFilters query={shown} />}
      {runs.isError && <QueryFailure query={runs} />}
      {runs.isPending && <Loading />}
      {isEmpty && <NoRuns isFiltered={isFiltered} />}
      {runs.data && !isEmpty && (
        <>
          <div className="run-compare-bar">
            <Button
              disabled={chosen.length !== 2}
              href={`${pathTo('runs', 'compare')}?a=${chosen[0]}&b=${chosen[1]}`}
            >
              {words.compare}
            </Button>
            <span className="soft small">{words.choose}</span>
          </div>
          <RunTable
            page={runs.data}
            onPage={page => showRuns(shown, { page: String(page) })}
            chosen={chosen}
            onChoose={setChosen}
          />
        </>
      )}
    </Page>
  )
}

function NoRuns({ isFiltered }: { isFiltered: boolean }) {
  const words = useWords()
  const may = useMay()
  if (isFiltered)
    return (
      <EmptyState title={words.noMatch} actions={<Button href={pathTo('runs')}>{words.clear}</Button>}>
        {words.loosen}
      </EmptyState>
    )
  return (
    <EmptyState
      title={words.empty}
      actions={
        may.read && (
          <>
            <Button type="primary" href={pathTo('workflows')}>
              {words.workflows}
            </Button>
            <Button href={pathTo('agents')}>{words.agents}</Button>
          </>
        )
      }
    >
      {words.next}
    </EmptyState>
  )
}
