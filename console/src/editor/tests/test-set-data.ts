import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { CallData, ItemOf } from '../../api/operations.ts'

/** The workflow or agent that a set tests. */
export type Subject = { workflow_id: string } | { agent_id: string }

export type TestSet = ItemOf<'POST /api/v1/test/list'>
export type TestCase = ItemOf<'POST /api/v1/test/cases'>
export type TestRun = ItemOf<'POST /api/v1/test/runs'>
export type TestResult = CallData<'POST /api/v1/test/results'>['results'][number]
export type Gate = TestSet['gate']

/** The maximum number of cases in a set fits on two pages. */
const pageSize = 100
const progressMilliseconds = 1000

export const isActive = ({ status }: Pick<TestRun, 'status'>): boolean =>
  status === 'queued' || status === 'running'

export const useTestSets = (subject: Subject, page = 1, { enabled = true } = {}) =>
  useQuery({
    queryKey: ['tests', 'sets', subject, page],
    queryFn: ({ signal }) =>
      call('POST /api/v1/test/list', { body: { ...subject, page, page_size: pageSize }, signal }),
    placeholderData: keepPreviousData,
    enabled,
  })

export const useTestSet = (id: string) =>
  useQuery({
    queryKey: ['tests', 'set', id],
    queryFn: ({ signal }) => call('POST /api/v1/test/get', { body: { id }, signal }),
  })

export const useCases = (id: string) =>
  useQuery({
    queryKey: ['tests', 'cases', id],
    queryFn: async ({ signal }): Promise<TestCase[]> => {
      const read = (page: number) =>
        call('POST /api/v1/test/cases', { body: { id, page, page_size: pageSize }, signal })
      const first = await read(1)
      return first.total > pageSize ? [...first.items, ...(await read(2)).items] : first.items
    },
  })

export const useTestRuns = (id: string) =>
  useQuery({
    queryKey: ['tests', 'runs', id],
    queryFn: ({ signal }) => call('POST /api/v1/test/runs', { body: { id, page: 1, page_size: 20 }, signal }),
  })

/** The results of a test run, polled until it ends. */
export const useResults = (testRunId: string | undefined) =>
  useQuery({
    queryKey: ['tests', 'results', testRunId],
    queryFn: ({ signal }) => call('POST /api/v1/test/results', { body: { id: testRunId! }, signal }),
    enabled: testRunId !== undefined,
    refetchInterval: ({ state }) => (state.data && isActive(state.data.run) ? progressMilliseconds : false),
  })

export function useRefreshTests(): () => Promise<void> {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: ['tests'] })
}

export const hasDraft = (subject: Subject): boolean => 'workflow_id' in subject
