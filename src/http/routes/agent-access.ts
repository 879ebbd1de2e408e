import type { TokenRecord } from '../../access/access-store.ts'
import { isAllowed } from '../../access/permissions.ts'
import type { Agent } from '../../agents/agent.ts'
import type { AgentService } from '../../agents/agent-service.ts'
import { AppError } from '../../kernel/app-error.ts'

/** A runner may use only its own agents. */
export const mayUse = (token: TokenRecord, agentId: string): boolean =>
  token.agentIds.length === 0 || token.agentIds.includes(agentId)

/** For a token that is bound to a user, what belongs to other users does not exist. */
export const maySee = (token: TokenRecord | undefined, userId: string): boolean =>
  token?.userId === undefined || token.userId === userId

/** The user that a request acts for. A token that is bound to a user acts for no other. */
export function userOf(
  token: TokenRecord | undefined,
  requested: string | undefined,
  field = 'user_id',
): string | undefined {
  if (requested !== undefined && !maySee(token, requested))
    throw new AppError('forbidden', `This token is bound to another user; omit ${field}`, {
      errors: [{ path: `/${field}`, message: 'must be omitted' }],
    })
  return token?.userId ?? requested
}

/**
 * The agent of a conversation and its workspace. Without a token only public agents are found, and the error does not
 * reveal whether a private one exists; with a token only agents of its workspace are found.
 */
export async function agentFor(
  agents: AgentService,
  token: TokenRecord | undefined,
  agentId: string,
  access: 'run' | 'read',
): Promise<{ workspaceId: string; agent: Agent }> {
  if (!token) {
    const found = await agents.store.findPublic(agentId)
    if (found) return found
    throw new AppError('token_missing', 'Send a token as Authorization: Bearer <token>')
  }
  if (!isAllowed(token, 'run') && !isAllowed(token, access))
    throw new AppError('forbidden', `A token with the role ${token.role} may not chat with agents`)
  if (!mayUse(token, agentId)) throw new AppError('forbidden', `This token may not use the agent ${agentId}`)
  return { workspaceId: token.workspaceId, agent: await agents.get(token.workspaceId, agentId) }
}
