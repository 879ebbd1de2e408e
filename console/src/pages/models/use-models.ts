import { useQueryClient } from '@tanstack/react-query'
import type { ItemOf } from '../../api/operations.ts'
import { allKey, useAll } from '../../api/use-all.ts'

export type Model = ItemOf<'POST /api/v1/model/list'>

export const useModels = () => useAll('POST /api/v1/model/list')

/** Looks again at the models, and at whether the server has one to answer with. */
export function useRefreshModels(): () => Promise<unknown> {
  const queries = useQueryClient()
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: allKey('POST /api/v1/model/list') }),
      queries.invalidateQueries({ queryKey: ['server'] }),
    ])
}
