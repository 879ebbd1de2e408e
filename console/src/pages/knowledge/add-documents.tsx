import {
  EyeOutlined,
  FileAddOutlined,
  FileTextOutlined,
  FolderOpenOutlined,
  GlobalOutlined,
  InboxOutlined,
  TagsOutlined,
} from '@ant-design/icons'
import { useQueryClient } from '@tanstack/react-query'
import { App, Button, Popover } from 'antd'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { ApiFailure } from '../../api/api-failure.ts'
import { call } from '../../api/call.ts'
import { upload } from '../../api/upload.ts'
import { useFailureToast } from '../../ui/failure.tsx'
import { FileInput } from '../../ui/file-input.tsx'
import { UploadPanel } from '../../ui/uploads/upload-panel.tsx'
import type { UploadEntry, UploadQueue, UploadSteps } from '../../ui/uploads/upload-queue.ts'
import { uploadsTo, useUploads } from '../../ui/uploads/use-uploads.ts'
import { useDroppedFiles } from '../../ui/use-dropped-files.ts'
import { defineWords } from '../../ui/words.ts'
import { MetadataEditor } from './metadata-editor.tsx'
import { type MetadataRow, metadataOf } from './metadata-rows.ts'
import { PasteText } from './paste-text.tsx'
import { PreviewButton, type Previewed } from './preview-dialog.tsx'
import { chunkingOf, settingsOf } from './settings-form.ts'
import { type KnowledgeBase, useRefreshKnowledge } from './use-knowledge.ts'
import { AddWebPages } from './web/add-web-pages.tsx'

const useWords = defineWords(
  {
    paste: 'Paste text',
    web: 'Add web pages',
    preview: 'Preview passages',
    add: 'Add document',
    metadata: 'Metadata',
    metadataCount: (count: number) => `Metadata (${count})`,
    metadataTitle: 'Metadata for the next documents',
    metadataAbout: 'Searches can filter by it, for example year = 2026 or team = sales.',
    nothing: 'No files found.',
  },
  {
    paste: '粘贴文本',
    web: '添加网页',
    preview: '预览段落',
    add: '添加文档',
    metadata: '元数据',
    metadataCount: (count: number) => `元数据（${count}）`,
    metadataTitle: '接下来添加的文档的元数据',
    metadataAbout: '搜索时可据此筛选，例如 year = 2026 或 team = sales。',
    nothing: '其中没有文件。',
  },
)

/** All ways to add documents to a knowledge base: drop, choose, paste, or by web address. */
export function AddDocuments({ base, isEmpty }: { base: KnowledgeBase; isEmpty: boolean }) {
  const words = useWords()
  const { message } = App.useApp()
  const refresh = useRefreshKnowledge()
  const knowledgeId = base.knowledge_id
  const { queue, entries } = useDocumentUploads(knowledgeId)
  const [isPasting, setIsPasting] = useState(false)
  const [isAddingPages, setIsAddingPages] = useState(false)
  const [rows, setRows] = useState<MetadataRow[]>([])
  // One object for all files that share it, so that they are added together.
  const metadata = useMemo(() => metadataOf(rows), [rows])
  const count = Object.keys(metadata).length
  const put = (files: NamedFile[]): void => {
    if (files.length === 0) message.info(words.nothing)
    else queue.put(files, metadata)
  }
  const addPreviewed = async ({ chunking, uploaded }: Previewed): Promise<void> => {
    await call('POST /api/v1/knowledge/{knowledge_id}', {
      params: { knowledge_id: knowledgeId },
      body: { file_ids: [uploaded!.file_id], chunking: chunkingOf(chunking), ...(count > 0 && { metadata }) },
    })
    await refresh(knowledgeId)
  }
  return (
    <div className="kb-add-documents">
      <DropZone onFiles={put} isLarge={isEmpty && entries.length === 0}>
        <Button icon={<FileTextOutlined aria-hidden />} onClick={() => setIsPasting(true)}>
          {words.paste}
        </Button>
        <Button icon={<GlobalOutlined aria-hidden />} onClick={() => setIsAddingPages(true)}>
          {words.web}
        </Button>
        <PreviewButton
          base={base}
          label={words.preview}
          icon={<EyeOutlined aria-hidden />}
          read={() => settingsOf(base).chunking}
          use={{ label: words.add, needsFile: true, run: addPreviewed }}
        />
        <Popover
          trigger="click"
          title={words.metadataTitle}
          content={
            <div className="kb-metadata-popover">
              <p className="soft">{words.metadataAbout}</p>
              <MetadataEditor rows={rows} onChange={setRows} />
            </div>
          }
        >
          <Button
            type={count > 0 ? 'primary' : 'default'}
            ghost={count > 0}
            icon={<TagsOutlined aria-hidden />}
          >
            {count > 0 ? words.metadataCount(count) : words.metadata}
          </Button>
        </Popover>
      </DropZone>
      <UploadPanel queue={queue} entries={entries} />
      <PasteText
        knowledgeId={knowledgeId}
        metadata={metadata}
        open={isPasting}
        onClose={() => setIsPasting(false)}
      />
      <AddWebPages
        knowledgeId={knowledgeId}
        metadata={metadata}
        open={isAddingPages}
        onClose={() => setIsAddingPages(false)}
      />
    </div>
  )
}

const stepsFor = (knowledgeId: string): UploadSteps => ({
  send: async (file, options) => (await upload(file, options)).file_id,
  add: async (fileIds, metadata) => {
    const { skipped } = await call('POST /api/v1/knowledge/{knowledge_id}', {
      params: { knowledge_id: knowledgeId },
      body: { file_ids: fileIds, ...(Object.keys(metadata).length > 0 && { metadata }) },
    })
    return new Map(
      // A document that already exists is no failure.
      skipped
        .filter(({ reason }) => reason === 'not_found')
        .map(({ file_id, reason }) => [file_id, new ApiFailure('The uploaded file is gone', { reason })]),
    )
  },
})

/** The uploads to one knowledge base, from any page. */
function useDocumentUploads(knowledgeId: string): {
  queue: UploadQueue
  entries: readonly UploadEntry[]
} {
  const queries = useQueryClient()
  const queue = uploadsTo(`knowledge ${knowledgeId}`, stepsFor(knowledgeId))
  const entries = useUploads(queue, () =>
    queries.invalidateQueries({ queryKey: ['knowledge', 'base', knowledgeId] }),
  )
  return { queue, entries }
}

const useDropZoneWords = defineWords(
  {
    title: 'Drop files or folders here',
    about:
      'PDF, Word, Excel, PowerPoint, OpenDocument, RTF, mail (EML, MSG), EPUB, Markdown, text, HTML, CSV, JSON and source code',
    files: 'Choose files',
    folder: 'Choose a folder',
    pickFiles: 'Files to add',
    pickFolder: 'Folder to add',
  },
  {
    title: '把文件或文件夹拖到这里',
    about:
      '支持 PDF、Word、Excel、PowerPoint、OpenDocument、RTF、邮件（EML、MSG）、EPUB、Markdown、纯文本、HTML、CSV、JSON 与源代码',
    files: '选择文件',
    folder: '选择文件夹',
    pickFiles: '要添加的文件',
    pickFolder: '要添加的文件夹',
  },
)

interface DropZoneProps {
  onFiles: (files: NamedFile[]) => void
  /** Other ways to add documents. */
  children?: ReactNode
  isLarge: boolean
}

/** Accepts any number of files and folders, wherever on the page they are dropped. */
function DropZone({ onFiles, children, isLarge }: DropZoneProps) {
  const words = useDropZoneWords()
  const showFailure = useFailureToast()
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const isOver = useDroppedFiles(data => void droppedFiles(data).then(onFiles, showFailure), true)
  const take = (chosen: File[]): void => onFiles(pickedFiles(chosen))
  return (
    <section
      className={`kb-drop-zone${isLarge ? ' is-large' : ''}${isOver ? ' over' : ''}`}
      aria-label={words.title}
    >
      <InboxOutlined className="kb-drop-zone-icon" aria-hidden />
      <div className="kb-drop-zone-words">
        <strong>{words.title}</strong>
        <span className="soft small">{words.about}</span>
      </div>
      <div className="kb-drop-zone-buttons">
        <Button icon={<FileAddOutlined aria-hidden />} onClick={() => files.current?.click()}>
          {words.files}
        </Button>
        <Button icon={<FolderOpenOutlined aria-hidden />} onClick={() => folder.current?.click()}>
          {words.folder}
        </Button>
        {children}
      </div>
      <FileInput ref={files} label={words.pickFiles} onFiles={take} />
      <FileInput ref={folder} label={words.pickFolder} isFolder onFiles={take} />
    </section>
  )
}

interface NamedFile {
  file: File
  /** The path of the file in the dropped folder, or its name. */
  name: string
}

/** Whether a file is a system file or hidden. */
const isHidden = (name: string): boolean =>
  name.startsWith('.') || name === 'Thumbs.db' || name === 'desktop.ini'

/** Files of a picker; those of a folder with their path. */
function pickedFiles(list: Iterable<File>): NamedFile[] {
  return [...list]
    .map(file => ({ file, name: file.webkitRelativePath || file.name }))
    .filter(({ name }) => !name.split('/').some(isHidden))
}

/** Dropped files, including those in dropped folders. */
async function droppedFiles(data: DataTransfer): Promise<NamedFile[]> {
  // The list is only valid during the event, so it is read before the first await.
  const entries = [...data.items].map(item => item.webkitGetAsEntry()).filter(entry => entry !== null)
  if (entries.length === 0) return pickedFiles(data.files)
  return (await Promise.all(entries.map(entry => filesIn(entry, '')))).flat()
}

async function filesIn(entry: FileSystemEntry, folder: string): Promise<NamedFile[]> {
  if (isHidden(entry.name)) return []
  const name = folder + entry.name
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    )
    return [{ file, name }]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const found: NamedFile[] = []
  for (;;) {
    // A reader returns entries in batches, and an empty batch at the end.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (part.length === 0) return found
    for (const child of part) found.push(...(await filesIn(child, `${name}/`)))
  }
}
