import type { Message, MessageRole, Turn } from '../../conversations/conversation.ts'
import type { Begun, NewTurn, TurnEnd } from '../../conversations/conversation-store.ts'
import type { Transaction } from '../../database/database.ts'
import type { RawSql } from '../../database/sql.ts'
import { searchText } from '../../database/sql.ts'
import {
  type ConversationRow,
  conversationColumns,
  type TurnRow,
  turnColumns,
  turnOf,
} from './conversation-rows.ts'

/** Its agent must be there as well: a deleted one takes its conversations out of reach at once. */
export const reachable = `deleted_at IS NULL AND EXISTS (SELECT 1 FROM agents a
  WHERE a.workspace_id = conversations.workspace_id AND a.id = conversations.agent_id AND a.deleted_at IS NULL)`

/** The row that every write to a conversation holds, so that positions stay dense and one turn runs at a time. */
export const lockConversation = (
  transaction: Transaction,
  forUpdate: RawSql,
  workspaceId: string,
  id: string,
): Promise<ConversationRow | undefined> =>
  transaction.get<ConversationRow>(
    `SELECT ${conversationColumns} FROM conversations
     WHERE workspace_id = ? AND id = ? AND ${reachable} ${forUpdate}`,
    workspaceId,
    id,
  )

export async function turnIn(
  transaction: Transaction,
  workspaceId: string,
  conversationId: string,
  chatId: string,
): Promise<Turn | undefined> {
  const row = await transaction.get<TurnRow>(
    `SELECT ${turnColumns} FROM turns WHERE workspace_id = ? AND conversation_id = ? AND chat_id = ?`,
    workspaceId,
    conversationId,
    chatId,
  )
  return row && turnOf(row)
}

type Said = Omit<Message, 'chatId' | 'role'>

/** Adds a message at that position; false when its id is taken. */
async function insertMessage(
  transaction: Transaction,
  workspaceId: string,
  conversationId: string,
  place: { chatId: string; role: MessageRole; position: number },
  message: Said,
): Promise<boolean> {
  const inserted = await transaction.run(
    `INSERT INTO messages (workspace_id, conversation_id, position, id, chat_id, role, data_type, content, file_list, said_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (workspace_id, conversation_id, id) DO NOTHING`,
    workspaceId,
    conversationId,
    place.position,
    message.id,
    place.chatId,
    place.role,
    message.dataType,
    message.content,
    JSON.stringify(message.fileIds),
    message.at,
  )
  return inserted > 0
}

/** `conversation` is locked and has no active turn. */
export async function insertTurn(
  transaction: Transaction,
  workspaceId: string,
  conversation: ConversationRow,
  turn: NewTurn,
): Promise<Begun> {
  const { conversationId, chatId, at } = turn
  const position = conversation.message_count + 1
  const place = { chatId, role: 0, position } as const
  if (!(await insertMessage(transaction, workspaceId, conversationId, place, turn.message)))
    await insertMessage(transaction, workspaceId, conversationId, place, {
      ...turn.message,
      id: turn.spareId,
    })
  const runId = conversation.waiting_run_id ?? turn.runId
  await transaction.run(
    `INSERT INTO turns (${turnColumns}) VALUES (?, ?, ?, ?, 'active', ?, ?, 0, NULL, NULL, NULL, ?, ?, ?)`,
    workspaceId,
    conversationId,
    chatId,
    runId,
    position,
    position,
    turn.isAnonymous ? 1 : 0,
    turn.fingerprint,
    at,
  )
  const name = conversation.name === '' ? turn.name : conversation.name
  await transaction.run(
    `UPDATE conversations SET message_count = ?, active_chat_id = ?, name = ?, search = ?, updated_at = ?
     WHERE workspace_id = ? AND id = ?`,
    position,
    chatId,
    name,
    searchText(name, conversationId),
    Math.max(at, conversation.updated_at),
    workspaceId,
    conversationId,
  )
  const begun = (await turnIn(transaction, workspaceId, conversationId, chatId))!
  return { outcome: 'begun', turn: begun, waitingRunId: conversation.waiting_run_id ?? undefined }
}

/** Adds a reply behind everything else, unless it is there already. `conversation` is locked. */
export async function insertReply(
  transaction: Transaction,
  workspaceId: string,
  conversation: ConversationRow,
  chatId: string,
  reply: Said,
): Promise<boolean> {
  const position = conversation.message_count + 1
  const place = { chatId, role: 1, position } as const
  if (!(await insertMessage(transaction, workspaceId, conversation.id, place, reply))) return false
  await transaction.run(
    'UPDATE conversations SET message_count = ?, updated_at = ? WHERE workspace_id = ? AND id = ?',
    position,
    Math.max(reply.at, conversation.updated_at),
    workspaceId,
    conversation.id,
  )
  await transaction.run(
    'UPDATE turns SET last_position = ? WHERE workspace_id = ? AND conversation_id = ? AND chat_id = ?',
    position,
    workspaceId,
    conversation.id,
    chatId,
  )
  return true
}

/** `conversation` is locked and the turn is active. */
export async function closeTurn(
  transaction: Transaction,
  workspaceId: string,
  conversation: ConversationRow,
  chatId: string,
  end: TurnEnd,
): Promise<void> {
  if (end.reply) await insertReply(transaction, workspaceId, conversation, chatId, end.reply)
  await transaction.run(
    `UPDATE turns SET status = ?, error_reason = ?, error_message = ?
     WHERE workspace_id = ? AND conversation_id = ? AND chat_id = ?`,
    end.status,
    end.error?.reason ?? null,
    end.error?.message ?? null,
    workspaceId,
    conversation.id,
    chatId,
  )
  const waiting = end.waitingRunId === undefined ? conversation.waiting_run_id : end.waitingRunId
  const active = conversation.active_chat_id === chatId ? null : conversation.active_chat_id
  await transaction.run(
    'UPDATE conversations SET active_chat_id = ?, waiting_run_id = ? WHERE workspace_id = ? AND id = ?',
    active,
    waiting,
    workspaceId,
    conversation.id,
  )
}
