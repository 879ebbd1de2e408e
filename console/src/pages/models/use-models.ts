import { useQueryClient } from '@tanstack/react-query'
import type { ItemOf } from '../../api/operations.ts'
import { allKey, useAll } from '../../api/queries.ts'

export type Model = ItemOf<'POST /api/v1/model/list'>

export const modelTypes: readonly Model['type'][] = ['chat', 'embedding', 'rerank', 'transcription', 'speech']

export const useModels = () => useAll('POST /api/v1/model/list')

/** Refetches the models, and the server's setup status. */
export function useRefreshModels(): () => Promise<unknown> {
  const queries = useQueryClient()
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: allKey('POST /api/v1/model/list') }),
      queries.invalidateQueries({ queryKey: ['server'] }),
    ])
}
