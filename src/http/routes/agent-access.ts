import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TokenRecord } from '../../access/access-store.ts'
import { isAllowed } from '../../access/permissions.ts'
import { isVisitorSecret, isVisitorUser, visitorUser } from '../../access/visitor.ts'
import type { Agent } from '../../agents/agent.ts'
import type { AgentService } from '../../agents/agent-service.ts'
import { AppError, invalidField } from '../../kernel/app-error.ts'
import { admitOrigin, visitorHeader } from '../cors.ts'

/** A runner may use only its own agents. */
export const mayUse = (token: TokenRecord, agentId: string): boolean =>
  token.agentIds.length === 0 || token.agentIds.includes(agentId)

/** Who sends a request to an agent. */
export interface Caller {
  token: TokenRecord | undefined
  /** The only user that the caller may act for: a visitor, or the user of its token. */
  boundUser: string | undefined
}

export const callerWith = (token: TokenRecord | undefined): Caller => ({ token, boundUser: token?.userId })

/** The caller of a request. A token takes precedence over the secret of a visitor. */
export function callerOf({ token, headers }: FastifyRequest): Caller {
  const secret = headers[visitorHeader]
  if (token || secret === undefined) return callerWith(token)
  if (typeof secret !== 'string' || !isVisitorSecret(secret))
    throw invalidField('header/X-Visitor', 'must be a secret from agent/visitor')
  return { token, boundUser: visitorUser(secret) }
}

/** A bound caller sees only its user's objects; one without token and secret sees none of visitors. */
export const maySee = ({ token, boundUser }: Caller, userId: string): boolean =>
  boundUser === undefined ? token !== undefined || !isVisitorUser(userId) : boundUser === userId

/** The user that a request acts for. */
export function userOf(caller: Caller, requested: string | undefined, field = 'user_id'): string | undefined {
  if (requested !== undefined && !maySee(caller, requested))
    throw new AppError('forbidden', `The caller is bound to another user; omit ${field}`, {
      errors: [{ path: `/${field}`, message: 'must be omitted' }],
    })
  return caller.boundUser ?? requested
}

/** Without a token only public agents are found, and the error does not reveal whether a private one exists. */
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

/** Like `agentFor`, for a request that may come from a page of another origin. */
export async function agentOf(
  agents: AgentService,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  agentId: string,
  access: 'run' | 'read',
): Promise<{ workspaceId: string; agent: Agent; caller: Caller }> {
  const caller = callerOf(request)
  const found = await agentFor(agents, caller.token, agentId, access)
  admitOrigin(request, reply, found.agent.allowedOrigins)
  return { ...found, caller }
}

/** Lets pages of the agent's origins read what is sent to one of its tokens. */
export async function admitPage(
  agents: AgentService,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  token: TokenRecord,
  agentId: string,
): Promise<void> {
  if (request.headers.origin === undefined || !mayUse(token, agentId)) return
  const agent = await agents.store.find(token.workspaceId, agentId)
  if (agent) admitOrigin(request, reply, agent.allowedOrigins)
}
