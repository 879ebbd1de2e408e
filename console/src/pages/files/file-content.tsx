import { useQuery } from '@tanstack/react-query'
import { Failure } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { defineWords } from '../../ui/words.ts'
import { previewKindOf, textBytes } from './preview-kind.ts'
import { useBlobAddress, useContent } from './use-content.ts'
import type { StoredFile } from './use-files.ts'

const useWords = defineWords(
  {
    empty: 'The file is empty.',
    none: 'No preview for files of this type or size. Download the file to view it.',
    pdf: 'No preview for PDF documents. Download the file to view it, or add it to a knowledge base to extract its text.',
    begin: 'Only the beginning is shown. Download the file to view all of it.',
    text: 'File content',
  },
  {
    empty: '文件是空的。',
    none: '此类型或大小的文件无法预览，请下载后查看。',
    pdf: 'PDF 文档无法预览，请下载后查看；或添加到知识库以提取文字。',
    begin: '这里只显示开头，完整内容请下载。',
    text: '文件内容',
  },
)

function TextContent({ file, blob }: { file: StoredFile; blob: Blob }) {
  const words = useWords()
  const text = useQuery({
    queryKey: ['file text', file.file_id],
    queryFn: () => blob.text(),
    gcTime: 30_000,
  })
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard */}
      <section className="file-text" tabIndex={0} aria-label={words.text}>
        <pre>{text.data ?? ''}</pre>
      </section>
      {file.size > textBytes && <p className="soft small">{words.begin}</p>}
    </>
  )
}

function MediaContent({ file, blob }: { file: StoredFile; blob: Blob }) {
  const address = useBlobAddress(blob)
  const kind = previewKindOf(file)
  if (kind === 'image') return <img className="file-picture" src={address} alt={file.name} />
  if (kind === 'audio')
    // biome-ignore lint/a11y/useMediaCaption: nobody has captions for what was uploaded
    return <audio className="file-picture" controls src={address} aria-label={file.name} />
  // biome-ignore lint/a11y/useMediaCaption: nobody has captions for what was uploaded
  return <video className="file-picture" controls src={address} aria-label={file.name} />
}

export function FileContent({ file }: { file: StoredFile }) {
  const words = useWords()
  const content = useContent(file)
  if (file.size === 0) return <p className="soft">{words.empty}</p>
  const kind = previewKindOf(file)
  if (kind === 'none')
    return <p className="soft">{file.mime_type === 'application/pdf' ? words.pdf : words.none}</p>
  if (content.isError) return <Failure error={content.error} onRetry={content.refetch} />
  if (!content.data) return <Loading />
  return kind === 'text' ? (
    <TextContent file={file} blob={content.data} />
  ) : (
    <MediaContent file={file} blob={content.data} />
  )
}
