import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
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
  for (let page = 1; ; page += 1) {
    const { items, total } = await call('GET /api/v1/knowledge/{knowledge_id}/files', {
      params: { knowledge_id: knowledgeId },
      query: { keyword, page, page_size: 100 },
      signal,
    })
    const found = items.find(({ file_id }) => file_id === fileId)
    if (found) return found
    if (items.length === 0 || page * 100 >= total) return null
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
      for (let page = 1; ; page += 1) {
        const { items, total } = await call('GET /api/v1/knowledge/{knowledge_id}/files/{file_id}/chunks', {
          params: { knowledge_id: of.knowledgeId, file_id: of.fileId },
          query: { page, page_size: 100 },
          signal,
        })
        const at = items.findIndex((chunk: Chunk) => chunk.chunk_id === chunkId)
        if (at !== -1) return Math.floor(((page - 1) * 100 + at) / chunksPerPage) + 1
        if (items.length === 0 || page * 100 >= total) return 1
      }
    },
    enabled: chunkId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
}
