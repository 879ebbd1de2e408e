import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { UsageDay } from '../../api/queries.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { useUsageWords } from './usage-words.ts'
import './usage-chart.css'

/** Space for the axis labels. */
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

/** Runs above, tokens below, by day; the hovered day, or the one selected by keyboard, is read out. */
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
  const values = series.map(({ name, values }) => `${name} ${number(values[read]!)}`)
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
        aria-valuetext={`${longDay(day.date)}: ${values.join(', ')}`}
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

/** The current width of an element. */
function useWidth<Found extends Element>(): [RefObject<Found | null>, number] {
  const element = useRef<Found>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    if (!element.current) return
    const watcher = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)))
    watcher.observe(element.current)
    return () => watcher.disconnect()
  }, [])
  return [element, width]
}

/** The legend of the colours. */
function ChartLegend({ series }: { series: Series[] }) {
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

interface ChartReadingProps {
  day: UsageDay
  series: Series[]
  at: number
  /** The centre of the day, and the available width. */
  x: number
  width: number
}

/** The numbers of one day, shown beside it; screen readers get them from the chart itself. */
function ChartReading({ day, series, at, x, width }: ChartReadingProps) {
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

/** The day that a key leads to. */
function dayAfter(key: string, at: number, last: number): number | undefined {
  if (key === 'ArrowLeft' || key === 'ArrowDown') return Math.max(0, at - 1)
  if (key === 'ArrowRight' || key === 'ArrowUp') return Math.min(last, at + 1)
  if (key === 'Home') return 0
  return key === 'End' ? last : undefined
}

/** The day below the pointer or selected by keyboard; otherwise the last day is read out. */
function useChosenDay(count: number, { left, slot }: { left: number; slot: number }) {
  const [chosen, setChosen] = useState<number>()
  const last = count - 1
  const shown = chosen === undefined ? undefined : Math.min(chosen, last)
  const read = shown ?? last
  return {
    shown,
    read,
    handlers: {
      onPointerMove: (event: PointerEvent<HTMLElement>): void => {
        const x = event.clientX - event.currentTarget.getBoundingClientRect().left - left
        setChosen(Math.max(0, Math.min(last, Math.floor(x / slot))))
      },
      onPointerLeave: (): void => setChosen(undefined),
      onFocus: (): void => setChosen(read),
      onBlur: (): void => setChosen(undefined),
      onKeyDown: (event: KeyboardEvent): void => {
        const next = dayAfter(event.key, read, last)
        if (next === undefined) return
        event.preventDefault()
        setChosen(next)
      },
    },
  }
}

const panelHeight = 120
const top = 10
const gap = 26
const bottom = top + 2 * panelHeight + gap

interface ChartDrawingProps {
  days: UsageDay[]
  /** One panel for each series, stacked vertically. */
  panels: [Series[], Series[]]
  left: number
  width: number
  /** Width of the panels, and of a day in them. */
  inner: number
  slot: number
  chosen: number | undefined
}

function ChartDrawing({ days, panels, left, width, inner, slot, chosen }: ChartDrawingProps) {
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
            // The label of the last day would overflow the edge.
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

/** Round axis ticks from 0 to at least the maximum: 0, 5, 10, 15. */
function marksUpTo(greatest: number, most = 4): number[] {
  const rough = Math.max(greatest, 1) / most
  const power = 10 ** Math.floor(Math.log10(rough))
  // Counts are integers.
  const step = Math.max(1, [1, 2, 5, 10].map(each => each * power).find(each => each >= rough - 1e-9)!)
  const count = Math.max(1, Math.ceil(Math.max(greatest, 1) / step))
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

/** Which days get a label, so that labels do not overlap: always the last one. */
const labelled = (count: number, width: number, labelWidth = 64): Set<number> => {
  const every = Math.max(1, Math.ceil((count * labelWidth) / Math.max(width, 1)))
  const found = new Set<number>()
  for (let index = count - 1; index >= 0; index -= every) found.add(index)
  return found
}

interface Series {
  name: string
  /** Selects the colour of the series. */
  tone: 'good' | 'bad' | 'in' | 'out'
  values: number[]
}

interface ChartPanelProps {
  series: Series[]
  left: number
  width: number
  height: number
  /** Width of a day, including gaps. */
  slot: number
  compact: (value: number) => string
}

/** Stacked bars, one for each day. */
function ChartPanel({ series, left, width, height, slot, compact }: ChartPanelProps) {
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
