import type { AccessService } from '../../access/access-service.ts'
import type { TokenRecord } from '../../access/access-store.ts'
import { isAllowed } from '../../access/permissions.ts'
import type { QuotaService } from '../../access/quota-service.ts'
import type { AgentService } from '../../agents/agent-service.ts'
import type { ChatSource } from '../../conversations/chat-request.ts'
import type { ChatService } from '../../conversations/chat-service.ts'
import { noConversation } from '../../conversations/chat-turn.ts'
import type { Conversation } from '../../conversations/conversation.ts'
import type { ConversationService } from '../../conversations/conversation-service.ts'
import type { FileStore } from '../../files/file-store.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { Call } from '../route.ts'
import { agentOf, type Caller, maySee, mayUse } from './agent-access.ts'

export interface ConversationParts {
  agents: AgentService
  conversations: ConversationService
  chats: ChatService
  access: Pick<AccessService, 'store' | 'authorize'>
  quotas: Pick<QuotaService, 'admitRun'>
}

export interface SentFileParts {
  files: { store: Pick<FileStore, 'documentsAmong'> }
}

/** The conversation, if the caller may see it. Without `agentId`, any agent that the token may use is allowed. */
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

/** The agent and the conversation that a request names, if its caller may use them. */
export async function conversationOf(
  parts: Pick<ConversationParts, 'agents' | 'conversations'>,
  call: Pick<Call, 'request' | 'reply'>,
  { agent_id: agentId, conversation_id: id }: { agent_id: string; conversation_id: string },
  access: 'run' | 'read',
) {
  const found = await agentOf(parts.agents, call, agentId, access)
  const { workspaceId, caller } = found
  return { ...found, conversation: await conversationFor(parts, caller, { workspaceId, id, agentId }) }
}

/** A runner could read what it sends in a conversation, so it may send only documents that it can read already. */
export async function hiddenDocuments(
  { files, conversations }: Pick<ConversationParts, 'conversations'> & SentFileParts,
  token: TokenRecord | undefined,
  ids: string[],
): Promise<ReadonlySet<string>> {
  if (!token || ids.length === 0 || isAllowed(token, 'read')) return new Set()
  const { workspaceId, agentIds, userId } = token
  const documents = await files.store.documentsAmong(workspaceId, ids)
  if (documents.size === 0) return documents
  const shared = await conversations.store.sharedFiles(workspaceId, ids, { agentIds, userId })
  return new Set([...documents].filter(id => !shared.has(id)))
}

/** Hides the usage of the workspace from anonymous users. */
const withoutNumbers = (error: unknown): unknown =>
  error instanceof AppError && error.reason === 'quota_exceeded'
    ? new AppError('quota_exceeded', 'The quota of this agent is used up for today; try again tomorrow', {
        headers: error.headers,
      })
    : error

/** The sender of a message. A turn of a public agent without a token counts for the workspace of the agent. */
export const sourceOf = (
  parts: ConversationParts & SentFileParts,
  { token, boundUser }: Caller,
  workspaceId: string,
): Omit<ChatSource, 'conversation'> => ({
  workspaceId,
  isAnonymous: !token,
  boundUser,
  hiddenAmong: ids => hiddenDocuments(parts, token, ids),
  admit: async () => {
    const { access, quotas } = parts
    const scope = token ?? (await access.store.scopeOf(workspaceId))
    await quotas.admitRun(scope).catch((error: unknown) => {
      throw token ? error : withoutNumbers(error)
    })
  },
})
