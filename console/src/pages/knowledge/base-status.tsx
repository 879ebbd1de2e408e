import { CheckCircleFilled, ExclamationCircleFilled, SyncOutlined } from '@ant-design/icons'
import { defineWords } from '../../ui/words.ts'
import type { KnowledgeBase } from './use-knowledge.ts'

const useWords = defineWords(
  {
    ready: 'Ready',
    partly: (ready: number, all: number, failed: number) => `${ready} of ${all} ready · ${failed} failed`,
    empty: 'Empty',
    indexing: 'Processing documents…',
    reindexing: (done: number, total: number) => `Re-indexing: ${done} of ${total}`,
  },
  {
    ready: '就绪',
    partly: (ready: number, all: number, failed: number) => `${ready}/${all} 就绪 · ${failed} 个失败`,
    empty: '空',
    indexing: '正在处理文档…',
    reindexing: (done: number, total: number) => `正在重建索引：${done}/${total}`,
  },
)

/** Shows whether a knowledge base is ready, partly ready, empty or being indexed. */
export function BaseStatus({ base }: { base: KnowledgeBase }) {
  const words = useWords()
  if (base.status === 'indexing')
    return (
      <span className="kb-status moving">
        <SyncOutlined spin aria-hidden />
        {base.reindexing ? words.reindexing(base.reindexing.done, base.reindexing.total) : words.indexing}
      </span>
    )
  if (base.document_count === 0) return <span className="kb-status soft">{words.empty}</span>
  if (base.failed_count > 0)
    return (
      <span className="kb-status kb-partly">
        <ExclamationCircleFilled aria-hidden />
        {words.partly(base.document_count - base.failed_count, base.document_count, base.failed_count)}
      </span>
    )
  return (
    <span className="kb-status good">
      <CheckCircleFilled aria-hidden />
      {words.ready}
    </span>
  )
}
