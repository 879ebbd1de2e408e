import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { useTellFailure } from '../../ui/use-tell-failure.ts'
import { chunksKey } from './use-document.ts'

/** Corrects a chunk's text, or keeps it out of searches. */
export function useCorrectChunk(of: { knowledgeId: string; fileId: string }, chunkId: string) {
  const queries = useQueryClient()
  const tell = useTellFailure()
  return useMutation({
    mutationFn: (body: { content?: string; enabled?: boolean }) =>
      call('POST /api/v1/knowledge/{knowledge_id}/files/{file_id}/chunks/{chunk_id}/update', {
        params: { knowledge_id: of.knowledgeId, file_id: of.fileId, chunk_id: chunkId },
        body,
      }),
    onError: tell,
    // Waited for, so that the old text does not come back for a moment.
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: chunksKey(of) }),
        queries.invalidateQueries({ queryKey: ['knowledge', 'base', of.knowledgeId, 'search'] }),
        queries.invalidateQueries({ queryKey: ['knowledge', 'base', of.knowledgeId, 'record'] }),
      ]),
  })
}
