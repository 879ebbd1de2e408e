import type { TokenRecord } from '../../access/access-store.ts'
import { isAllowed } from '../../access/permissions.ts'
import type { Agent } from '../../agents/agent.ts'
import type { AgentService } from '../../agents/agent-service.ts'
import { AppError } from '../../kernel/app-error.ts'

/** A runner that was made for certain agents may use no others. */
export const mayUse = (token: TokenRecord, agentId: string): boolean =>
  token.agentIds.length === 0 || token.agentIds.includes(agentId)

/**
 * The agent that a call of a conversation is about, and the workspace it is in. Without a token only a public one is
 * found, and whether there is a private one stays unsaid; with a token nothing outside its workspace is.
 */
export async function agentFor(
  agents: AgentService,
  token: TokenRecord | undefined,
  agentId: string,
  access: 'run' | 'read',
): Promise<{ workspaceId: string; agent: Agent }> {
  if (!token) {
    const found = await agents.findPublic(agentId)
    if (found) return found
    throw new AppError('token_missing', 'Send a token as Authorization: Bearer <token>')
  }
  if (!isAllowed(token, 'run') && !isAllowed(token, access))
    throw new AppError('forbidden', `A token with the role ${token.role} may not talk to agents`)
  if (!mayUse(token, agentId))
    throw new AppError('forbidden', `This token was made for other agents than ${agentId}`)
  return { workspaceId: token.workspaceId, agent: await agents.get(token.workspaceId, agentId) }
}
