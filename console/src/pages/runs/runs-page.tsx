import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Button, Select } from 'antd'
import { call } from '../../api/call.ts'
import { useRunWords } from '../../editor/runs/run-status.tsx'
import { RunTable } from '../../editor/runs/run-table.tsx'
import { isSettled, type RunStatus } from '../../editor/runs/run-view.ts'
import { useNames } from '../../editor/runs/use-names.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { navigate, pathTo } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'
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
    loosen: 'No run has this status, workflow and agent.',
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
    loosen: '没有符合所选状态、工作流和智能体的运行。',
    clear: '显示全部运行',
  },
)

const pageSize = 20
const refreshMilliseconds = 2000

function useRuns(query: URLSearchParams) {
  const status = query.get('status')
  const filter = {
    ...(isRunStatus(status) && { status }),
    ...(query.get('workflow') && { id: query.get('workflow')! }),
    ...(query.get('agent') && { agent_id: query.get('agent')! }),
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

/** The history of all runs. */
export function RunsPage({ query }: { query: URLSearchParams }) {
  const words = useWords()
  const runs = useRuns(query)
  const isFiltered = ['status', 'workflow', 'agent'].some(name => query.has(name))
  const isEmpty = runs.data?.total === 0
  return (
    <Page title={words.title} about={words.about}>
      {(isFiltered || !isEmpty) && <RunFilters query={query} />}
      {runs.isError && <Failure error={runs.error} onRetry={() => runs.refetch()} />}
      {runs.isPending && <Loading />}
      {isEmpty && <NoRuns isFiltered={isFiltered} />}
      {runs.data && !isEmpty && (
        <RunTable page={runs.data} onPage={page => showRuns(query, { page: String(page) })} />
      )}
    </Page>
  )
}

function NoRuns({ isFiltered }: { isFiltered: boolean }) {
  const words = useWords()
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
        <>
          <Button type="primary" href={pathTo('workflows')}>
            {words.workflows}
          </Button>
          <Button href={pathTo('agents')}>{words.agents}</Button>
        </>
      }
    >
      {words.next}
    </EmptyState>
  )
}

const useRunFiltersWords = defineWords(
  {
    filters: 'Filter runs',
    status: 'Status',
    workflow: 'Workflow',
    agent: 'Agent',
    anyStatus: 'Any status',
    anyWorkflow: 'Any workflow',
    anyAgent: 'Any agent',
  },
  {
    filters: '筛选运行记录',
    status: '状态',
    workflow: '工作流',
    agent: '智能体',
    anyStatus: '全部状态',
    anyWorkflow: '全部工作流',
    anyAgent: '全部智能体',
  },
)

const statuses: readonly RunStatus[] = ['running', 'waiting', 'queued', 'succeeded', 'failed', 'stopped']

/** The filters are in the URL, so that it can be shared. */
function showRuns(query: URLSearchParams, change: Record<string, string | undefined>): void {
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(change))
    if (value === undefined || value === '') next.delete(name)
    else next.set(name, value)
  const search = next.toString()
  navigate(`${pathTo('runs')}${search === '' ? '' : `?${search}`}`, { replace: true })
}

const isRunStatus = (text: string | null): text is RunStatus => statuses.some(status => status === text)

function RunFilters({ query }: { query: URLSearchParams }) {
  const words = useRunFiltersWords()
  const runWords = useRunWords()
  const { workflows, agents } = useNames()
  const filter = (name: string) => (value: string | undefined) =>
    showRuns(query, { [name]: value, page: undefined })
  const named = (items: readonly { id: string; name: string }[]) =>
    items.map(({ id, name }) => ({ value: id, label: name || id }))
  return (
    <search className="run-filters" aria-label={words.filters}>
      <Select
        aria-label={words.status}
        placeholder={words.anyStatus}
        allowClear
        value={query.get('status') ?? undefined}
        options={statuses.map(value => ({ value, label: runWords[value] }))}
        onChange={filter('status')}
      />
      <Select
        aria-label={words.workflow}
        placeholder={words.anyWorkflow}
        allowClear
        showSearch={{ optionFilterProp: 'label' }}
        value={query.get('workflow') ?? undefined}
        options={named(workflows)}
        onChange={filter('workflow')}
      />
      <Select
        aria-label={words.agent}
        placeholder={words.anyAgent}
        allowClear
        showSearch={{ optionFilterProp: 'label' }}
        value={query.get('agent') ?? undefined}
        options={named(agents)}
        onChange={filter('agent')}
      />
    </search>
  )
}
