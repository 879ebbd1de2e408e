import type { UsageDay } from '../../api/use-usage.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { ChartPanel, type Series } from './chart-panel.tsx'
import { labelled } from './chart-scale.ts'

const panelHeight = 120
const top = 10
const gap = 26
const bottom = top + 2 * panelHeight + gap

interface ChartDrawingProps {
  days: UsageDay[]
  /** One panel for each, one below the other. */
  panels: [Series[], Series[]]
  left: number
  width: number
  /** Width of the panels, and of a day in them. */
  inner: number
  slot: number
  chosen: number | undefined
}

export function ChartDrawing({ days, panels, left, width, inner, slot, chosen }: ChartDrawingProps) {
  const { compact, shortDay } = useFormats()
  const labels = labelled(days.length, inner)
  const measures = { left, width: inner, height: panelHeight, slot, compact }
  return (
    <svg width={width} height={bottom + 24} aria-hidden="true">
      {chosen !== undefined && (
        <rect className="chart-chosen" x={left + chosen * slot} width={slot} height={bottom} />
      )}
      <g transform={`translate(0 ${top})`}>
        <ChartPanel series={panels[0]} {...measures} />
      </g>
      <g transform={`translate(0 ${top + panelHeight + gap})`}>
        <ChartPanel series={panels[1]} {...measures} />
      </g>
      {days.map(({ date }, index) =>
        labels.has(index) ? (
          <text
            key={date}
            className="chart-day"
            // The label of the last day would hang over the edge.
            x={Math.min(left + (index + 0.5) * slot, width - 24)}
            y={bottom + 16}
            textAnchor="middle"
          >
            {shortDay(date)}
          </text>
        ) : null,
      )}
    </svg>
  )
}
