import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { call } from '../../../api/call.ts'
import type { CallData, ItemOf } from '../../../api/operations.ts'
import { useFailureToast } from '../../../ui/failure.tsx'
import { navigate, pathTo } from '../../../ui/router.ts'
import { useRefreshKnowledge } from '../use-knowledge.ts'
import { withQuery } from '../with-query.ts'

export type GoldenQuestion = ItemOf<'GET /api/v1/knowledge/{knowledge_id}/golden'>
export type GoldenRun = ItemOf<'GET /api/v1/knowledge/{knowledge_id}/golden/runs'>
export type GoldenResult =
  CallData<'GET /api/v1/knowledge/{knowledge_id}/golden/runs/{run_id}'>['results'][number]

export const pageSize = 20
const progressMilliseconds = 1000

/** The key is below that of the base, so that a change of the base refetches golden questions, too. */
const goldenKey = (knowledgeId: string) => ['knowledge', 'base', knowledgeId, 'golden'] as const

export const isActive = ({ status }: Pick<GoldenRun, 'status'>): boolean =>
  status === 'queued' || status === 'running'

export const useQuestions = (knowledgeId: string, page: number) =>
  useQuery({
    queryKey: [...goldenKey(knowledgeId), 'questions', page],
    queryFn: ({ signal }) =>
      call('GET /api/v1/knowledge/{knowledge_id}/golden', {
        params: { knowledge_id: knowledgeId },
        query: { page, page_size: pageSize },
        signal,
      }),
    placeholderData: keepPreviousData,
  })

export const useRuns = (knowledgeId: string, page: number) =>
  useQuery({
    queryKey: [...goldenKey(knowledgeId), 'runs', page],
    queryFn: ({ signal }) =>
      call('GET /api/v1/knowledge/{knowledge_id}/golden/runs', {
        params: { knowledge_id: knowledgeId },
        query: { page, page_size: pageSize },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(isActive) ? progressMilliseconds : false),
  })

/** A run with its results, polled until it ends. */
export const useRun = (knowledgeId: string, runId: string | undefined) =>
  useQuery({
    queryKey: [...goldenKey(knowledgeId), 'run', runId],
    queryFn: ({ signal }) =>
      call('GET /api/v1/knowledge/{knowledge_id}/golden/runs/{run_id}', {
        params: { knowledge_id: knowledgeId, run_id: runId! },
        signal,
      }),
    enabled: runId !== undefined,
    refetchInterval: ({ state }) => (state.data && isActive(state.data.run) ? progressMilliseconds : false),
  })

/** Whether the results of a run describe the current base, unlike those about a discarded index. */
const isCurrent = ({ reason, status, total }: GoldenRun): boolean =>
  total > 0 &&
  (status === 'passed' ||
    status === 'accepted' ||
    (reason === 'manual' && status === 'discarded') ||
    (reason !== 'index' && status === 'lost'))

/** The newest run whose results describe the current base. */
export const currentRun = (runs: readonly GoldenRun[] | undefined): GoldenRun | undefined =>
  runs?.find(isCurrent)

export const goldenHref = (knowledgeId: string, runId?: string): string =>
  withQuery(pathTo('knowledge', knowledgeId, 'golden'), { run: runId })

export function useStartRun(knowledgeId: string) {
  const refresh = useRefreshKnowledge()
  return useMutation({
    mutationFn: () =>
      call('POST /api/v1/knowledge/{knowledge_id}/golden/run', {
        params: { knowledge_id: knowledgeId },
        body: {},
      }),
    onSuccess: async ({ id }) => {
      navigate(goldenHref(knowledgeId, id))
      await refresh(knowledgeId)
    },
    onError: useFailureToast(),
  })
}

/** Accepts or discards the change, or the manual run, that lost questions. */
export function useDecision(knowledgeId: string, runId: string) {
  const refresh = useRefreshKnowledge()
  const params = { knowledge_id: knowledgeId, run_id: runId }
  return useMutation({
    mutationFn: (decision: 'accept' | 'discard') =>
      decision === 'accept'
        ? call('POST /api/v1/knowledge/{knowledge_id}/golden/runs/{run_id}/accept', { params })
        : call('POST /api/v1/knowledge/{knowledge_id}/golden/runs/{run_id}/discard', { params }),
    onError: useFailureToast(),
    onSettled: () => refresh(knowledgeId),
  })
}
