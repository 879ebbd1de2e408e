import type { Series } from './chart-panel.tsx'

/** Which colour means what. */
export function ChartLegend({ series }: { series: Series[] }) {
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
