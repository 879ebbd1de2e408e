import { useQueryClient } from '@tanstack/react-query'
import { Pagination } from 'antd'
import { useEffect } from 'react'
import { useMay } from '../../session/use-session.ts'
import { ByteSize } from '../../ui/byte-size.tsx'
import { QueryFailure } from '../../ui/failure.tsx'
import { kindOfFile } from '../../ui/file-kind.ts'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { navigate, pathTo } from '../../ui/router.ts'
import { shownTotal } from '../../ui/shown-total.ts'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'
import { AddPassage } from './add-passage.tsx'
import { ChunkCard } from './chunk-card.tsx'
import { DocumentButtons } from './document-buttons.tsx'
import { DocumentState, FailureOfDocument, MetadataTags } from './document-state.tsx'
import { DocumentWarnings } from './document-warnings.tsx'
import {
  chunksKey,
  chunksPerPage,
  isOnItsWay,
  useChunks,
  useDocument,
  usePageOfChunk,
} from './use-document.ts'
import { type KnowledgeDocument, useKnowledgeBase } from './use-knowledge.ts'
import { pageIn, withQuery } from './with-query.ts'
import './knowledge.css'

const useWords = defineWords(
  {
    document: 'Document',
    knowledge: 'Knowledge base',
    chunks: 'Passages',
    total: (count: string) => (count === '1' ? '1 passage' : `${count} passages`),
    none: 'No passages yet. They appear here once the document has been processed.',
    moved: 'The linked passage no longer exists: the document has been re-processed since.',
  },
  {
    document: '文档',
    knowledge: '知识库',
    chunks: '段落',
    total: (count: string) => `共 ${count} 个段落`,
    none: '还没有段落。文档处理完成后，段落会显示在这里。',
    moved: '要查看的段落已不存在：文档后来被重新处理过。',
  },
)

interface DocumentPageProps {
  knowledgeId: string
  fileId: string
  query: URLSearchParams
}

/** The page of chunks that the link refers to: by number, or the page that contains a chunk. */
function useMeantPage({ knowledgeId, fileId, query }: DocumentPageProps): number | undefined {
  const chunkId = query.get('chunk') ?? undefined
  const position = /^\d{1,9}$/.test(query.get('position') ?? '') ? Number(query.get('position')) : undefined
  const isSought = chunkId !== undefined && !query.has('page') && position === undefined
  const { data, isError } = usePageOfChunk({ knowledgeId, fileId }, isSought ? chunkId : undefined)
  if (isSought) return isError ? 1 : data
  if (query.has('page') || position === undefined) return pageIn(query)
  return Math.floor(position / chunksPerPage) + 1
}

/** The chunks of a document, in order, to be reviewed and edited. */
export function DocumentPage(props: DocumentPageProps) {
  const words = useWords()
  const { knowledgeId, fileId, query } = props
  const may = useMay()
  const page = useMeantPage(props)
  const { data: base } = useKnowledgeBase(knowledgeId)
  const details = useDocument(knowledgeId, fileId)
  const { data: document } = details
  const chunks = useChunks({ knowledgeId, fileId }, page)
  const queries = useQueryClient()
  const isMoving = document ? isOnItsWay(document) : false
  useEffect(() => {
    // After re-processing, a document has other chunks.
    if (isMoving)
      return () => void queries.invalidateQueries({ queryKey: chunksKey({ knowledgeId, fileId }) })
  }, [queries, isMoving, knowledgeId, fileId])
  const chunkId = query.get('chunk') ?? undefined
  const home = pathTo('knowledge', knowledgeId)
  const isGone =
    chunkId !== undefined &&
    !query.has('page') &&
    chunks.isSuccess &&
    !chunks.isPlaceholderData &&
    !chunks.data.items.some(({ chunk_id }) => chunk_id === chunkId)
  return (
    <Page
      title={document?.name ?? words.document}
      back={{ href: home, title: base?.name ?? words.knowledge }}
      actions={
        document && (
          <DocumentButtons knowledgeId={knowledgeId} document={document} onRemoved={() => navigate(home)} />
        )
      }
    >
      {document && <DocumentAbout document={document} />}
      {isGone && <p className="soft">{words.moved}</p>}
      {chunks.isError ? <QueryFailure query={chunks} /> : details.isError && <QueryFailure query={details} />}
      {chunks.isPending && <Loading />}
      {chunks.data?.total === 0 && <p className="soft">{words.none}</p>}
      {chunks.data && chunks.data.total > 0 && (
        <>
          <ol className="kb-chunks" aria-label={words.chunks}>
            {chunks.data.items.map(chunk => (
              <ChunkCard
                key={chunk.chunk_id}
                chunk={chunk}
                of={{ knowledgeId, fileId }}
                fileName={document?.name ?? fileId}
                isMeant={chunk.chunk_id === chunkId}
              />
            ))}
          </ol>
          {may.write && <AddPassage knowledgeId={knowledgeId} fileId={fileId} />}
          <Pagination
            className="knowledge-pages"
            align="end"
            current={page ?? 1}
            pageSize={chunksPerPage}
            total={chunks.data.total}
            showSizeChanger={false}
            showTotal={() => words.total(shownTotal(chunks.data))}
            onChange={next =>
              navigate(withQuery(pathTo('knowledge', knowledgeId, 'documents', fileId), { page: next }))
            }
          />
        </>
      )}
    </Page>
  )
}

const useDocumentAboutWords = defineWords(
  { added: 'Added', chunks: (count: number) => (count === 1 ? '1 passage' : `${count} passages`) },
  { added: '添加于', chunks: (count: number) => `${count} 个段落` },
)

/** A document's details in one line. */
function DocumentAbout({ document }: { document: KnowledgeDocument }) {
  const words = useDocumentAboutWords()
  return (
    <div className="kb-document-about">
      <DocumentState document={document} />
      <span className="soft">{kindOfFile(document.name, document.mime_type)}</span>
      <span className="soft">
        <ByteSize bytes={document.size} />
      </span>
      <span className="soft">{words.chunks(document.chunk_count)}</span>
      <span className="soft">
        {words.added} <When time={document.created_at} />
      </span>
      {document.source_url !== null && <PageLink url={document.source_url} />}
      <MetadataTags metadata={document.metadata} />
      <FailureOfDocument document={document} />
      <DocumentWarnings document={document} isDetailed />
    </div>
  )
}
