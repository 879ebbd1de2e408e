import type { UsageDay } from '../../api/use-usage.ts'
import { useFormats } from '../../ui/use-formats.ts'
import type { Series } from './chart-panel.tsx'

interface ChartReadingProps {
  day: UsageDay
  series: Series[]
  at: number
  /** Middle of the day, and how much room there is. */
  x: number
  width: number
}

/** The numbers of one day beside it; the chart itself tells them to a screen reader. */
export function ChartReading({ day, series, at, x, width }: ChartReadingProps) {
  const { longDay, number } = useFormats()
  const isRight = x > width / 2
  return (
    <div
      className="chart-reading small"
      aria-hidden="true"
      style={isRight ? { right: width - x + 16 } : { left: x + 16 }}
    >
      <strong>{longDay(day.date)}</strong>
      {series.map(({ name, tone, values }) => (
        <div key={tone}>
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <rect className={`chart-${tone}`} width="10" height="10" rx="2" />
          </svg>
          <span>{name}</span>
          <span className="chart-number">{number(values[at]!)}</span>
        </div>
      ))}
    </div>
  )
}
