import { DeleteOutlined, ReloadOutlined } from '@ant-design/icons'
import { Button, Popconfirm } from 'antd'
import { defineWords } from '../../ui/words.ts'
import { useDocumentActions } from './use-document-actions.ts'
import type { KnowledgeBase, KnowledgeDocument } from './use-knowledge.ts'

const useWords = defineWords(
  {
    retryAll: (count: number) => `Retry all failed (${count})`,
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
    retryAll: (count: number) => `重试全部失败（${count}）`,
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

/** What can be done with several documents at once. */
export function DocumentsActions({ base, selected, onDone }: DocumentsActionsProps) {
  const words = useWords()
  const { readAgain, remove } = useDocumentActions(base.knowledge_id)
  const ids = selected.map(({ file_id }) => file_id)
  if (selected.length === 0)
    return base.failed_count === 0 ? null : (
      <Button
        icon={<ReloadOutlined aria-hidden />}
        loading={readAgain.isPending}
        onClick={() => readAgain.mutate(undefined)}
      >
        {words.retryAll(base.failed_count)}
      </Button>
    )
  return (
    <>
      <span className="soft">{words.selected(selected.length)}</span>
      <Popconfirm
        title={words.againTitle}
        description={<div className="kb-confirm-words">{words.againAbout}</div>}
        okText={words.again}
        cancelText={words.cancel}
        onConfirm={() => readAgain.mutate(ids, { onSuccess: onDone })}
      >
        <Button icon={<ReloadOutlined aria-hidden />} loading={readAgain.isPending}>
          {words.again}
        </Button>
      </Popconfirm>
      <Popconfirm
        title={words.removeTitle(selected.length)}
        description={<div className="kb-confirm-words">{words.removeAbout}</div>}
        okText={words.remove}
        okButtonProps={{ danger: true }}
        cancelText={words.cancel}
        // What could not be removed stays selected, to be tried again.
        onConfirm={() =>
          remove.mutate(ids, { onSuccess: ({ failures }) => failures.length === 0 && onDone() })
        }
      >
        <Button danger icon={<DeleteOutlined aria-hidden />} loading={remove.isPending}>
          {words.remove}
        </Button>
      </Popconfirm>
    </>
  )
}
