import type { UsageDay } from '../../api/use-usage.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { ChartDrawing } from './chart-drawing.tsx'
import { ChartLegend } from './chart-legend.tsx'
import type { Series } from './chart-panel.tsx'
import { ChartReading } from './chart-reading.tsx'
import { useUsageWords } from './usage-words.ts'
import { useChosenDay } from './use-chosen-day.ts'
import { useWidth } from './use-width.ts'
import './usage-chart.css'

/** Room for the numbers beside the panels. */
const left = 52
const right = 8

function usePanels(days: UsageDay[]): [Series[], Series[]] {
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

/** Runs above, tokens below, day by day; the day under the pointer or chosen with the keys is read out. */
export function UsageChart({ days }: { days: UsageDay[] }) {
  const words = useUsageWords()
  const { longDay, number } = useFormats()
  const [element, width] = useWidth<HTMLDivElement>()
  const panels = usePanels(days)
  const inner = Math.max(0, width - left - right)
  const slot = inner / days.length
  const { shown, read, handlers } = useChosenDay(days.length, { left, slot })
  const series = panels.flat()
  const day = days[read]!
  const told = series.map(({ name, values }) => `${name} ${number(values[read]!)}`)
  return (
    <>
      <ChartLegend series={series} />
      <div
        ref={element}
        className="chart"
        role="slider"
        tabIndex={0}
        aria-label={words.chartName}
        aria-valuemin={1}
        aria-valuemax={days.length}
        aria-valuenow={read + 1}
        aria-valuetext={`${longDay(day.date)}: ${told.join(', ')}`}
        {...handlers}
      >
        <ChartDrawing
          days={days}
          panels={panels}
          left={left}
          width={width}
          inner={inner}
          slot={slot}
          chosen={shown}
        />
        {shown !== undefined && (
          <ChartReading day={day} series={series} at={shown} x={left + (shown + 0.5) * slot} width={width} />
        )}
      </div>
    </>
  )
}
