import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { withCursor } from '../../api/queries.ts'
import type { Chunk, KnowledgeDocument } from './use-knowledge.ts'

export const chunksPerPage = 20
const pollMilliseconds = 1200

/** The API lists documents but has no call for a single one; its file name finds the right page of the list. */
async function findDocument(
  knowledgeId: string,
  fileId: string,
  signal: AbortSignal,
): Promise<KnowledgeDocument | null> {
  const { items: files } = await call('POST /api/v1/files', { body: { file_ids: [fileId] }, signal })
  const keyword = files[0]?.name
  if (keyword === undefined) return null
  for (let cursor = ''; ; ) {
    const page = await call('GET /api/v1/knowledge/{knowledge_id}/files', {
      params: { knowledge_id: knowledgeId },
      query: { keyword, ...withCursor(cursor), page_size: 100 },
      signal,
    })
    const found = page.items.find(({ file_id }) => file_id === fileId)
    if (found || page.next_cursor === null) return found ?? null
    cursor = page.next_cursor
  }
}

export const isOnItsWay = ({ status }: KnowledgeDocument): boolean =>
  status !== 'ready' && status !== 'failed' && status !== 'disabled'

/** One document; null if the knowledge base does not have it. */
export function useDocument(knowledgeId: string, fileId: string | undefined) {
  return useQuery({
    queryKey: ['knowledge', 'base', knowledgeId, 'document', fileId],
    queryFn: ({ signal }) => findDocument(knowledgeId, fileId!, signal),
    enabled: fileId !== undefined,
    refetchInterval: ({ state }) => (state.data && isOnItsWay(state.data) ? pollMilliseconds : false),
  })
}

interface ChunksOf {
  knowledgeId: string
  fileId: string
}

export const chunksKey = ({ knowledgeId, fileId }: ChunksOf) =>
  ['knowledge', 'base', knowledgeId, 'chunks', fileId] as const

/** Refetches the passages of a document after a change, and what is derived from them. */
export function useRefreshChunks(of: ChunksOf): () => Promise<unknown> {
  const queries = useQueryClient()
  const ofBase = ['knowledge', 'base', of.knowledgeId]
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: chunksKey(of) }),
      ...['search', 'record', 'document'].map(part =>
        queries.invalidateQueries({ queryKey: [...ofBase, part] }),
      ),
    ])
}

export function useChunks(of: ChunksOf, page: number | undefined) {
  return useQuery({
    queryKey: [...chunksKey(of), page],
    queryFn: ({ signal }) =>
      call('GET /api/v1/knowledge/{knowledge_id}/files/{file_id}/chunks', {
        params: { knowledge_id: of.knowledgeId, file_id: of.fileId },
        query: { page: page ?? 1, page_size: chunksPerPage },
        signal,
      }),
    enabled: page !== undefined,
    placeholderData: keepPreviousData,
  })
}

/** The page of a chunk whose position is unknown: pages are searched until it is found. */
export function usePageOfChunk(of: ChunksOf, chunkId: string | undefined) {
  return useQuery({
    queryKey: [...chunksKey(of), 'page of', chunkId],
    queryFn: async ({ signal }) => {
      let cursor = ''
      for (let before = 0; ; before += 100) {
        const page = await call('GET /api/v1/knowledge/{knowledge_id}/files/{file_id}/chunks', {
          params: { knowledge_id: of.knowledgeId, file_id: of.fileId },
          query: { ...withCursor(cursor), page_size: 100 },
          signal,
        })
        const at = page.items.findIndex((chunk: Chunk) => chunk.chunk_id === chunkId)
        if (at !== -1) return Math.floor((before + at) / chunksPerPage) + 1
        if (page.next_cursor === null) return 1
        cursor = page.next_cursor
      }
    },
    enabled: chunkId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
}
