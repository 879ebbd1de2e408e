import { Alert, Button, Segmented } from 'antd'
import { useState } from 'react'
import {
  type Counts,
  type Names,
  type Usage,
  useAgentNames,
  useUsage,
  useWorkflowNames,
} from '../../api/queries.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryFailure } from '../../ui/failure.tsx'
import { formatDuration } from '../../ui/format-duration.ts'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import type { PageProps } from '../page-props.ts'
import { UsageChart } from './usage-chart.tsx'
import { filterOf, isPossible, readRange, UsageFilterBar } from './usage-filter-bar.tsx'
import { UsageQuotas } from './usage-quotas.tsx'
import { DaysTable, ShareTable } from './usage-tables.tsx'
import { useUsageWords } from './usage-words.ts'
import './usage-page.css'

export function UsagePage({ query }: PageProps) {
  const words = useUsageWords()
  const range = readRange(query)
  const usage = useUsage(filterOf(range))
  const agents = useAgentNames()
  const workflows = useWorkflowNames()
  return (
    <Page title={words.title} about={words.about}>
      <UsageFilterBar range={range} agents={agents} workflows={workflows} />
      {!isPossible(range) ? (
        <Alert type="warning" showIcon title={words.tooLong} />
      ) : (
        <>
          {usage.isError && <QueryFailure query={usage} />}
          {usage.isPending && <Loading />}
          {usage.data && <Shown usage={usage.data} agents={agents} workflows={workflows} />}
          {usage.data && <UsageQuotas quotas={usage.data.quotas} />}
        </>
      )}
    </Page>
  )
}

function Shown({ usage, agents, workflows }: { usage: Usage; agents: Names; workflows: Names }) {
  const words = useUsageWords()
  const [view, setView] = useState<'chart' | 'table'>('chart')
  if (usage.totals.runs === 0)
    return (
      <EmptyState title={words.emptyTitle} actions={<Button href="#/agents">{words.toAgents}</Button>}>
        {words.empty}
      </EmptyState>
    )
  const byAgent = usage.by_agent.map(({ agent_id, ...counts }) => ({ id: agent_id, ...counts }))
  const byWorkflow = usage.by_workflow.map(({ workflow_id, ...counts }) => ({ id: workflow_id, ...counts }))
  return (
    <>
      <UsageTiles totals={usage.totals} />
      <section className="usage-card" aria-label={words.byDay}>
        <div className="usage-card-head">
          <h2>{words.byDay}</h2>
          <Segmented
            size="small"
            aria-label={words.view}
            value={view}
            options={[
              { value: 'chart', label: words.chart },
              { value: 'table', label: words.table },
            ]}
            onChange={setView}
          />
        </div>
        {view === 'chart' ? <UsageChart days={usage.days} /> : <DaysTable days={usage.days} />}
      </section>
      <div className="usage-shares">
        <ShareTable
          title={words.byAgent}
          rows={byAgent}
          names={agents}
          without={words.noAgent}
          folder="agents"
        />
        <ShareTable
          title={words.byWorkflow}
          rows={byWorkflow}
          names={workflows}
          without={words.noWorkflow}
          folder="workflows"
        />
      </div>
    </>
  )
}

/** Totals of all days. */
function UsageTiles({ totals }: { totals: Counts }) {
  const words = useUsageWords()
  const formats = useFormats()
  const { runs, failures, prompt_tokens, completion_tokens, cost, elapsed_ms } = totals
  const tokens = prompt_tokens + completion_tokens
  const tiles = [
    { name: words.runs, value: formats.number(runs), more: '' },
    {
      name: words.failures,
      value: formats.number(failures),
      more: words.failureRate(formats.share(failures / runs)),
    },
    {
      name: words.tokens,
      value: formats.number(tokens),
      more: words.tokensPerRun(formats.number(Math.round(tokens / runs))),
    },
    { name: words.promptTokens, value: formats.number(prompt_tokens), more: '' },
    { name: words.completionTokens, value: formats.number(completion_tokens), more: '' },
    ...(cost > 0 ? [{ name: words.cost, value: formats.amount(cost), more: words.costAbout }] : []),
    {
      name: words.time,
      value: formatDuration(elapsed_ms),
      more: words.timePerRun(formatDuration(elapsed_ms / runs)),
    },
  ]
  return (
    <dl className="usage-tiles">
      {tiles.map(({ name, value, more }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="usage-value">{value}</dd>
          {more !== '' && <dd className="soft small">{more}</dd>}
        </div>
      ))}
    </dl>
  )
}
