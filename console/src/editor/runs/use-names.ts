import { useAll } from '../../api/queries.ts'
import { useSession } from '../../session/use-session.ts'

/** Names of workflows and agents; ids if they were deleted. */
export function useNames() {
  const { data: session } = useSession()
  // A runner can read neither list.
  const enabled = session !== undefined && session.role !== 'runner'
  const workflows = useAll('POST /api/v1/workflow/list', { enabled }).data ?? []
  const agents = useAll('POST /api/v1/agent/list', { enabled }).data ?? []
  return {
    workflows,
    agents,
    workflowName: (id: string) => workflows.find(each => each.id === id)?.name || id,
    agentAvatar: (id: string) => agents.find(each => each.id === id)?.config.avatar,
    agentName: (id: string) => agents.find(each => each.id === id)?.name || id,
  }
}
