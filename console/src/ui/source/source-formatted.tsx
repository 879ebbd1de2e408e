import { useQuery } from '@tanstack/react-query'
import { type ComponentType, lazy, useEffect } from 'react'
import { addressOf, request } from '../../api/request.ts'
import { Loading } from '../loading.tsx'
import { defineWords } from '../words.ts'
import { NotShown } from './not-shown.tsx'
import type { DocumentView, Source } from './open-source.ts'
import type { SourceMarkdownProps } from './source-markdown.tsx'

// Without its chunk, which an updated server no longer has, the text is shown.
const SourceMarkdown = lazy(() =>
  import('./source-markdown.tsx').then(
    (module): { default: ComponentType<SourceMarkdownProps> } => ({ default: module.SourceMarkdown }),
    () => ({ default: NotShown }),
  ),
)

const useWords = defineWords({ text: 'Document' }, { text: '文档' })

/** A longer document would take long to format; its text is shown page by page instead. */
const maxBytes = 256 * 1024

export const isMarkdown = ({ name, mime_type }: DocumentView): boolean =>
  mime_type.startsWith('text/markdown') || /\.(?:md|markdown|mdx)$/i.test(name)

async function readText(fileId: string, signal: AbortSignal): Promise<string> {
  const response = await request(addressOf('GET /api/v1/files/{file_id}', { params: { file_id: fileId } }), {
    signal,
  })
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
    await response.body?.cancel()
    throw new Error('too long')
  }
  // For other encodings the plain text is shown instead, which the server has decoded.
  return new TextDecoder('utf-8', { fatal: true }).decode(await response.arrayBuffer())
}

interface SourceFormattedProps {
  source: Source
  view: DocumentView
  onFailed: () => void
}

/** The original of a Markdown document, formatted. If this fails, `onFailed` shows the text. */
export function SourceFormatted({ source, view, onFailed }: SourceFormattedProps) {
  const words = useWords()
  const { data, isError } = useQuery({
    queryKey: ['knowledge', 'base', source.knowledgeId, 'original', source.fileId],
    queryFn: ({ signal }) => readText(source.fileId, signal),
    retry: false,
    gcTime: 0,
  })
  useEffect(() => {
    if (isError) onFailed()
  }, [isError, onFailed])
  if (data === undefined) return <Loading />
  const { passage, total, items } = view
  return (
    <SourceMarkdown
      text={data}
      passage={passage ? items.find(({ chunk_id }) => chunk_id === passage.chunk_id)?.text : undefined}
      share={passage ? passage.position / Math.max(1, total) : 0}
      label={words.text}
      onFailed={onFailed}
    />
  )
}
