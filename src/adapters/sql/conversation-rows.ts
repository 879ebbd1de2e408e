import type { Reason } from '../../contract/error-codes.ts'
import type {
  Conversation,
  Message,
  MessageRole,
  Rating,
  Turn,
  TurnStatus,
} from '../../conversations/conversation.ts'
import type { MessageType } from '../../workflow/step.ts'

export interface ConversationRow {
  id: string
  agent_id: string
  user_id: string
  env_type: string
  name: string
  message_count: number
  active_chat_id: string | null
  waiting_run_id: string | null
  created_at: number
  updated_at: number
}

export const conversationColumns =
  'id, agent_id, user_id, env_type, name, message_count, active_chat_id, waiting_run_id, created_at, updated_at'

export const conversationOf = (row: ConversationRow): Conversation => ({
  id: row.id,
  agentId: row.agent_id,
  userId: row.user_id,
  envType: row.env_type,
  name: row.name,
  messageCount: row.message_count,
  activeChatId: row.active_chat_id ?? undefined,
  waitingRunId: row.waiting_run_id ?? undefined,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export interface MessageRow {
  id: string
  chat_id: string
  role: number
  data_type: string
  content: string
  file_list: string
  said_at: number
  run_id?: string | null
  rating?: string | null
}

export const messageColumns = 'id, chat_id, role, data_type, content, file_list, said_at'

/** What is known of a message beside it: each is found by its key. */
export const messageDetails = `
  (SELECT run_id FROM turns WHERE turns.workspace_id = messages.workspace_id
     AND turns.conversation_id = messages.conversation_id AND turns.chat_id = messages.chat_id) AS run_id,
  (SELECT rating FROM feedback WHERE feedback.workspace_id = messages.workspace_id
     AND feedback.conversation_id = messages.conversation_id AND feedback.message_id = messages.id) AS rating`

export const messageOf = (row: MessageRow): Message => ({
  id: row.id,
  chatId: row.chat_id,
  role: row.role as MessageRole,
  dataType: row.data_type as MessageType,
  content: row.content,
  fileIds: row.file_list === '[]' ? [] : (JSON.parse(row.file_list) as string[]),
  at: row.said_at,
  ...(row.run_id != null && { runId: row.run_id }),
  ...(row.rating != null && { rating: row.rating as Rating }),
})

export interface TurnRow {
  workspace_id: string
  conversation_id: string
  chat_id: string
  run_id: string
  status: string
  first_position: number
  last_position: number
  events_after: number
  error_reason: string | null
  error_message: string | null
  options: string | null
  is_anonymous: number
  fingerprint: string
  created_at: number
}

export const turnColumns =
  'workspace_id, conversation_id, chat_id, run_id, status, first_position, last_position, events_after, error_reason, error_message, options, is_anonymous, fingerprint, created_at'

export const turnOf = (row: TurnRow): Turn => ({
  conversationId: row.conversation_id,
  chatId: row.chat_id,
  runId: row.run_id,
  status: row.status as TurnStatus,
  firstPosition: row.first_position,
  lastPosition: row.last_position,
  eventsAfter: row.events_after,
  error:
    row.error_reason === null
      ? undefined
      : { reason: row.error_reason as Reason, message: row.error_message ?? '' },
  options: row.options === null ? undefined : (JSON.parse(row.options) as string[]),
  isAnonymous: row.is_anonymous === 1,
  fingerprint: row.fingerprint,
  createdAt: row.created_at,
})
