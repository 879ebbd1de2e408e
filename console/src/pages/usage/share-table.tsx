import { Table, type TableColumnsType } from 'antd'
import type { Names } from '../../api/use-names.ts'
import type { Counts } from '../../api/use-usage.ts'
import { pathTo } from '../../ui/router.ts'
import { WideTable } from '../../ui/wide-table.tsx'
import { useUsageWords } from './usage-words.ts'
import { useCountColumns } from './use-count-columns.tsx'

interface Row extends Counts {
  id: string
}

interface ShareTableProps {
  title: string
  rows: Row[]
  names: Names
  /** What runs that belong to none are called. */
  without: string
  folder: 'agents' | 'workflows'
}

/** Who used how much, by name. */
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
    ...useCountColumns<Row>(),
  ]
  return (
    <section className="usage-card" aria-label={title}>
      <WideTable>
        <Table rowKey="id" size="small" columns={columns} dataSource={rows} pagination={false} />
      </WideTable>
      {rows.length >= 20 && <p className="soft small">{words.most}</p>}
    </section>
  )
}
