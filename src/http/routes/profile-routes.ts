import { mintVisitorSecret, visitorUser } from '../../access/visitor.ts'
import type { Agent } from '../../agents/agent.ts'
import type { AgentService } from '../../agents/agent-service.ts'
import { avatarOf } from '../../agents/avatar.ts'
import { agentOperations as operations } from '../../contract/agent-operations.ts'
import { limits } from '../../contract/limits.ts'
import { agentVariables } from '../../conversations/conversation-inputs.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { Runs } from '../../workflow/run/run-service.ts'
import { admitOrigin } from '../cors.ts'
import { type Call, type Route, route } from '../route.ts'
import { agentOf } from './agent-access.ts'

interface ProfileParts {
  agents: AgentService
  runs: Pick<Runs, 'variables'>
  maxFileBytes: number
  visitorStorageBytes: number
  /** Whether recordings are transcribed. */
  hasTranscriber(workspaceId: string): Promise<boolean>
}

/** What visitors of public agents need before their first message. */
export function profileRoutes(parts: ProfileParts): Route[] {
  const { agents, runs, maxFileBytes, visitorStorageBytes, hasTranscriber } = parts
  /** Only workflows accept messages that no model understands. */
  const messageTypes = async (workspaceId: string, hasWorkflow: boolean): Promise<string[]> => {
    const spoken = hasWorkflow || (await hasTranscriber(workspaceId)) ? ['voice'] : []
    const files =
      visitorStorageBytes > 0 ? ['image', 'file', ...spoken, ...(hasWorkflow ? ['video'] : [])] : []
    return ['text', ...files, ...(hasWorkflow ? ['action'] : [])]
  }

  const publicAgent = async (
    { request, reply }: Pick<Call, 'request' | 'reply'>,
    id: string,
  ): Promise<{ workspaceId: string; agent: Agent }> => {
    const found = await agents.store.findPublic(id)
    if (!found) throw new AppError('not_found', `There is no public agent ${id}`)
    admitOrigin(request, reply, found.agent.allowedOrigins)
    return found
  }

  return [
    route(operations.profile, async call => {
      const { workspaceId, agent } = await publicAgent(call, call.query.agent_id)
      const { id, name, intro, config } = agent
      const { prologue, recommendation_question: questions, workflow_id: workflow } = config
      return {
        ...{ agent_id: id, name, intro, prologue: prologue ?? '', recommendation_question: questions ?? [] },
        avatar: avatarOf(config),
        message_types: await messageTypes(workspaceId, Boolean(workflow)),
        max_file_bytes: Math.min(maxFileBytes, limits.conversationFileBytes),
        max_files: limits.messageFiles,
        variables: await agentVariables(runs, workspaceId, agent),
      }
    }),

    route(operations.variables, async call => {
      const { workspaceId, agent } = await agentOf(agents, call, call.query.agent_id, 'read')
      return { variables: await agentVariables(runs, workspaceId, agent) }
    }),

    route(operations.visitor, async call => {
      await publicAgent(call, call.body.agent_id)
      const visitor = mintVisitorSecret()
      return { visitor, user_id: visitorUser(visitor) }
    }),
  ]
}
