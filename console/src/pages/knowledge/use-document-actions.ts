import { useMutation } from '@tanstack/react-query'
import { App } from 'antd'
import { ApiFailure } from '../../api/api-failure.ts'
import { call } from '../../api/call.ts'
import { useFailureToast, useFailureWords } from '../../ui/failure.tsx'
import { joinSentences } from '../../ui/server-texts/message-facts.ts'
import { defineWords } from '../../ui/words.ts'
import { useRefreshKnowledge } from './use-knowledge.ts'

const useWords = defineWords(
  {
    again: (count: number) =>
      count === 1 ? 'Re-processing 1 document.' : `Re-processing ${count} documents.`,
    busy: (count: number) => `${count} are already being processed.`,
    removed: (count: number) => (count === 1 ? '1 document removed.' : `${count} documents removed.`),
    notRemoved: (count: number, why: string) => `${count} could not be removed: ${why}`,
  },
  {
    again: (count: number) => `正在重新处理 ${count} 个文档。`,
    busy: (count: number) => `${count} 个已在处理中。`,
    removed: (count: number) => `已移除 ${count} 个文档。`,
    notRemoved: (count: number, why: string) => `${count} 个未能移除：${why}`,
  },
)

/** Re-processes and removes documents. */
export function useDocumentActions(knowledgeId: string) {
  const words = useWords()
  const { message } = App.useApp()
  const showFailure = useFailureToast()
  const wordsOf = useFailureWords()
  const refresh = useRefreshKnowledge()
  const readAgain = useMutation({
    /** Without ids, all failed documents. */
    mutationFn: (fileIds: string[] | undefined) =>
      call('POST /api/v1/knowledge/{knowledge_id}/rebind', {
        params: { knowledge_id: knowledgeId },
        body: fileIds ? { file_ids: fileIds } : {},
      }),
    onSuccess: ({ accepted, skipped }) => {
      const parts = [
        words.again(accepted.length),
        ...(skipped.length > 0 ? [words.busy(skipped.length)] : []),
      ]
      message.info(joinSentences(parts))
    },
    onError: showFailure,
    onSettled: () => refresh(knowledgeId),
  })
  const remove = useMutation({
    mutationFn: async (fileIds: string[]) => {
      // One at a time: each is a separate call, and the server has other work.
      const failures: unknown[] = []
      for (const fileId of fileIds)
        await call('POST /api/v1/knowledge/{knowledge_id}/files/{file_id}/delete', {
          params: { knowledge_id: knowledgeId, file_id: fileId },
        }).catch((error: unknown) => {
          // A missing document was already removed.
          if (!(error instanceof ApiFailure) || error.reason !== 'not_found') failures.push(error)
        })
      return { removed: fileIds.length - failures.length, failures }
    },
    onSuccess: ({ removed, failures }) => {
      if (failures.length === 0) return void message.success(words.removed(removed))
      const why = words.notRemoved(failures.length, wordsOf(failures[0]).title)
      message.error(removed === 0 ? why : `${words.removed(removed)} ${why}`, 6)
    },
    onError: showFailure,
    onSettled: () => refresh(knowledgeId),
  })
  return { readAgain, remove }
}
