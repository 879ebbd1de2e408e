import { Table, type TableColumnsType } from 'antd'
import type { UsageDay } from '../../api/use-usage.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { WideTable } from '../../ui/wide-table.tsx'
import { useUsageWords } from './usage-words.ts'
import { useCountColumns } from './use-count-columns.tsx'

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
    ...useCountColumns<UsageDay>(),
  ]
  return (
    <WideTable>
      <Table
        rowKey="date"
        size="small"
        columns={columns}
        dataSource={days}
        pagination={{ defaultPageSize: 31, hideOnSinglePage: true, showSizeChanger: false }}
      />
    </WideTable>
  )
}
