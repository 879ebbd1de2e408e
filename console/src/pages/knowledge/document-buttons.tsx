import { DeleteOutlined, DownloadOutlined, EyeOutlined, ReloadOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { Button } from 'antd'
import { saveFile } from '../../api/save-file.ts'
import { useMay } from '../../session/use-session.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { useFailureToast } from '../../ui/failure.tsx'
import { openSource } from '../../ui/source/open-source.ts'
import { defineWords } from '../../ui/words.ts'
import { useDocumentActions } from './use-document-actions.ts'
import type { KnowledgeDocument } from './use-knowledge.ts'

const useWords = defineWords(
  {
    retry: (name: string) => `Retry ${name}`,
    show: (name: string) => `Show ${name}`,
    download: (name: string) => `Download ${name}`,
    remove: (name: string) => `Remove ${name}`,
    removeTitle: 'Remove this document?',
    removeAbout:
      'It disappears from all searches immediately, along with edits made to its passages. The file is kept under Files.',
    ok: 'Remove',
    cancel: 'Cancel',
  },
  {
    retry: (name: string) => `重试 ${name}`,
    show: (name: string) => `显示 ${name}`,
    download: (name: string) => `下载 ${name}`,
    remove: (name: string) => `移除 ${name}`,
    removeTitle: '移除这个文档？',
    removeAbout: '它会立即从所有搜索中消失，对段落所做的修改也会丢失。文件会保留在“文件”中。',
    ok: '移除',
    cancel: '取消',
  },
)

interface DocumentButtonsProps {
  knowledgeId: string
  document: KnowledgeDocument
  onRemoved?: () => void
}

/** Actions for one document. */
export function DocumentButtons({ knowledgeId, document, onRemoved }: DocumentButtonsProps) {
  const words = useWords()
  const may = useMay()
  const showFailure = useFailureToast()
  const { readAgain, remove } = useDocumentActions(knowledgeId)
  const { file_id: fileId, name } = document
  const save = useMutation({ mutationFn: () => saveFile(fileId, name), onError: showFailure })
  return (
    <span className="kb-row-buttons">
      {may.write && document.status === 'failed' && document.error?.retryable !== false && (
        <Button
          type="text"
          icon={<ReloadOutlined aria-hidden />}
          title={words.retry(name)}
          aria-label={words.retry(name)}
          loading={readAgain.isPending}
          onClick={() => readAgain.mutate([fileId])}
        />
      )}
      {document.indexed_at !== null && (
        <Button
          type="text"
          icon={<EyeOutlined aria-hidden />}
          title={words.show(name)}
          aria-label={words.show(name)}
          onClick={() => openSource({ knowledgeId, fileId, fileName: name })}
        />
      )}
      <Button
        type="text"
        icon={<DownloadOutlined aria-hidden />}
        title={words.download(name)}
        aria-label={words.download(name)}
        loading={save.isPending}
        onClick={() => save.mutate()}
      />
      {may.write && (
        <Confirm
          title={words.removeTitle}
          description={<div className="kb-confirm-words">{words.removeAbout}</div>}
          okText={words.ok}
          okButtonProps={{ danger: true }}
          cancelText={words.cancel}
          onConfirm={() =>
            remove.mutate([fileId], { onSuccess: ({ failures }) => failures.length === 0 && onRemoved?.() })
          }
        >
          <Button
            type="text"
            icon={<DeleteOutlined aria-hidden />}
            title={words.remove(name)}
            aria-label={words.remove(name)}
            loading={remove.isPending}
          />
        </Confirm>
      )}
    </span>
  )
}
