import { marksUpTo } from './chart-scale.ts'

export interface Series {
  name: string
  /** Says which colour it has. */
  tone: 'good' | 'bad' | 'in' | 'out'
  values: number[]
}

interface ChartPanelProps {
  series: Series[]
  left: number
  width: number
  height: number
  /** Width of a day, gaps included. */
  slot: number
  compact: (value: number) => string
}

/** Stacked bars, one for each day. */
export function ChartPanel({ series, left, width, height, slot, compact }: ChartPanelProps) {
  const count = series[0]?.values.length ?? 0
  const sums = Array.from({ length: count }, (_, day) =>
    series.reduce((sum, { values }) => sum + values[day]!, 0),
  )
  const marks = marksUpTo(Math.max(0, ...sums))
  const most = marks.at(-1)!
  const heightOf = (value: number): number => (value / most) * height
  const bar = Math.max(1, Math.min(slot * 0.68, 28))
  return (
    <>
      {marks.map(mark => (
        <g key={mark} className="chart-mark" transform={`translate(0 ${height - heightOf(mark)})`}>
          <line x1={left} x2={left + width} />
          <text x={left - 8} dy="0.32em" textAnchor="end">
            {compact(mark)}
          </text>
        </g>
      ))}
      {sums.map((_, day) => {
        let top = height
        return series.map(({ tone, values }) => {
          const tall = heightOf(values[day]!)
          top -= tall
          return tall === 0 ? null : (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a day is its place
              key={`${tone} ${day}`}
              className={`chart-${tone}`}
              x={left + day * slot + (slot - bar) / 2}
              y={top}
              width={bar}
              height={tall}
            />
          )
        })
      })}
    </>
  )
}
