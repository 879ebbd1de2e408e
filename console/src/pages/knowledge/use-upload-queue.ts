import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { ApiFailure } from '../../api/api-failure.ts'
import { call } from '../../api/call.ts'
import { onTokenChange } from '../../api/token.ts'
import { upload } from '../../api/upload.ts'
import { type UploadEntry, UploadQueue, type UploadSteps } from './upload-queue.ts'

const queues = new Map<string, UploadQueue>()

// What one person began must not go on as another.
onTokenChange(() => {
  for (const queue of queues.values()) queue.cancel()
  queues.clear()
})

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
export function useUploadQueue(knowledgeId: string): { queue: UploadQueue; entries: readonly UploadEntry[] } {
  const queries = useQueryClient()
  let queue = queues.get(knowledgeId)
  if (!queue) {
    queue = new UploadQueue(stepsFor(knowledgeId))
    queues.set(knowledgeId, queue)
  }
  const entries = useSyncExternalStore(queue.subscribe, queue.entries)
  const added = entries.reduce((count, { state }) => count + (state === 'added' ? 1 : 0), 0)
  useEffect(() => {
    if (added > 0) void queries.invalidateQueries({ queryKey: ['knowledge', 'base', knowledgeId] })
  }, [queries, knowledgeId, added])
  const isBusy = entries.some(({ state }) => state === 'waiting' || state === 'sending' || state === 'sent')
  useEffect(() => {
    if (!isBusy) return
    // The browser then asks before the page is left for good; inside the console uploads go on by themselves.
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isBusy])
  return { queue, entries }
}
