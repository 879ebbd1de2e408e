import { Alert, Progress } from 'antd'
import { defineWords } from '../../ui/words.ts'
import type { KnowledgeBase } from './use-knowledge.ts'

const useWords = defineWords(
  {
    title: (done: number, total: number) => `Re-indexing: ${done} of ${total} documents`,
    about: 'Searches use the previous index until this is done.',
    failed: (count: number) => `${count} failed so far.`,
    progress: 'Re-indexing progress',
  },
  {
    title: (done: number, total: number) => `正在重建索引：已完成 ${done}/${total} 个文档`,
    about: '完成之前，搜索仍使用原来的索引。',
    failed: (count: number) => `目前有 ${count} 个失败。`,
    progress: '重建索引的进度',
  },
)

/** Shown while a change of chunking or embedding is being worked in. */
export function ReindexProgress({ base }: { base: KnowledgeBase }) {
  const words = useWords()
  if (!base.reindexing) return null
  const { total, done, failed } = base.reindexing
  return (
    <Alert
      type="info"
      showIcon
      className="kb-reindex"
      title={words.title(done, total)}
      description={
        <>
          {words.about} {failed > 0 && words.failed(failed)}
          <Progress
            percent={total === 0 ? 100 : Math.floor((done / total) * 100)}
            status="active"
            aria-label={words.progress}
          />
        </>
      }
    />
  )
}
