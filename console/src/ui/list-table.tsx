import { Table, type TableColumnType, type TablePaginationConfig, type TableProps } from 'antd'
import type { ReactNode } from 'react'
import { defineWords } from './words.ts'
import './list-table.css'

const useWords = defineWords({ actions: 'Actions' }, { actions: '操作' })

interface ListTableProps<Row> extends Omit<TableProps<Row>, 'pagination'> {
  /** The pager is below the table if there is more than one page. By default, pages have 20 rows. */
  pagination?: TablePaginationConfig | false
}

/**
 * The table of a list. It scrolls horizontally in a narrow window: Ant Design's own scrolling adds a hidden copy of the
 * header, which keyboard users would reach.
 */
export function ListTable<Row extends object>({ pagination, ...table }: ListTableProps<Row>) {
  const pages = { pageSize: 20, hideOnSinglePage: true, showSizeChanger: false }
  return (
    <div className="list-table">
      <Table size="middle" {...table} pagination={pagination !== false && { ...pages, ...pagination }} />
    </div>
  )
}

/** The last column: actions for the item of a row. */
export const actionsColumn = <Row,>(
  render: (row: Row) => ReactNode,
  width?: number | string,
): TableColumnType<Row> => ({
  title: <ActionsTitle />,
  key: 'actions',
  align: 'end',
  ...(width !== undefined && { width }),
  render: (_, row) => render(row),
})

function ActionsTitle() {
  return <span className="visually-hidden">{useWords().actions}</span>
}
