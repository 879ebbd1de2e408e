import { DeleteOutlined, ReloadOutlined, SearchOutlined } from '@ant-design/icons'
import { Button, Input, Select } from 'antd'
import { useEffect, useState } from 'react'
import { useMay } from '../../session/use-session.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { QueryFailure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { navigate, pathTo } from '../../ui/router.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { defineWords } from '../../ui/words.ts'
import { AddDocuments } from './add-documents.tsx'
import { useStatusWords } from './document-state.tsx'
import { DocumentsTable } from './documents-table.tsx'
import { useDocumentActions } from './use-document-actions.ts'
import {
  type DocumentStatus,
  type KnowledgeBase,
  type KnowledgeDocument,
  useDocuments,
} from './use-knowledge.ts'
import { pageIn, withQuery } from './with-query.ts'

const useWords = defineWords(
  {
    find: 'Search documents',
    status: 'Status',
    any: 'Any status',
    none: 'No documents yet',
    noneAbout: 'Documents and their processing status are listed here once they are added.',
    nothing: 'No matches',
    nothingAbout: 'No document has this name and status.',
    showAll: 'Show all',
  },
  {
    find: '搜索文档',
    status: '状态',
    any: '全部状态',
    none: '还没有文档',
    noneAbout: '添加文档后，这里会列出它们以及各自的处理状态。',
    nothing: '没有匹配的文档',
    nothingAbout: '没有名称和状态都符合的文档。',
    showAll: '显示全部',
  },
)

const statuses: DocumentStatus[] = ['queued', 'parsing', 'chunking', 'embedding', 'ready', 'failed']
const pageSize = 20

/** The documents of a knowledge base, and adding more. */
export function DocumentsTab({ base, query }: { base: KnowledgeBase; query: URLSearchParams }) {
  const words = useWords()
  const names = useStatusWords()
  const may = useMay()
  const [keyword, setKeyword] = useState(query.get('keyword') ?? '')
  const [selected, setSelected] = useState<string[]>([])
  const rested = useDebounced(keyword.trim())
  const status = statuses.find(name => name === query.get('status'))
  const page = rested === (query.get('keyword') ?? '') ? pageIn(query) : 1
  const show = (next: { keyword?: string; status?: DocumentStatus | undefined; page?: number }): void =>
    navigate(withQuery(pathTo('knowledge', base.knowledge_id), { ...next }), { replace: true })
  useEffect(() => {
    if (rested !== (query.get('keyword') ?? '')) show({ keyword: rested, status })
  })
  const documents = useDocuments(base, {
    ...(rested !== '' && { keyword: rested }),
    ...(status && { status }),
    page,
    page_size: pageSize,
  })
  const last = Math.max(1, Math.ceil((documents.data?.total ?? 0) / pageSize))
  useEffect(() => {
    // The last page may be empty after removing.
    if (documents.isSuccess && !documents.isPlaceholderData && page > last)
      show({ keyword: rested, status, page: last })
  })
  const isFiltered = rested !== '' || status !== undefined
  const items = documents.data?.items ?? []
  // Documents that left the page are no longer selected.
  const meant = items.filter(({ file_id }) => selected.includes(file_id))
  const showAll = (): void => {
    setKeyword('')
    show({})
  }
  return (
    <>
      {may.write && <AddDocuments base={base} isEmpty={base.document_count === 0} />}
      {(base.document_count > 0 || isFiltered) && (
        <div className="kb-toolbar">
          <Input
            prefix={<SearchOutlined aria-hidden />}
            allowClear
            value={keyword}
            onChange={event => setKeyword(event.target.value)}
            placeholder={words.find}
            aria-label={words.find}
          />
          <Select
            value={status ?? ''}
            aria-label={words.status}
            onChange={value => show({ keyword: rested, status: statuses.find(name => name === value) })}
            options={[
              { value: '', label: words.any },
              ...statuses.map(value => ({ value, label: names[value] })),
            ]}
          />
          {may.write && <DocumentsActions base={base} selected={meant} onDone={() => setSelected([])} />}
        </div>
      )}
      {documents.isError && <QueryFailure query={documents} />}
      {documents.isPending && <Loading />}
      {documents.data?.total === 0 && !isFiltered && !may.write && (
        <EmptyState title={words.none}>{words.noneAbout}</EmptyState>
      )}
      {documents.data?.total === 0 && isFiltered && (
        <EmptyState title={words.nothing} actions={<Button onClick={showAll}>{words.showAll}</Button>}>
          {words.nothingAbout}
        </EmptyState>
      )}
      {documents.data && documents.data.total > 0 && (
        <DocumentsTable
          base={base}
          items={items}
          paging={{ ...documents.data, page, pageSize }}
          onPage={next => show({ keyword: rested, status, page: next })}
          selected={meant.map(({ file_id }) => file_id)}
          {...(may.write && { onSelect: setSelected })}
        />
      )}
    </>
  )
}

const useDocumentsActionsWords = defineWords(
  {
    retryAll: (count: number) => `Retry failed (${count})`,
    selected: (count: number) => `${count} selected`,
    again: 'Re-process',
    againTitle: 'Re-process these documents?',
    againAbout: 'They remain searchable in the meantime. Edits made to their passages will be lost.',
    remove: 'Remove',
    removeTitle: (count: number) =>
      count === 1 ? 'Remove this document?' : `Remove these ${count} documents?`,
    removeAbout:
      'They disappear from all searches immediately, along with edits made to their passages. The files are kept under Files.',
    cancel: 'Cancel',
  },
  {
    retryAll: (count: number) => `重试失败的文档（${count}）`,
    selected: (count: number) => `已选 ${count} 个`,
    again: '重新处理',
    againTitle: '重新处理这些文档？',
    againAbout: '处理期间仍可被搜索到。对段落所做的手工修改会丢失。',
    remove: '移除',
    removeTitle: (count: number) => `移除这 ${count} 个文档？`,
    removeAbout: '它们会立即从所有搜索中消失，对段落所做的修改也会丢失。文件会保留在“文件”中。',
    cancel: '取消',
  },
)

interface DocumentsActionsProps {
  base: KnowledgeBase
  selected: readonly KnowledgeDocument[]
  onDone: () => void
}

/** Actions for several documents. */
function DocumentsActions({ base, selected, onDone }: DocumentsActionsProps) {
  const words = useDocumentsActionsWords()
  const { readAgain, remove } = useDocumentActions(base.knowledge_id)
  const ids = selected.map(({ file_id }) => file_id)
  // A retry is not offered for failures that only another file can fix.
  const failed = useDocuments(base, { status: 'failed', page: 1, page_size: 100 })
  const worthRetrying = (failed.data?.items ?? [])
    .filter(({ error }) => error?.retryable !== false)
    .map(({ file_id }) => file_id)
  if (selected.length === 0)
    return worthRetrying.length === 0 ? null : (
      <Button
        icon={<ReloadOutlined aria-hidden />}
        loading={readAgain.isPending}
        onClick={() => readAgain.mutate(worthRetrying)}
      >
        {words.retryAll(worthRetrying.length)}
      </Button>
    )
  return (
    <>
      <span className="soft">{words.selected(selected.length)}</span>
      <Confirm
        title={words.againTitle}
        description={<div className="kb-confirm-words">{words.againAbout}</div>}
        okText={words.again}
        cancelText={words.cancel}
        onConfirm={() => readAgain.mutate(ids, { onSuccess: onDone })}
      >
        <Button icon={<ReloadOutlined aria-hidden />} loading={readAgain.isPending}>
          {words.again}
        </Button>
      </Confirm>
      <Confirm
        title={words.removeTitle(selected.length)}
        description={<div className="kb-confirm-words">{words.removeAbout}</div>}
        okText={words.remove}
        okButtonProps={{ danger: true }}
        cancelText={words.cancel}
        // Documents that could not be removed stay selected, for a retry.
        onConfirm={() =>
          remove.mutate(ids, { onSuccess: ({ failures }) => failures.length === 0 && onDone() })
        }
      >
        <Button danger icon={<DeleteOutlined aria-hidden />} loading={remove.isPending}>
          {words.remove}
        </Button>
      </Confirm>
    </>
  )
}
