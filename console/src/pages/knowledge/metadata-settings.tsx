import { useMutation } from '@tanstack/react-query'
import { App, Button } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useMay } from '../../session/use-session.ts'
import { Failure } from '../../ui/failure.tsx'
import { defineWords } from '../../ui/words.ts'
import { MetadataEditor } from './metadata-editor.tsx'
import { metadataOf, rowsOf } from './metadata-rows.ts'
import { type KnowledgeBase, useRefreshKnowledge } from './use-knowledge.ts'

const useWords = defineWords(
  {
    about:
      'Values of your own on this knowledge base, for your programs. Searches are narrowed by the metadata of documents instead.',
    none: 'There is none.',
    save: 'Save metadata',
    saved: 'Saved.',
  },
  {
    about: '关于此知识库的自定义信息，供你的程序使用。搜索筛选使用的是各文档的元数据。',
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
  const [rows, setRows] = useState(() => rowsOf(base.metadata))
  const metadata = metadataOf(rows)
  const isChanged = JSON.stringify(metadata) !== JSON.stringify(metadataOf(rowsOf(base.metadata)))
  const update = useMutation({
    mutationFn: () =>
      call('POST /api/v1/knowledge/{knowledge_id}/update', {
        params: { knowledge_id: base.knowledge_id },
        body: { metadata },
      }),
    onSuccess: async () => {
      message.success(words.saved)
      await refresh(base.knowledge_id)
    },
  })
  return (
    <>
      <p className="soft">{words.about}</p>
      {rows.length === 0 && !may.write && <p>{words.none}</p>}
      <MetadataEditor rows={rows} onChange={setRows} disabled={!may.write} />
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
