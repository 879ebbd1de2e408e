import { Input, Select } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useRunWords } from '../../editor/runs/run-status.tsx'
import type { RunStatus } from '../../editor/runs/run-view.ts'
import { useNames } from '../../editor/runs/use-names.ts'
import { useMay } from '../../session/use-session.ts'
import { PeriodFilter } from '../../ui/period-filter.tsx'
import { navigate, pathTo } from '../../ui/router.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { defineWords } from '../../ui/words.ts'

const useWords = defineWords(
  {
    filters: 'Filter runs',
    text: 'Question or answer',
    status: 'Status',
    workflow: 'Workflow',
    agent: 'Agent',
    user: 'User',
    period: 'Started',
    from: 'Started from',
    to: 'Started before',
    anyStatus: 'Any status',
    anyWorkflow: 'Any workflow',
    anyAgent: 'Any agent',
  },
  {
    filters: '筛选运行记录',
    text: '问题或回答',
    status: '状态',
    workflow: '工作流',
    agent: '智能体',
    user: '用户',
    period: '开始时间',
    from: '开始时间从',
    to: '开始时间早于',
    anyStatus: '全部状态',
    anyWorkflow: '全部工作流',
    anyAgent: '全部智能体',
  },
)

const statuses: readonly RunStatus[] = ['running', 'waiting', 'queued', 'succeeded', 'failed', 'stopped']

const isRunStatus = (text: string | null): text is RunStatus => statuses.some(status => status === text)

/** The filters that the URL may hold. */
export const filterNames = ['text', 'status', 'workflow', 'agent', 'user', 'from', 'to'] as const

/** A time of the browser's zone, as a date field writes it; undefined if it is none. */
const moment = (text: string | null): string | undefined => {
  const at = text ? new Date(text) : undefined
  return at && !Number.isNaN(at.getTime()) ? at.toISOString() : undefined
}

/** The filters of the URL in the form of the request. */
export function filterOf(query: URLSearchParams) {
  const status = query.get('status')
  const from = moment(query.get('from'))
  const to = moment(query.get('to'))
  return {
    ...(isRunStatus(status) && { status }),
    ...(query.get('workflow') && { id: query.get('workflow')! }),
    ...(query.get('agent') && { agent_id: query.get('agent')! }),
    ...(query.get('user') && { user_id: query.get('user')! }),
    ...(query.get('text') && { keyword: query.get('text')! }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  }
}

/** The filters are in the URL, so that it can be shared. */
export function showRuns(query: URLSearchParams, change: Record<string, string | undefined>): void {
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(change))
    if (value === undefined || value === '') next.delete(name)
    else next.set(name, value)
  const search = next.toString()
  navigate(`${pathTo('runs')}${search === '' ? '' : `?${search}`}`, { replace: true })
}

/** A text of the filter, which is applied when typing pauses. */
function TextFilter({ name, label, query }: { name: string; label: string; query: URLSearchParams }) {
  const applied = query.get(name) ?? ''
  const [text, setText] = useState(applied)
  const rested = useDebounced(text.trim())
  const shown = useRef(applied)
  useEffect(() => {
    if (applied !== shown.current) {
      // The filter changed because another URL was opened, not by typing here.
      shown.current = applied
      setText(applied)
    } else if (rested === text.trim() && rested !== applied) {
      shown.current = rested
      showRuns(query, { [name]: rested, page: undefined })
    }
  }, [rested, text, applied, query, name])
  return (
    <Input
      aria-label={label}
      placeholder={label}
      allowClear
      maxLength={100}
      value={text}
      onChange={({ target }) => setText(target.value)}
    />
  )
}

export function RunFilters({ query }: { query: URLSearchParams }) {
  const words = useWords()
  const runWords = useRunWords()
  const { workflows, agents } = useNames()
  const may = useMay()
  const filter = (name: string) => (value: string | undefined) =>
    showRuns(query, { [name]: value, page: undefined })
  const named = (items: readonly { id: string; name: string }[]) =>
    items.map(({ id, name }) => ({ value: id, label: name || id }))
  return (
    <search className="run-filters" aria-label={words.filters}>
      <TextFilter name="text" label={words.text} query={query} />
      <Select
        aria-label={words.status}
        placeholder={words.anyStatus}
        allowClear
        value={query.get('status') ?? undefined}
        options={statuses.map(value => ({ value, label: runWords[value] }))}
        onChange={filter('status')}
      />
      {may.read && (
        <Select
          aria-label={words.workflow}
          placeholder={words.anyWorkflow}
          allowClear
          showSearch={{ optionFilterProp: 'label' }}
          value={query.get('workflow') ?? undefined}
          options={named(workflows)}
          onChange={filter('workflow')}
        />
      )}
      <Select
        aria-label={words.agent}
        placeholder={words.anyAgent}
        allowClear
        showSearch={{ optionFilterProp: 'label' }}
        value={query.get('agent') ?? undefined}
        options={named(agents)}
        onChange={filter('agent')}
      />
      <TextFilter name="user" label={words.user} query={query} />
      <PeriodFilter
        from={query.get('from') ?? ''}
        to={query.get('to') ?? ''}
        labels={words}
        onChange={period => showRuns(query, { ...period, page: undefined })}
      />
    </search>
  )
}
