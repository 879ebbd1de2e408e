import type { AccessService } from '../../access/access-service.ts'
import type { QuotaService } from '../../access/quota-service.ts'
import type { AgentService } from '../../agents/agent-service.ts'
import type { ChatSource } from '../../conversations/chat-request.ts'
import type { ChatService } from '../../conversations/chat-service.ts'
import { noConversation } from '../../conversations/chat-turn.ts'
import type { Conversation } from '../../conversations/conversation.ts'
import type { ConversationService } from '../../conversations/conversation-service.ts'
import { AppError } from '../../kernel/app-error.ts'
import { type Caller, maySee, mayUse } from './agent-access.ts'

export interface ConversationParts {
  agents: AgentService
  conversations: ConversationService
  chats: ChatService
  access: Pick<AccessService, 'store' | 'authorize'>
  quotas: Pick<QuotaService, 'admitRun'>
}

/** The conversation, if the caller may see it. Without an agent, that of the conversation must be one of the token's. */
export async function conversationFor(
  { conversations }: Pick<ConversationParts, 'conversations'>,
  caller: Caller,
  { workspaceId, id, agentId }: { workspaceId: string; id: string; agentId?: string | undefined },
): Promise<Conversation> {
  const conversation = await conversations.get(workspaceId, id, agentId)
  const { token } = caller
  if ((token && !mayUse(token, conversation.agentId)) || !maySee(caller, conversation.userId))
    throw noConversation(id)
  return conversation
}

/** An anonymous user does not learn what the workspace uses. */
const withoutNumbers = (error: unknown): unknown =>
  error instanceof AppError && error.reason === 'quota_exceeded'
    ? new AppError('quota_exceeded', 'The quota of this agent is used up for today; try again tomorrow', {
        headers: error.headers,
      })
    : error

/** Who sends a message: a turn of a public agent without a token counts for the workspace of the agent. */
export const sourceOf = (
  { access, quotas }: ConversationParts,
  { token, boundUser }: Caller,
  workspaceId: string,
): Omit<ChatSource, 'conversation'> => ({
  workspaceId,
  isAnonymous: !token,
  boundUser,
  admit: async () => {
    const limits = token ? token.limits : (await access.store.findWorkspace(workspaceId))?.limits
    await quotas.admitRun({ workspaceId, limits }).catch((error: unknown) => {
      throw token ? error : withoutNumbers(error)
    })
  },
})
