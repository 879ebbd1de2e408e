import { Input, Select } from 'antd'
import { useState } from 'react'
import { defineWords } from './words.ts'
import './period-filter.css'

const useWords = defineWords(
  {
    any: 'Any time',
    hour: 'Last hour',
    day: 'Last 24 hours',
    week: 'Last 7 days',
    month: 'Last 30 days',
    custom: 'Custom range',
  },
  {
    any: '全部时间',
    hour: '最近 1 小时',
    day: '最近 24 小时',
    week: '最近 7 天',
    month: '最近 30 天',
    custom: '自定义',
  },
)

const hours = { hour: 1, day: 24, week: 7 * 24, month: 30 * 24 }
const choices = ['any', 'hour', 'day', 'week', 'month', 'custom'] as const
type Choice = (typeof choices)[number]

/** A time of the browser's zone, as a date field writes it. */
function hoursAgo(count: number): string {
  const at = new Date(Date.now() - count * 3_600_000)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

interface PeriodFilterProps {
  /** The ends of the period as date fields write them; empty if open. */
  from: string
  to: string
  labels: { period: string; from: string; to: string }
  onChange(period: { from: string; to: string }): void
}

/** A period of time: one of the presets, or with a beginning and an end. */
export function PeriodFilter({ from, to, labels, onChange }: PeriodFilterProps) {
  const words = useWords()
  const isOpen = from === '' && to === ''
  /** A preset stays selected as long as the filter has its beginning. */
  const [last, setLast] = useState<{ choice: Choice; from: string }>({
    choice: isOpen ? 'any' : 'custom',
    from,
  })
  const isLast = last.choice === 'custom' ? isOpen : last.from === from && to === ''
  const chosen = isLast ? last.choice : isOpen ? 'any' : 'custom'
  const time = (name: 'from' | 'to', value: string) => (
    <Input
      type="datetime-local"
      aria-label={labels[name]}
      title={labels[name]}
      value={value}
      onChange={({ target }) => {
        setLast({ choice: 'custom', from })
        onChange({ from, to, [name]: target.value })
      }}
    />
  )
  return (
    <>
      <Select<Choice>
        className="period-choice"
        aria-label={labels.period}
        placeholder={words.any}
        value={chosen === 'any' ? undefined : chosen}
        options={choices.map(value => ({ value, label: words[value] }))}
        onChange={next => {
          const begin = next === 'any' ? '' : next === 'custom' ? from : hoursAgo(hours[next])
          setLast({ choice: next, from: begin })
          if (next !== 'custom') onChange({ from: begin, to: '' })
        }}
      />
      {chosen === 'custom' && (
        <span className="period-range">
          {time('from', from)}
          <span aria-hidden="true">–</span>
          {time('to', to)}
        </span>
      )}
    </>
  )
}
