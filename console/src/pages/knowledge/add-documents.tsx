import { FileTextOutlined, TagsOutlined } from '@ant-design/icons'
import { App, Button, Popover } from 'antd'
import { useMemo, useState } from 'react'
import { UploadPanel } from '../../ui/uploads/upload-panel.tsx'
import { defineWords } from '../../ui/words.ts'
import { DropZone } from './drop-zone.tsx'
import type { NamedFile } from './dropped-files.ts'
import { MetadataEditor } from './metadata-editor.tsx'
import { type MetadataRow, metadataOf } from './metadata-rows.ts'
import { PasteText } from './paste-text.tsx'
import { useDocumentUploads } from './use-document-uploads.ts'

const useWords = defineWords(
  {
    paste: 'Paste text',
    metadata: 'Metadata',
    metadataCount: (count: number) => `Metadata (${count})`,
    metadataTitle: 'Metadata for the next documents',
    metadataAbout: 'Searches can filter by it, for example year = 2026 or team = sales.',
    nothing: 'No files found.',
  },
  {
    paste: '粘贴文本',
    metadata: '元数据',
    metadataCount: (count: number) => `元数据（${count}）`,
    metadataTitle: '接下来添加的文档的元数据',
    metadataAbout: '搜索时可据此筛选，例如 year = 2026 或 team = sales。',
    nothing: '其中没有文件。',
  },
)

/** All ways for documents into a base: dropped, chosen, pasted. */
export function AddDocuments({ knowledgeId, isEmpty }: { knowledgeId: string; isEmpty: boolean }) {
  const words = useWords()
  const { message } = App.useApp()
  const { queue, entries } = useDocumentUploads(knowledgeId)
  const [isPasting, setIsPasting] = useState(false)
  const [rows, setRows] = useState<MetadataRow[]>([])
  // One object for all files that share it, so that they are added together.
  const metadata = useMemo(() => metadataOf(rows), [rows])
  const count = Object.keys(metadata).length
  const put = (files: NamedFile[]): void => {
    if (files.length === 0) message.info(words.nothing)
    else queue.put(files, metadata)
  }
  return (
    <div className="kb-add-documents">
      <DropZone onFiles={put} isLarge={isEmpty && entries.length === 0}>
        <Button icon={<FileTextOutlined aria-hidden />} onClick={() => setIsPasting(true)}>
          {words.paste}
        </Button>
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
    </div>
  )
}
