import { Input, Segmented, Select } from 'antd'
import { type Names, optionsOf } from '../../api/use-names.ts'
import { presets, showRange, type UsageRange } from './usage-range.ts'
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

/** Which days and whose runs are shown. */
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
