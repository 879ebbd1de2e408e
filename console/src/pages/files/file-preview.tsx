import { DeleteOutlined, DownloadOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Button, Drawer } from 'antd'
import { useEffect, useMemo } from 'react'
import { addressOf, request } from '../../api/request.ts'
import { saveFile } from '../../api/save-file.ts'
import { useMay } from '../../session/use-session.ts'
import { ByteSize } from '../../ui/byte-size.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { QueryFailure, useFailureToast } from '../../ui/failure.tsx'
import { Loading } from '../../ui/loading.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'
import { useFileWords } from './file-words.ts'
import type { StoredFile } from './use-files.ts'

const useWords = defineWords(
  { id: 'ID', checksum: 'SHA-256', copyChecksum: 'Copy checksum', close: 'Close' },
  { id: 'ID', checksum: 'SHA-256', copyChecksum: '复制校验和', close: '关闭' },
)

function FileFacts({ file }: { file: StoredFile }) {
  const words = useWords()
  const fileWords = useFileWords()
  return (
    <dl className="file-facts">
      <dt>{fileWords.type}</dt>
      <dd>{file.mime_type}</dd>
      <dt>{fileWords.size}</dt>
      <dd>
        <ByteSize bytes={file.size} />
      </dd>
      <dt>{fileWords.uploaded}</dt>
      <dd>
        <When time={file.created_at} />
      </dd>
      <dt>{words.id}</dt>
      <dd>
        <code>{file.file_id}</code> <CopyButton size="small" text={file.file_id} label={fileWords.copyId} />
      </dd>
      <dt>{words.checksum}</dt>
      <dd>
        <code>{file.sha256}</code> <CopyButton size="small" text={file.sha256} label={words.copyChecksum} />
      </dd>
    </dl>
  )
}

/** A file's details and, if possible, its content. */
export function FilePreview({
  file,
  onClose,
  onDelete,
}: {
  file: StoredFile
  onClose: () => void
  onDelete: () => void
}) {
  const words = useFileWords()
  const may = useMay()
  const showFailure = useFailureToast()
  useReturnFocus(document.activeElement)
  return (
    <Drawer
      open
      size={640}
      title={<span className="file-title">{file.name}</span>}
      onClose={onClose}
      footer={
        <div className="file-preview-actions">
          <Button
            type="primary"
            icon={<DownloadOutlined aria-hidden />}
            onClick={() => saveFile(file.file_id, file.name).catch(showFailure)}
          >
            {words.download}
          </Button>
          {may.write && (
            <Button danger icon={<DeleteOutlined aria-hidden />} onClick={onDelete}>
              {words.delete}
            </Button>
          )}
        </div>
      }
    >
      <FileFacts file={file} />
      <FileContent key={file.file_id} file={file} />
    </Drawer>
  )
}

const useFileContentWords = defineWords(
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
  const words = useFileContentWords()
  const text = useQuery({
    queryKey: ['file text', file.file_id],
    queryFn: () => blob.text(),
    gcTime: 30_000,
  })
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard */}
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
    // biome-ignore lint/a11y/useMediaCaption: uploads have no captions
    return <audio className="file-picture" controls src={address} aria-label={file.name} />
  // biome-ignore lint/a11y/useMediaCaption: uploads have no captions
  return <video className="file-picture" controls src={address} aria-label={file.name} />
}

function FileContent({ file }: { file: StoredFile }) {
  const words = useFileContentWords()
  const content = useContent(file)
  if (file.size === 0) return <p className="soft">{words.empty}</p>
  const kind = previewKindOf(file)
  if (kind === 'none')
    return <p className="soft">{file.mime_type === 'application/pdf' ? words.pdf : words.none}</p>
  if (content.isError) return <QueryFailure query={content} />
  if (!content.data) return <Loading />
  return kind === 'text' ? (
    <TextContent file={file} blob={content.data} />
  ) : (
    <MediaContent file={file} blob={content.data} />
  )
}

async function fetchContent(file: StoredFile, signal: AbortSignal): Promise<Blob> {
  const isText = previewKindOf(file) === 'text'
  const address = addressOf('GET /api/v1/files/{file_id}', { params: { file_id: file.file_id } })
  const isCut = isText && file.size > textBytes
  const response = await request(address, {
    ...(isCut && { headers: { range: `bytes=0-${textBytes - 1}` } }),
    signal,
  })
  return new Blob([await response.arrayBuffer()], { type: isText ? 'text/plain' : file.mime_type })
}

/** A file's bytes, fetched with the token: the URL alone is not authorized. */
const useContent = (file: StoredFile) =>
  useQuery({
    queryKey: ['file content', file.file_id],
    queryFn: ({ signal }) => fetchContent(file, signal),
    enabled: previewKindOf(file) !== 'none' && file.size > 0,
    // Content never changes, but it may be large.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
  })

/** An object URL for a blob, while it is shown. */
function useBlobAddress(blob: Blob): string {
  const address = useMemo(() => URL.createObjectURL(blob), [blob])
  useEffect(() => () => URL.revokeObjectURL(address), [address])
  return address
}

type PreviewKind = 'image' | 'audio' | 'video' | 'text' | 'none'

const textTypes =
  /^(text\/|application\/(json|xml|yaml|x-yaml|javascript|x-ndjson|toml|sql)|.*\+(json|xml|yaml)$)/

const maxBytes: Readonly<Record<Exclude<PreviewKind, 'none'>, number>> = {
  image: 20 * 1024 ** 2,
  audio: 50 * 1024 ** 2,
  video: 50 * 1024 ** 2,
  // Only the beginning is fetched.
  text: Number.POSITIVE_INFINITY,
}

/** How much of a text is shown. */
const textBytes = 64 * 1024

/**
 * How a file is shown. HTML and scripts are shown as text; an SVG is only shown as an image, in which no
 * script runs.
 */
function previewKindOf({ mime_type, size }: { mime_type: string; size: number }): PreviewKind {
  const [family] = mime_type.split('/')
  const kind =
    family === 'image' || family === 'audio' || family === 'video'
      ? family
      : textTypes.test(mime_type)
        ? 'text'
        : 'none'
  return kind !== 'none' && size <= maxBytes[kind] ? kind : 'none'
}
