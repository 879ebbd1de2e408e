import type { TableColumnsType } from 'antd'
import type { Counts, Names, UsageDay } from '../../api/queries.ts'
import { formatDuration } from '../../ui/format-duration.ts'
import { ListTable } from '../../ui/list-table.tsx'
import { pathTo } from '../../ui/router.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { useUsageWords } from './usage-words.ts'

interface Row extends Counts {
  id: string
}

interface ShareTableProps {
  title: string
  rows: Row[]
  names: Names
  /** The label of runs without an agent or workflow. */
  without: string
  folder: 'agents' | 'workflows'
}

/** Usage by agent or workflow. */
export function ShareTable({ title, rows, names, without, folder }: ShareTableProps) {
  const words = useUsageWords()
  const nameOf = (id: string): string =>
    id === '' ? without : (names?.get(id) ?? (names ? words.deleted(id) : id))
  const columns: TableColumnsType<Row> = [
    {
      title,
      dataIndex: 'id',
      sorter: (one, other) => nameOf(one.id).localeCompare(nameOf(other.id)),
      render: (id: string) =>
        names?.has(id) ? (
          <a href={pathTo(folder, id)}>{nameOf(id)}</a>
        ) : (
          <span className="soft">{nameOf(id)}</span>
        ),
    },
    ...useCountColumns(rows),
  ]
  return (
    <section className="usage-card" aria-label={title}>
      <ListTable rowKey="id" size="small" columns={columns} dataSource={rows} pagination={false} />
      {rows.length >= 20 && <p className="soft small">{words.most}</p>}
    </section>
  )
}

/** The numbers of the chart, newest day first. */
export function DaysTable({ days }: { days: UsageDay[] }) {
  const words = useUsageWords()
  const { longDay } = useFormats()
  const columns: TableColumnsType<UsageDay> = [
    {
      title: words.day,
      dataIndex: 'date',
      defaultSortOrder: 'descend',
      sorter: (one, other) => one.date.localeCompare(other.date),
      render: longDay,
    },
    ...useCountColumns(days),
  ]
  return (
    <ListTable rowKey="date" size="small" columns={columns} dataSource={days} pagination={{ pageSize: 31 }} />
  )
}

/** Sortable columns that all usage tables share. The cost is left out if no model has a price. */
function useCountColumns<Row extends Counts>(rows: readonly Row[]): TableColumnsType<Row> {
  const words = useUsageWords()
  const { number, amount } = useFormats()
  const hasCost = rows.some(({ cost }) => cost > 0)
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
    ...(hasCost ? [column(words.cost, 'cost', amount)] : []),
    column(words.runTime, 'elapsed_ms', formatDuration),
  ]
}
