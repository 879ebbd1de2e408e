import { Table, type TableColumnsType } from 'antd'
import { ByteSize } from '../../ui/byte-size.tsx'
import { kindOfFile } from '../../ui/file-kind.ts'
import { actionsColumn } from '../../ui/list-table.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { navigate, pathTo } from '../../ui/router.ts'
import { shownTotal } from '../../ui/shown-total.ts'
import { type Fitting, useFittingColumns } from '../../ui/use-fitting-columns.ts'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'
import { DocumentButtons } from './document-buttons.tsx'
import { DocumentState, FailureOfDocument, MetadataTags } from './document-state.tsx'
import { DocumentWarnings } from './document-warnings.tsx'
import type { KnowledgeBase, KnowledgeDocument } from './use-knowledge.ts'

const useWords = defineWords(
  {
    name: 'Name',
    type: 'Type',
    size: 'Size',
    status: 'Status',
    chunks: 'Passages',
    added: 'Added',
    select: (name: string) => `Select ${name}`,
    selectAll: 'Select all on this page',
    total: (count: string) => `${count} in total`,
  },
  {
    name: '名称',
    type: '类型',
    size: '大小',
    status: '状态',
    chunks: '段落',
    added: '添加时间',
    select: (name: string) => `选择 ${name}`,
    selectAll: '选择本页全部',
    total: (count: string) => `共 ${count} 个`,
  },
)

interface DocumentsTableProps {
  base: KnowledgeBase
  items: readonly KnowledgeDocument[]
  paging: { page: number; pageSize: number; total: number; total_capped: boolean }
  onPage: (page: number) => void
  selected: string[]
  /** No selection without actions. */
  onSelect?: (ids: string[]) => void
}

export function DocumentsTable({ base, items, paging, onPage, selected, onSelect }: DocumentsTableProps) {
  const words = useWords()
  const hrefOf = (fileId: string) => pathTo('knowledge', base.knowledge_id, 'documents', fileId)
  const all: Fitting<TableColumnsType<KnowledgeDocument>[number]>[] = [
    {
      key: 'name',
      title: words.name,
      render: (_, document) => (
        <div className="kb-document-name">
          <a href={hrefOf(document.file_id)}>{document.name}</a>
          {document.source_url !== null && <PageLink url={document.source_url} />}
          <FailureOfDocument document={document} />
          <DocumentWarnings document={document} />
          <MetadataTags metadata={document.metadata} />
        </div>
      ),
    },
    {
      key: 'type',
      title: words.type,
      width: 100,
      from: 860,
      render: (_, { name, mime_type }) => kindOfFile(name, mime_type),
    },
    {
      key: 'size',
      title: words.size,
      width: 90,
      from: 780,
      align: 'right',
      render: (_, { size }) => <ByteSize bytes={size} />,
    },
    {
      key: 'status',
      title: words.status,
      width: 140,
      render: (_, document) => <DocumentState document={document} />,
    },
    {
      key: 'chunks',
      title: words.chunks,
      width: 90,
      from: 600,
      align: 'right',
      render: (_, { chunk_count }) => <span className="kb-number">{chunk_count}</span>,
    },
    {
      key: 'added',
      title: words.added,
      width: 130,
      from: 960,
      render: (_, { created_at }) => <When time={created_at} />,
    },
    actionsColumn(document => <DocumentButtons knowledgeId={base.knowledge_id} document={document} />, 140),
  ]
  const { container, columns } = useFittingColumns(all)
  return (
    <div ref={container}>
      <Table
        rowKey="file_id"
        size="middle"
        className="kb-documents"
        columns={columns}
        dataSource={items}
        pagination={{
          current: paging.page,
          pageSize: paging.pageSize,
          total: paging.total,
          hideOnSinglePage: true,
          showSizeChanger: false,
          showTotal: () => words.total(shownTotal(paging)),
          onChange: onPage,
        }}
        onRow={({ file_id }) => ({
          onClick: event => {
            // Links and buttons in the row keep their own behaviour.
            const isControl =
              (event.target as Element).closest('a, button, input, label, .ant-popover') !== null
            if (!isControl && event.currentTarget.contains(event.target as Node)) navigate(hrefOf(file_id))
          },
        })}
        {...(onSelect && {
          rowSelection: {
            selectedRowKeys: selected,
            onChange: keys => onSelect(keys.map(String)),
            getCheckboxProps: ({ name }: KnowledgeDocument) => ({ 'aria-label': words.select(name) }),
            getTitleCheckboxProps: () => ({ 'aria-label': words.selectAll }),
          },
        })}
      />
    </div>
  )
}
