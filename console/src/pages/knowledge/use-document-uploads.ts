import { useQueryClient } from '@tanstack/react-query'
import { ApiFailure } from '../../api/api-failure.ts'
import { call } from '../../api/call.ts'
import { upload } from '../../api/upload.ts'
import type { UploadEntry, UploadQueue, UploadSteps } from '../../ui/uploads/upload-queue.ts'
import { uploadsTo, useUploads } from '../../ui/uploads/use-uploads.ts'

const stepsFor = (knowledgeId: string): UploadSteps => ({
  send: async (file, options) => (await upload(file, options)).file_id,
  add: async (fileIds, metadata) => {
    const { skipped } = await call('POST /api/v1/knowledge/{knowledge_id}', {
      params: { knowledge_id: knowledgeId },
      body: { file_ids: fileIds, ...(Object.keys(metadata).length > 0 && { metadata }) },
    })
    return new Map(
      // One that is there already is what was wished for.
      skipped
        .filter(({ reason }) => reason === 'not_found')
        .map(({ file_id, reason }) => [file_id, new ApiFailure('The uploaded file is gone', { reason })]),
    )
  },
})

/** The uploads into one base, whatever page they were begun on. */
export function useDocumentUploads(knowledgeId: string): {
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
