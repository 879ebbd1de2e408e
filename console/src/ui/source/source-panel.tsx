import { CloseOutlined, DownloadOutlined } from '@ant-design/icons'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Alert, Button, Segmented } from 'antd'
import { type ComponentType, lazy, Suspense, useCallback, useState } from 'react'
import { ApiFailure } from '../../api/api-failure.ts'
import { call } from '../../api/call.ts'
import { saveFile } from '../../api/save-file.ts'
import { QueryFailure, useFailureToast } from '../failure.tsx'
import { Loading } from '../loading.tsx'
import { PageLink } from '../page-link.tsx'
import { PassageText } from '../passage/passage-text.tsx'
import { pathTo } from '../router.ts'
import { defineWords } from '../words.ts'
import { NotShown } from './not-shown.tsx'
import { closeSource, type DocumentView, type Source } from './open-source.ts'
import { isMarkdown, SourceFormatted } from './source-formatted.tsx'
import { SourceImage } from './source-image.tsx'
import type { SourcePdfProps } from './source-pdf.tsx'
import { SourceText } from './source-text.tsx'

// Without its chunk, which an updated server no longer has, the text is shown.
const SourcePdf = lazy(() =>
  import('./source-pdf.tsx').then(
    (module): { default: ComponentType<SourcePdfProps> } => ({ default: module.SourcePdf }),
    () => ({ default: NotShown }),
  ),
)

const range = (first: number, last: number): string => (first === last ? `${first}` : `${first}–${last}`)

const useWords = defineWords(
  {
    source: (index: number) => `Source ${index}`,
    open: 'Open in document',
    download: 'Download original',
    close: 'Close source',
    score: (score: string) => `Score ${score}`,
    page: (first: number, last: number) => `p. ${range(first, last)}`,
    show: 'Show as',
    original: 'Original',
    text: 'Text',
    quote: 'Cited text',
    moved: 'The document has been re-processed since, and the passage has changed.',
    gone: 'This document is no longer in the knowledge base.',
    forbidden: 'You do not have permission to view this document.',
    noOriginal: 'The original cannot be shown. This is its text.',
  },
  {
    source: (index: number) => `来源 ${index}`,
    open: '在文档中查看',
    download: '下载原文件',
    close: '关闭来源',
    score: (score: string) => `得分 ${score}`,
    page: (first: number, last: number) => `第 ${range(first, last)} 页`,
    show: '显示方式',
    original: '原文件',
    text: '文本',
    quote: '引用的文字',
    moved: '文档后来被重新处理过，这个段落已有变化。',
    gone: '这个文档已不在知识库中。',
    forbidden: '你没有查看这个文档的权限。',
    noOriginal: '无法显示原文件，以下是它的文本。',
  },
)

const hasStatus = (error: unknown, status: number): boolean =>
  error instanceof ApiFailure && error.status === status

/** The document with the passage, or without it if the passage is gone. */
function useView({ knowledgeId, fileId, chunkId }: Source) {
  return useQuery({
    queryKey: ['knowledge', 'base', knowledgeId, 'view', fileId, chunkId],
    // Not cached, because the passage may be gone when it is opened again.
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const read = (query: { chunk_id?: string }): Promise<DocumentView> =>
        call('GET /api/v1/knowledge/{knowledge_id}/files/{file_id}/view', {
          params: { knowledge_id: knowledgeId, file_id: fileId },
          query,
          signal,
        })
      if (chunkId === undefined) return read({})
      return read({ chunk_id: chunkId }).catch(error => {
        if (hasStatus(error, 404)) return read({})
        throw error
      })
    },
  })
}

export interface SourcePanelProps {
  source: Source
}

/** A document with the passage highlighted: the pages of a PDF, an image, formatted Markdown, or the text. */
export function SourcePanel({ source }: SourcePanelProps) {
  const words = useWords()
  const view = useView(source)
  const [isText, setIsText] = useState(false)
  const [hasFailed, setHasFailed] = useState(false)
  const fail = useCallback(() => setHasFailed(true), [])
  const shown = view.data
  const isGone = hasStatus(view.error, 404)
  const isForbidden = hasStatus(view.error, 403)
  const isMoved = shown !== undefined && source.chunkId !== undefined && shown.passage === null
  const notice = isGone ? words.gone : isForbidden ? words.forbidden : isMoved ? words.moved : undefined
  const hasOriginal = shown !== undefined && (shown.kind !== 'text' || isMarkdown(shown)) && !hasFailed
  return (
    <>
      <SourceHead source={source} view={shown} />
      {hasOriginal && (
        <Segmented
          className="source-choice"
          size="small"
          aria-label={words.show}
          value={isText ? 'text' : 'original'}
          options={[
            { value: 'original', label: words.original },
            { value: 'text', label: words.text },
          ]}
          onChange={value => setIsText(value === 'text')}
        />
      )}
      {notice !== undefined && <Alert className="source-notice" type="info" showIcon title={notice} />}
      {notice !== undefined && source.quote !== undefined && (
        <blockquote className="source-quote" aria-label={words.quote}>
          <PassageText text={source.quote} />
        </blockquote>
      )}
      {hasFailed && <Alert className="source-notice" type="info" showIcon title={words.noOriginal} />}
      {view.isPending && <Loading />}
      {view.isError && !isGone && !isForbidden && <QueryFailure query={view} />}
      {shown && (
        <Suspense fallback={<Loading />}>
          <SourceContent source={source} view={shown} isText={isText || hasFailed} onFailed={fail} />
        </Suspense>
      )}
    </>
  )
}

interface SourceContentProps extends SourcePanelProps {
  view: DocumentView
  isText: boolean
  onFailed: () => void
}

function SourceContent({ source, view, isText, onFailed }: SourceContentProps) {
  if (!isText && view.kind === 'pdf')
    return <SourcePdf fileId={source.fileId} passage={view.passage} onFailed={onFailed} />
  if (!isText && view.kind === 'image')
    return <SourceImage fileId={source.fileId} name={view.name} onFailed={onFailed} />
  if (!isText && isMarkdown(view)) return <SourceFormatted source={source} view={view} onFailed={onFailed} />
  return <SourceText source={source} first={view} />
}

/** The origin of the passage, and actions for the document. */
function SourceHead({ source, view }: { source: Source; view: DocumentView | undefined }) {
  const words = useWords()
  const showFailure = useFailureToast()
  const { knowledgeId, fileId, fileName, chunkId, index, score } = source
  const save = useMutation({ mutationFn: () => saveFile(fileId, fileName), onError: showFailure })
  const passage = view?.passage
  const path = pathTo('knowledge', knowledgeId, 'documents', fileId)
  const place =
    passage && chunkId !== undefined
      ? `?chunk=${encodeURIComponent(chunkId)}&position=${passage.position}`
      : chunkId === undefined
        ? ''
        : `?chunk=${encodeURIComponent(chunkId)}`
  return (
    <header className="source-head">
      <div className="source-title">
        {index !== undefined && <span className="soft small">{words.source(index)}</span>}
        <h2 title={fileName}>{fileName}</h2>
        <div className="source-place soft small">
          {passage && passage.page !== null && (
            <span>{words.page(passage.page, passage.last_page ?? passage.page)}</span>
          )}
          {score !== undefined && <span>{words.score(score.toFixed(2))}</span>}
          <a href={path + place}>{words.open}</a>
        </div>
        {view?.source_url && <PageLink url={view.source_url} />}
      </div>
      {view && (
        <Button
          type="text"
          icon={<DownloadOutlined aria-hidden />}
          title={words.download}
          aria-label={words.download}
          loading={save.isPending}
          onClick={() => save.mutate()}
        />
      )}
      <Button
        type="text"
        icon={<CloseOutlined aria-hidden />}
        title={words.close}
        aria-label={words.close}
        onClick={() => closeSource()}
      />
    </header>
  )
}
