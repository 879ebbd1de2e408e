import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { ItemOf } from '../../api/operations.ts'
import { useAll } from '../../api/queries.ts'
import { useMay, useSession } from '../../session/use-session.ts'

type Agent = Pick<ItemOf<'POST /api/v1/agent/list'>, 'id' | 'name' | 'config'>

/** The agents of a runner, which cannot list them. */
function useRunnersAgents(): readonly Agent[] | undefined {
  const { data: session } = useSession()
  const id = session?.role === 'runner' ? session.agent_ids : []
  const { data } = useQuery({
    queryKey: ['agents of a runner', id],
    queryFn: ({ signal }) => call('POST /api/v1/agent/gets', { body: { id }, signal }),
    enabled: id.length > 0,
  })
  const found = data?.agents as Readonly<Record<string, { data?: Agent }>> | undefined
  return found && Object.values(found).flatMap(({ data: agent }) => agent ?? [])
}

/** Names of workflows and agents; ids if they were deleted. */
export function useNames() {
  const enabled = useMay().read
  const workflows = useAll('POST /api/v1/workflow/list', { enabled }).data ?? []
  const listed = useAll('POST /api/v1/agent/list', { enabled }).data
  const agents: readonly Agent[] = useRunnersAgents() ?? listed ?? []
  return {
    workflows,
    agents,
    workflowName: (id: string) => workflows.find(each => each.id === id)?.name || id,
    agentAvatar: (id: string) => agents.find(each => each.id === id)?.config.avatar,
    agentName: (id: string) => agents.find(each => each.id === id)?.name || id,
  }
}
