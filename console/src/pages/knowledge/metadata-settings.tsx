import { useMutation } from '@tanstack/react-query'
import { App, Button } from 'antd'
import { call } from '../../api/call.ts'
import { useMay } from '../../session/use-session.ts'
import { Failure } from '../../ui/failure.tsx'
import type { Metadata } from '../../ui/uploads/upload-queue.ts'
import { useKept } from '../../ui/use-kept.ts'
import { defineWords } from '../../ui/words.ts'
import { MetadataEditor } from './metadata-editor.tsx'
import { type MetadataRow, mergeMetadata, metadataOf, rowsOf } from './metadata-rows.ts'
import { type KnowledgeBase, useRefreshKnowledge } from './use-knowledge.ts'

const useWords = defineWords(
  {
    about:
      'Custom values of this knowledge base, for use by your programs. Search filters use the metadata of documents instead.',
    none: 'No metadata.',
    save: 'Save metadata',
    saved: 'Saved.',
  },
  {
    about: '此知识库的自定义信息，供你的程序使用。搜索筛选使用的是各文档的元数据。',
    none: '没有元数据。',
    save: '保存元数据',
    saved: '已保存。',
  },
)

export function MetadataSettings({ base }: { base: KnowledgeBase }) {
  const words = useWords()
  const may = useMay()
  const { message } = App.useApp()
  const refresh = useRefreshKnowledge()
  const params = { knowledge_id: base.knowledge_id }
  const [edited, keep] = useKept<{ rows: MetadataRow[]; start: Metadata }>(`metadata ${base.knowledge_id}`)
  const start = edited?.start ?? base.metadata
  const rows = edited?.rows ?? rowsOf(base.metadata)
  const metadata = metadataOf(rows)
  const isChanged = JSON.stringify(metadata) !== JSON.stringify(start)
  const update = useMutation({
    mutationFn: async () => {
      // It is replaced as a whole, so that what others changed meanwhile is looked at first.
      const { metadata: current } = await call('GET /api/v1/knowledge/{knowledge_id}', { params })
      return call('POST /api/v1/knowledge/{knowledge_id}/update', {
        params,
        body: { metadata: mergeMetadata(start, metadata, current) },
      })
    },
    onSuccess: async () => {
      message.success(words.saved)
      await refresh(base.knowledge_id)
      keep(undefined)
    },
  })
  return (
    <>
      <p className="soft">{words.about}</p>
      {rows.length === 0 && !may.write && <p>{words.none}</p>}
      <MetadataEditor rows={rows} onChange={next => keep({ rows: next, start })} disabled={!may.write} />
      {update.isError && <Failure error={update.error} />}
      {may.write && (
        <Button
          className="kb-settings-save"
          type="primary"
          disabled={!isChanged}
          loading={update.isPending}
          onClick={() => update.mutate()}
        >
          {words.save}
        </Button>
      )}
    </>
  )
}
