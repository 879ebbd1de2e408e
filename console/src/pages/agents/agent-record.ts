import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { CallData } from '../../api/operations.ts'

type SavedAgent = CallData<'POST /api/v1/agent/update'>
export type AgentRecord = Omit<SavedAgent, 'warnings'>
export type Warning = SavedAgent['warnings'][number]

export const agentKey = (id: string) => ['agent', id]

/** An agent by its id; null if it does not exist. */
export function useAgent(id: string) {
  return useQuery({
    queryKey: agentKey(id),
    queryFn: async ({ signal }) => {
      const { agents } = await call('POST /api/v1/agent/gets', { body: { id: [id] }, signal })
      const found = agents[id] as { exist: boolean; data?: AgentRecord } | undefined
      return found?.data ?? null
    },
    // No refetching: the user may be editing the form.
    refetchOnWindowFocus: false,
  })
}
