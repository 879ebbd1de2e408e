import { Select } from 'antd'
import type { RunStatus } from '../../editor/runs/run-view.ts'
import { useRunWords } from '../../editor/runs/run-words.ts'
import { navigate, pathTo } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'
import { useNames } from './use-names.ts'

const useWords = defineWords(
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

/** Which runs are looked at stands in the address, so that it can be sent to somebody. */
export function showRuns(query: URLSearchParams, change: Record<string, string | undefined>): void {
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(change))
    if (value === undefined || value === '') next.delete(name)
    else next.set(name, value)
  const search = next.toString()
  navigate(`${pathTo('runs')}${search === '' ? '' : `?${search}`}`, { replace: true })
}

export const isRunStatus = (text: string | null): text is RunStatus =>
  statuses.some(status => status === text)

export function RunFilters({ query }: { query: URLSearchParams }) {
  const words = useWords()
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
