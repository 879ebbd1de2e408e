import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from './call.ts'
import type { CallData, CallInput } from './operations.ts'

export type Usage = CallData<'GET /api/v1/usage'>
export type UsageDay = Usage['days'][number]
export type Counts = Usage['totals']
export type UsageFilter = CallInput<'GET /api/v1/usage'>['query']

export const useUsage = (filter: UsageFilter) =>
  useQuery({
    queryKey: ['usage', filter],
    queryFn: ({ signal }) => call('GET /api/v1/usage', { query: filter, signal }),
    placeholderData: keepPreviousData,
  })
