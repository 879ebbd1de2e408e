import { DeleteOutlined, DownloadOutlined } from '@ant-design/icons'
import { Button, Table, type TableColumnsType } from 'antd'
import type { Key } from 'react'
import { saveFile } from '../../api/save-file.ts'
import { useMay } from '../../session/use-session.ts'
import { ByteSize } from '../../ui/byte-size.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { useFailureToast } from '../../ui/failure.tsx'
import { kindOfFile } from '../../ui/file-kind.ts'
import { actionsColumn } from '../../ui/list-table.tsx'
import { shownTotal } from '../../ui/shown-total.ts'
import { type Fitting, useFittingColumns } from '../../ui/use-fitting-columns.ts'
import { When } from '../../ui/when.tsx'
import { useFileWords } from './file-words.ts'
import type { FileView, StoredFile } from './use-files.ts'

interface FilesTableProps {
  files: StoredFile[]
  total: number
  isCapped: boolean
  view: FileView
  onView: (view: FileView) => void
  selected: StoredFile[]
  onSelect: (files: StoredFile[]) => void
  onPreview: (file: StoredFile) => void
  onDelete: (files: StoredFile[]) => void
}

function FileActions({ file, onDelete }: { file: StoredFile; onDelete: () => void }) {
  const words = useFileWords()
  const may = useMay()
  const showFailure = useFailureToast()
  return (
    <span className="file-actions">
      <CopyButton size="small" text={file.file_id} label={words.copyId} />
      <Button
        type="text"
        size="small"
        icon={<DownloadOutlined />}
        aria-label={words.downloadNamed(file.name)}
        title={words.download}
        onClick={() => saveFile(file.file_id, file.name).catch(showFailure)}
      />
      {may.write && (
        <Button
          type="text"
          size="small"
          icon={<DeleteOutlined />}
          aria-label={words.deleteNamed(file.name)}
          title={words.delete}
          onClick={onDelete}
        />
      )}
    </span>
  )
}

function useColumns({
  view,
  onPreview,
  onDelete,
}: FilesTableProps): Fitting<TableColumnsType<StoredFile>[number]>[] {
  const words = useFileWords()
  const sorted = (sort: FileView['sort']) => ({
    key: sort,
    sorter: true,
    sortOrder: view.sort !== sort ? null : view.order === 'asc' ? ('ascend' as const) : ('descend' as const),
  })
  return [
    {
      ...sorted('name'),
      title: words.name,
      dataIndex: 'name',
      render: (name: string, file) => (
        <button
          type="button"
          className="file-name"
          aria-label={words.preview(name)}
          onClick={() => onPreview(file)}
        >
          {name}
        </button>
      ),
    },
    {
      title: words.type,
      dataIndex: 'mime_type',
      width: 110,
      from: 720,
      render: (type: string, { name }) => (
        <span className="soft" title={type}>
          {kindOfFile(name, type)}
        </span>
      ),
    },
    {
      ...sorted('size'),
      title: words.size,
      dataIndex: 'size',
      width: 100,
      from: 480,
      align: 'end',
      render: (size: number) => <ByteSize bytes={size} />,
    },
    {
      ...sorted('created_at'),
      title: words.uploaded,
      dataIndex: 'created_at',
      width: 140,
      from: 540,
      render: (time: string) => <When time={time} />,
    },
    actionsColumn(file => <FileActions file={file} onDelete={() => onDelete([file])} />, 120),
  ]
}

export function FilesTable(props: FilesTableProps) {
  const { files, total, isCapped, view, onView, selected, onSelect } = props
  const words = useFileWords()
  const may = useMay()
  const { container, columns } = useFittingColumns(useColumns(props))
  return (
    <div ref={container}>
      <Table
        rowKey="file_id"
        size="middle"
        columns={columns}
        dataSource={files}
        sortDirections={['ascend', 'descend', 'ascend']}
        {...(may.write && {
          rowSelection: {
            selectedRowKeys: selected.map(({ file_id }) => file_id) as Key[],
            preserveSelectedRowKeys: true,
            getCheckboxProps: ({ name }: StoredFile) => ({ 'aria-label': name }),
            onChange: (_, rows: StoredFile[]) => onSelect(rows),
          },
        })}
        pagination={{
          current: view.page,
          pageSize: view.pageSize,
          total,
          showSizeChanger: true,
          pageSizeOptions: [20, 50, 100],
          hideOnSinglePage: total <= 20,
          showTotal: () => words.total(shownTotal({ total, total_capped: isCapped })),
        }}
        onChange={(page, _, sorter, { action }) => {
          const { columnKey, order } = Array.isArray(sorter) ? sorter[0]! : sorter
          onView({
            ...view,
            page: action === 'paginate' ? (page.current ?? 1) : 1,
            pageSize: page.pageSize ?? view.pageSize,
            ...(action === 'sort' && {
              sort: (columnKey as FileView['sort'] | undefined) ?? view.sort,
              order: order === 'ascend' ? 'asc' : 'desc',
            }),
          })
        }}
      />
    </div>
  )
}
