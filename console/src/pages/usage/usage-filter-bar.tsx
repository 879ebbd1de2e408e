import { Input, Segmented, Select } from 'antd'
import { type Names, optionsOf, type UsageFilter } from '../../api/queries.ts'
import { navigate } from '../../ui/router.ts'
import { useUsageWords } from './usage-words.ts'

function RangeFields({ range }: { range: UsageRange }) {
  const words = useUsageWords()
  return (
    <>
      <Segmented
        aria-label={words.range}
        value={range.days ?? 0}
        options={[
          ...presets.map(value => ({ value: value as number, label: words.days(value) })),
          { value: 0, label: words.own },
        ]}
        onChange={days => showRange({ ...range, days: days === 0 ? undefined : days })}
      />
      {range.days === undefined && (
        <span className="usage-own">
          <Input
            type="date"
            aria-label={words.from}
            value={range.from}
            max={range.to}
            onChange={({ target }) => target.value && showRange({ ...range, from: target.value })}
          />
          <span aria-hidden="true">–</span>
          <Input
            type="date"
            aria-label={words.to}
            value={range.to}
            min={range.from}
            onChange={({ target }) => target.value && showRange({ ...range, to: target.value })}
          />
        </span>
      )}
    </>
  )
}

/** Filters by days, agent and workflow. */
export function UsageFilterBar({
  range,
  agents,
  workflows,
}: {
  range: UsageRange
  agents: Names
  workflows: Names
}) {
  const words = useUsageWords()
  return (
    <div className="usage-filter">
      <RangeFields range={range} />
      <Select
        allowClear
        showSearch={{ optionFilterProp: 'label' }}
        aria-label={words.agent}
        placeholder={words.allAgents}
        options={optionsOf(agents)}
        value={range.agentId ?? null}
        onChange={id => showRange({ ...range, agentId: id ?? undefined })}
      />
      <Select
        allowClear
        showSearch={{ optionFilterProp: 'label' }}
        aria-label={words.workflow}
        placeholder={words.allWorkflows}
        options={optionsOf(workflows)}
        value={range.workflowId ?? null}
        onChange={id => showRange({ ...range, workflowId: id ?? undefined })}
      />
    </div>
  )
}

const presets = [7, 30, 90] as const
const maxDays = 366

const dayMilliseconds = 86_400_000
const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** The range in the page's URL: a number of days up to today, or a custom range. */
interface UsageRange {
  /** Undefined for a custom range. */
  days: number | undefined
  from: string
  to: string
  agentId: string | undefined
  workflowId: string | undefined
}

export function readRange(query: URLSearchParams, now = Date.now()): UsageRange {
  const isDate = (text: string | null): text is string => text !== null && !Number.isNaN(Date.parse(text))
  const [from, to] = [query.get('from'), query.get('to')]
  const isOwn = isDate(from) && isDate(to)
  const days = presets.find(each => String(each) === query.get('days')) ?? 30
  return {
    days: isOwn ? undefined : days,
    from: isOwn ? from : dateOf(now - (days - 1) * dayMilliseconds),
    to: isOwn ? to : dateOf(now),
    agentId: query.get('agent') ?? undefined,
    workflowId: query.get('workflow') ?? undefined,
  }
}

export function isPossible({ from, to }: UsageRange): boolean {
  const span = (Date.parse(to) - Date.parse(from)) / dayMilliseconds
  return span >= 0 && span < maxDays
}

export const filterOf = ({ from, to, agentId, workflowId }: UsageRange): UsageFilter => ({
  from,
  to,
  ...(agentId !== undefined && { agent_id: agentId }),
  ...(workflowId !== undefined && { workflow_id: workflowId }),
})

/** Keeps the range in the URL, so that it can be shared and survives a reload. */
function showRange({ days, from, to, agentId, workflowId }: UsageRange): void {
  const query = new URLSearchParams({
    ...(days !== undefined ? { days: String(days) } : { from, to }),
    ...(agentId !== undefined && { agent: agentId }),
    ...(workflowId !== undefined && { workflow: workflowId }),
  })
  navigate(`#/usage?${query}`, { replace: true })
}
