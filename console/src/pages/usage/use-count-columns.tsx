import type { TableColumnsType } from 'antd'
import type { Counts } from '../../api/use-usage.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { useUsageWords } from './usage-words.ts'

/** Columns that all tables of usage share, each sortable. */
export function useCountColumns<Row extends Counts>(): TableColumnsType<Row> {
  const words = useUsageWords()
  const { number, duration } = useFormats()
  const column = (title: string, key: keyof Counts, show: (value: number) => string) => ({
    title,
    key,
    align: 'end' as const,
    sorter: (one: Row, other: Row) => one[key] - other[key],
    render: (_: unknown, row: Row) => show(row[key]),
  })
  return [
    column(words.runs, 'runs', number),
    column(words.failures, 'failures', number),
    column(words.promptTokens, 'prompt_tokens', number),
    column(words.completionTokens, 'completion_tokens', number),
    column(words.time, 'elapsed_ms', duration),
  ]
}
