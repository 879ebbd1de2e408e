import type { Presence } from '../../access/presence.ts'
import type { AgentService } from '../../agents/agent-service.ts'
import { presenceOperations as operations } from '../../contract/presence-operations.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { WorkflowStore } from '../../workflow/workflow-store.ts'
import { type Route, route } from '../route.ts'

interface PresenceParts {
  presence: Presence
  agents: Pick<AgentService, 'get'>
  workflows: Pick<WorkflowStore, 'find'>
}

export const presenceRoutes = ({ presence, agents, workflows }: PresenceParts): Route[] => [
  route(operations.report, async ({ workspaceId, token, body }) => {
    const { kind, id, window, leaving = false } = body
    if (kind === 'agent') await agents.get(workspaceId, id)
    else if (!(await workflows.find(workspaceId, id)))
      throw new AppError('not_found', `There is no workflow ${id}`)
    const { id: tokenId, name } = token
    const others = presence.report({ workspaceId, kind, id, window, tokenId, name, leaving })
    return { others: others.map(({ isSame, ...other }) => ({ ...other, same_token: isSame })) }
  }),
]
