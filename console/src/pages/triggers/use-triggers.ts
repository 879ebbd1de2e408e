import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { CallInput, ItemOf } from '../../api/operations.ts'
import { allKey, useAll } from '../../api/queries.ts'

const list = 'POST /api/v1/trigger/list'

export type Trigger = ItemOf<typeof list>

export const useTriggers = () => useAll(list)

export function useRefreshTriggers(): () => Promise<unknown> {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: allKey(list) })
}

export function useUpdateTrigger() {
  const refresh = useRefreshTriggers()
  return useMutation({
    mutationFn: (body: CallInput<'POST /api/v1/trigger/update'>['body']) =>
      call('POST /api/v1/trigger/update', { body }),
    onSuccess: refresh,
  })
}
