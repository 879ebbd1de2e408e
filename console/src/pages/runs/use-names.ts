import { useAll } from '../../api/use-all.ts'
import { useSession } from '../../session/use-session.ts'

/** What people call workflows and agents; their ids where they are gone. */
export function useNames() {
  const { data: session } = useSession()
  // A runner sees neither list.
  const enabled = session !== undefined && session.role !== 'runner'
  const workflows = useAll('POST /api/v1/workflow/list', { enabled }).data ?? []
  const agents = useAll('POST /api/v1/agent/list', { enabled }).data ?? []
  return {
    workflows,
    agents,
    workflowName: (id: string) => workflows.find(each => each.id === id)?.name || id,
    agentName: (id: string) => agents.find(each => each.id === id)?.name || id,
  }
}
