import { DeleteOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { App, Button } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useMay } from '../../session/use-session.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { navigate, pathTo } from '../../ui/router.ts'
import type { Metadata } from '../../ui/uploads/upload-queue.ts'
import { useUnsavedInput } from '../../ui/use-unsaved-input.ts'
import { defineWords } from '../../ui/words.ts'
import { DeleteKnowledge } from './delete-knowledge.tsx'
import { MetadataEditor } from './metadata-editor.tsx'
import { type MetadataRow, mergeMetadata, metadataOf, rowsOf } from './metadata-rows.ts'
import { PreviewButton } from './preview-dialog.tsx'
import { ChunkingFields, EmbeddingFields, NameFields, RetrievalFields } from './settings-fields.tsx'
import { settingsOf, withFields } from './settings-form.ts'
import { SettingsSection } from './settings-section.tsx'
import { type KnowledgeBase, useRefreshKnowledge } from './use-knowledge.ts'

const useWords = defineWords(
  {
    general: 'Name and description',
    retrieval: 'Retrieval',
    index: 'Indexing',
    preview: 'Preview passages',
    use: 'Use these settings',
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
    preview: '预览段落',
    use: '采用这些设置',
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
      <SettingsSection
        base={base}
        name="index"
        title={words.index}
        about={words.indexAbout}
        isIndex
        tools={(form, change) => (
          <PreviewButton
            base={base}
            label={words.preview}
            read={() => withFields(settingsOf(base), form.getFieldsValue()).chunking}
            use={{ label: words.use, run: async ({ chunking }) => change({ chunking }) }}
          />
        )}
      >
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

const useApiSnippetWords = defineWords(
  {
    about: 'A token with the viewer role is sufficient. Admins can create one under Access tokens.',
    copy: 'Copy command',
    question: 'How many days of holiday?',
  },
  {
    about: '使用查看者角色的令牌即可，管理员可在“访问令牌”页创建。',
    copy: '复制命令',
    question: '有多少天假期？',
  },
)

/** An API call that searches this knowledge base, ready for a terminal. */
function ApiSnippet({ base }: { base: KnowledgeBase }) {
  const words = useApiSnippetWords()
  const address = `${window.location.origin}/api/v1/knowledge/${base.knowledge_id}/search`
  const command = `curl ${address} \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ query: words.question, top_k: base.retrieval.top_k })}'`
  return (
    <>
      <p className="soft">{words.about}</p>
      <div className="kb-snippet">
        <pre>{command}</pre>
        <CopyButton text={command} label={words.copy} />
      </div>
    </>
  )
}

const useMetadataSettingsWords = defineWords(
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

function MetadataSettings({ base }: { base: KnowledgeBase }) {
  const words = useMetadataSettingsWords()
  const may = useMay()
  const { message } = App.useApp()
  const refresh = useRefreshKnowledge()
  const params = { knowledge_id: base.knowledge_id }
  const [edited, keep] = useUnsavedInput<{ rows: MetadataRow[]; start: Metadata }>(
    `metadata ${base.knowledge_id}`,
  )
  const start = edited?.start ?? base.metadata
  const rows = edited?.rows ?? rowsOf(base.metadata)
  const metadata = metadataOf(rows)
  const isChanged = JSON.stringify(metadata) !== JSON.stringify(start)
  const update = useMutation({
    mutationFn: async () => {
      // Metadata is replaced as a whole, so concurrent changes are loaded first.
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
      <MetadataEditor
        rows={rows}
        onChange={next => keep({ rows: next, start })}
        disabled={!may.write || update.isPending}
      />
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
