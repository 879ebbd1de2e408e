import { useQueryClient } from '@tanstack/react-query'
import { allKey, useAll } from '../../api/queries.ts'

const list = 'POST /api/v1/secret/list'

export const useSecrets = () => useAll(list)

export function useRefreshSecrets(): () => Promise<unknown> {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: allKey(list) })
}
