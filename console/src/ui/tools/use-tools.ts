import { useQueryClient } from '@tanstack/react-query'
import type { ItemOf } from '../../api/operations.ts'
import { allKey, useAll } from '../../api/queries.ts'

const list = 'POST /api/v1/tool/list'

export type SharedTool = ItemOf<typeof list>

export const useTools = ({ enabled = true } = {}) => useAll(list, { enabled })

export function useRefreshTools(): () => Promise<unknown> {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: allKey(list) })
}
