import { Table, type TableColumnsType } from 'antd'
import { WideTable } from '../../ui/wide-table.tsx'
import { useUsageWords } from './usage-words.ts'
import { useCountColumns } from './use-count-columns.tsx'
import { useFormats } from './use-formats.ts'
import type { UsageDay } from './use-usage.ts'

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
