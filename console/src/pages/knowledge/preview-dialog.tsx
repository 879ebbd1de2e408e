import { FileAddOutlined } from '@ant-design/icons'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Button, Form } from 'antd'
import { type ReactNode, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { type UploadedFile, upload } from '../../api/upload.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { QueryFailure, useFailureToast } from '../../ui/failure.tsx'
import { FileInput } from '../../ui/file-input.tsx'
import { Loading } from '../../ui/loading.tsx'
import { PassageText } from '../../ui/passage/passage-text.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { defineWords } from '../../ui/words.ts'
import { ChunkPlace } from './chunk-place.tsx'
import { DocumentSelect } from './document-select.tsx'
import { ChunkingFields } from './settings-fields.tsx'
import { chunkingOf, type SettingsForm } from './settings-form.ts'
import type { KnowledgeBase } from './use-knowledge.ts'

const useWords = defineWords(
  {
    title: 'Preview passages',
    about: 'See how a document is split before it is indexed. Nothing is stored.',
    choose: 'Choose a file',
    pick: 'File to preview',
    document: 'Or a document of this knowledge base',
    nothing: 'Choose a file or a document to see its passages.',
    result: 'Passages of the preview',
    all: (count: number) => (count === 1 ? '1 passage' : `${count} passages`),
    first: (count: number) => `The first ${count} passages`,
    tokens: (count: number) => `${count} tokens`,
    cancel: 'Close',
  },
  {
    title: '预览段落',
    about: '在建立索引之前查看文档会如何切分，不会保存任何内容。',
    choose: '选择文件',
    pick: '要预览的文件',
    document: '或此知识库中的文档',
    nothing: '选择文件或文档后，这里会显示它的段落。',
    result: '预览的段落',
    all: (count: number) => `共 ${count} 个段落`,
    first: (count: number) => `前 ${count} 个段落`,
    tokens: (count: number) => `${count} 个 token`,
    cancel: '关闭',
  },
)

export interface Previewed {
  chunking: SettingsForm['chunking']
  /** Undefined if a document of the base was previewed. */
  uploaded: UploadedFile | undefined
}

interface PreviewUse {
  label: string
  /** Whether only a new file can be previewed. */
  needsFile?: boolean
  run: (previewed: Previewed) => Promise<unknown>
}

interface PreviewButtonProps {
  base: KnowledgeBase
  label: string
  icon?: ReactNode
  /** The settings to start with. */
  read: () => SettingsForm['chunking']
  /** The action that the dialog offers for the settings. */
  use: PreviewUse
}

/** Opens the preview. */
export function PreviewButton({ base, label, icon, read, use }: PreviewButtonProps) {
  const [start, setStart] = useState<SettingsForm['chunking']>()
  return (
    <>
      <Button icon={icon} onClick={() => setStart(read())}>
        {label}
      </Button>
      {start && <PreviewDialog base={base} start={start} use={use} onClose={() => setStart(undefined)} />}
    </>
  )
}

const maxChunks = 50

function usePreview(base: KnowledgeBase, fileId: string | undefined, chunking: SettingsForm['chunking']) {
  const settled = useDebounced(JSON.stringify(chunkingOf(chunking)))
  return useQuery({
    queryKey: ['knowledge', 'base', base.knowledge_id, 'preview', fileId, settled],
    queryFn: ({ signal }) =>
      call('POST /api/v1/knowledge/{knowledge_id}/preview', {
        params: { knowledge_id: base.knowledge_id },
        body: { file_id: fileId!, chunking: JSON.parse(settled), max_chunks: maxChunks },
        signal,
      }),
    enabled: fileId !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

/** An uploaded file that is not used is deleted again. */
const discard = (file: UploadedFile | undefined): void => {
  if (file) call('POST /api/v1/files/delete', { body: { file_ids: [file.file_id] } }).catch(() => {})
}

interface PreviewDialogProps {
  base: KnowledgeBase
  start: SettingsForm['chunking']
  use: PreviewUse
  onClose: () => void
}

/** Shows how a file would be split, as the settings change. */
function PreviewDialog({ base, start, use, onClose }: PreviewDialogProps) {
  const words = useWords()
  const showFailure = useFailureToast()
  const [form] = Form.useForm<SettingsForm>()
  const [chunking, setChunking] = useState(start)
  const [uploaded, setUploaded] = useState<UploadedFile>()
  const [documentId, setDocumentId] = useState<string>()
  const picker = useRef<HTMLInputElement>(null)
  const send = useMutation({
    mutationFn: (file: File) => upload(file),
    onSuccess: file => {
      discard(uploaded)
      setUploaded(file)
      setDocumentId(undefined)
    },
    onError: showFailure,
  })
  const apply = useMutation({
    mutationFn: () => use.run({ chunking, uploaded }),
    onSuccess: () => {
      // The file of an added document is kept.
      if (!use.needsFile) discard(uploaded)
      onClose()
    },
    onError: showFailure,
  })
  const close = (): void => {
    discard(uploaded)
    onClose()
  }
  const preview = usePreview(base, uploaded?.file_id ?? documentId, chunking)
  return (
    <Dialog
      open
      width="min(75rem, 96vw)"
      title={words.title}
      okText={use.label}
      okButtonProps={{ disabled: use.needsFile === true && !uploaded, loading: apply.isPending }}
      onOk={() => apply.mutate()}
      cancelText={words.cancel}
      onCancel={close}
    >
      <p className="soft">{words.about}</p>
      <div className="kb-preview">
        <div>
          <div className="kb-preview-file">
            <Button
              icon={<FileAddOutlined aria-hidden />}
              loading={send.isPending}
              onClick={() => picker.current?.click()}
            >
              {words.choose}
            </Button>
            {uploaded && <span>{uploaded.name}</span>}
            <FileInput ref={picker} label={words.pick} onFiles={([file]) => file && send.mutate(file)} />
            {base.document_count > 0 && (
              <DocumentSelect
                base={base}
                value={documentId}
                label={words.document}
                onChange={next => {
                  discard(uploaded)
                  setUploaded(undefined)
                  setDocumentId(next)
                }}
              />
            )}
          </div>
          <Form
            form={form}
            name="preview"
            layout="vertical"
            initialValues={{ chunking: start }}
            onValuesChange={(_, { chunking: next }) => setChunking({ ...chunking, ...next })}
          >
            <ChunkingFields />
          </Form>
        </div>
        <PreviewResult preview={preview} />
      </div>
    </Dialog>
  )
}

function PreviewResult({ preview }: { preview: ReturnType<typeof usePreview> }) {
  const words = useWords()
  const { data } = preview
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard
    <section className="kb-preview-result" aria-label={words.result} tabIndex={0}>
      {preview.isError && <QueryFailure query={preview} />}
      {preview.isLoading && <Loading />}
      {!data && !preview.isError && !preview.isLoading && <p className="soft">{words.nothing}</p>}
      {data && !preview.isError && (
        <>
          <p role="status" className="soft">
            {data.complete ? words.all(data.items.length) : words.first(data.items.length)}
          </p>
          <ol className="kb-chunks">
            {data.items.map(chunk => (
              <li key={chunk.position} className="kb-chunk">
                <div className="kb-chunk-head">
                  <span className="soft">{chunk.position + 1}</span>
                  <ChunkPlace chunk={chunk} />
                  <span className="soft kb-number">{words.tokens(chunk.tokens)}</span>
                </div>
                <PassageText text={chunk.content} headings={chunk.heading} />
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  )
}
