import { DeleteOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { useMay } from '../../session/use-session.ts'
import { navigate, pathTo } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'
import { ApiSnippet } from './api-snippet.tsx'
import { ChunkingFields } from './chunking-fields.tsx'
import { DeleteKnowledge } from './delete-knowledge.tsx'
import { EmbeddingFields } from './embedding-fields.tsx'
import { MetadataSettings } from './metadata-settings.tsx'
import { NameFields } from './name-fields.tsx'
import { RetrievalFields } from './retrieval-fields.tsx'
import { SettingsSection } from './settings-section.tsx'
import type { KnowledgeBase } from './use-knowledge.ts'

const useWords = defineWords(
  {
    general: 'Name and description',
    retrieval: 'Retrieval',
    index: 'Indexing',
    indexAbout:
      'Changes here re-process and re-index all documents. Searches use the current index until that is done; edits made to passages will be lost.',
    metadata: 'Metadata',
    api: 'Search via API',
    danger: 'Delete',
    dangerAbout: 'Deletes the index and all edits. The uploaded files are kept.',
    remove: 'Delete knowledge base…',
    readOnly: 'View only',
  },
  {
    general: '名称与描述',
    retrieval: '检索设置',
    index: '索引设置',
    indexAbout:
      '更改这里会重新处理全部文档并重建索引。完成之前，搜索仍使用现有索引；对段落所做的手工修改会丢失。',
    metadata: '元数据',
    api: '通过 API 搜索',
    danger: '删除',
    dangerAbout: '索引及所有修改都会被删除，上传的文件会保留。',
    remove: '删除知识库…',
    readOnly: '仅可查看',
  },
)

export function SettingsTab({ base }: { base: KnowledgeBase }) {
  const words = useWords()
  const may = useMay()
  const [isDeleting, setIsDeleting] = useState(false)
  return (
    <div className="kb-settings">
      {!may.write && <p className="soft">{words.readOnly}</p>}
      <SettingsSection base={base} name="general" title={words.general}>
        <NameFields />
      </SettingsSection>
      <SettingsSection base={base} name="retrieval" title={words.retrieval}>
        <RetrievalFields />
      </SettingsSection>
      <SettingsSection base={base} name="index" title={words.index} about={words.indexAbout} isIndex>
        <ChunkingFields />
        <EmbeddingFields />
      </SettingsSection>
      <section aria-label={words.metadata}>
        <h2>{words.metadata}</h2>
        <MetadataSettings base={base} />
      </section>
      <section aria-label={words.api}>
        <h2>{words.api}</h2>
        <ApiSnippet base={base} />
      </section>
      {may.write && (
        <section aria-label={words.danger}>
          <h2>{words.danger}</h2>
          <p className="soft">{words.dangerAbout}</p>
          <Button danger icon={<DeleteOutlined aria-hidden />} onClick={() => setIsDeleting(true)}>
            {words.remove}
          </Button>
          <DeleteKnowledge
            base={base}
            open={isDeleting}
            onClose={() => setIsDeleting(false)}
            onDeleted={() => navigate(pathTo('knowledge'))}
          />
        </section>
      )}
    </div>
  )
}
