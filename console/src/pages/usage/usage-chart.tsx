import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { ChartPanel, type Series } from './chart-panel.tsx'
import { ChartReading } from './chart-reading.tsx'
import { labelled } from './chart-scale.ts'
import { useUsageWords } from './usage-words.ts'
import { useFormats } from './use-formats.ts'
import type { UsageDay } from './use-usage.ts'
import { useWidth } from './use-width.ts'
import './usage-chart.css'

const left = 52
const right = 8
const panelHeight = 120
const gap = 26

function useSeries(days: UsageDay[]): [Series[], Series[]] {
  const words = useUsageWords()
  return [
    [
      { name: words.succeeded, tone: 'good', values: days.map(({ runs, failures }) => runs - failures) },
      { name: words.failures, tone: 'bad', values: days.map(({ failures }) => failures) },
    ],
    [
      { name: words.promptTokens, tone: 'in', values: days.map(day => day.prompt_tokens) },
      { name: words.completionTokens, tone: 'out', values: days.map(day => day.completion_tokens) },
    ],
  ]
}

function Legend({ series }: { series: Series[] }) {
  return (
    <ul className="chart-legend small">
      {series.map(({ name, tone }) => (
        <li key={tone}>
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <rect className={`chart-${tone}`} width="10" height="10" rx="2" />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  )
}

/** Where the arrow keys lead from a day. */
function dayAfter(key: string, at: number, last: number): number | undefined {
  if (key === 'ArrowLeft' || key === 'ArrowDown') return Math.max(0, at - 1)
  if (key === 'ArrowRight' || key === 'ArrowUp') return Math.min(last, at + 1)
  if (key === 'Home') return 0
  return key === 'End' ? last : undefined
}

/** Runs above, tokens below, day by day; the day under the pointer or chosen with the keys is read out. */
export function UsageChart({ days }: { days: UsageDay[] }) {
  const words = useUsageWords()
  const formats = useFormats()
  const [element, width] = useWidth<HTMLDivElement>()
  const [chosen, setChosen] = useState<number>()
  const [runs, tokens] = useSeries(days)
  const inner = Math.max(0, width - left - right)
  const slot = inner / days.length
  const last = days.length - 1
  const at = chosen === undefined ? undefined : Math.min(chosen, last)
  const day = days[at ?? last]!
  const panel = { left, width: inner, height: panelHeight, slot, compact: formats.compact }
  const labels = labelled(days.length, inner)
  const point = (event: PointerEvent<HTMLDivElement>): void => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left - left
    setChosen(Math.max(0, Math.min(last, Math.floor(x / slot))))
  }
  const press = (event: KeyboardEvent): void => {
    const next = dayAfter(event.key, at ?? last, last)
    if (next === undefined) return
    event.preventDefault()
    setChosen(next)
  }
  const series = [...runs, ...tokens]
  const told = series.map(({ name, values }) => `${name} ${formats.number(values[at ?? last]!)}`)
  return (
    <>
      <Legend series={series} />
      <div
        ref={element}
        className="chart"
        role="slider"
        tabIndex={0}
        aria-label={words.chartName}
        aria-valuemin={1}
        aria-valuemax={days.length}
        aria-valuenow={(at ?? last) + 1}
        aria-valuetext={`${formats.longDay(day.date)}: ${told.join(', ')}`}
        onPointerMove={point}
        onPointerLeave={() => setChosen(undefined)}
        onFocus={() => setChosen(at ?? last)}
        onBlur={() => setChosen(undefined)}
        onKeyDown={press}
      >
        <svg width={width} height={2 * panelHeight + gap + 30} aria-hidden="true">
          {at !== undefined && (
            <rect
              className="chart-chosen"
              x={left + at * slot}
              width={slot}
              height={2 * panelHeight + gap + 10}
            />
          )}
          <g transform="translate(0 10)">
            <ChartPanel series={runs} {...panel} />
          </g>
          <g transform={`translate(0 ${10 + panelHeight + gap})`}>
            <ChartPanel series={tokens} {...panel} />
          </g>
          {days.map(({ date }, index) =>
            labels.has(index) ? (
              <text
                key={date}
                className="chart-day"
                x={Math.min(left + (index + 0.5) * slot, width - 24)}
                y={2 * panelHeight + gap + 26}
                textAnchor="middle"
              >
                {formats.shortDay(date)}
              </text>
            ) : null,
          )}
        </svg>
        {at !== undefined && (
          <ChartReading day={day} series={series} at={at} x={left + (at + 0.5) * slot} width={width} />
        )}
      </div>
    </>
  )
}
