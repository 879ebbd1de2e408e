import type { Turn } from '../../conversations/conversation.ts'
import type { Begun, NewTurn } from '../../conversations/conversation-store.ts'
import type { Transaction } from '../../database/database.ts'
import type { ConversationRow } from './conversation-rows.ts'
import { turnIn } from './turn-rows.ts'

/** Removes the newest messages of a conversation: whatever stands in front of others has to stay. */
async function dropFrom(
  transaction: Transaction,
  workspaceId: string,
  conversation: ConversationRow,
  position: number,
): Promise<void> {
  await transaction.run(
    'DELETE FROM messages WHERE workspace_id = ? AND conversation_id = ? AND position >= ?',
    workspaceId,
    conversation.id,
    position,
  )
  await transaction.run(
    'UPDATE conversations SET message_count = ? WHERE workspace_id = ? AND id = ?',
    position - 1,
    workspaceId,
    conversation.id,
  )
}

/** `conversation` is locked. False where the turn has ended, or where anything was said after its message. */
export async function takeBackTurn(
  transaction: Transaction,
  workspaceId: string,
  conversation: ConversationRow,
  turn: Turn,
): Promise<boolean> {
  if (turn.status !== 'active' || conversation.message_count !== turn.firstPosition) return false
  await dropFrom(transaction, workspaceId, conversation, turn.firstPosition)
  await transaction.run(
    'DELETE FROM turns WHERE workspace_id = ? AND conversation_id = ? AND chat_id = ?',
    workspaceId,
    conversation.id,
    turn.chatId,
  )
  await transaction.run(
    'UPDATE conversations SET active_chat_id = NULL WHERE workspace_id = ? AND id = ? AND active_chat_id = ?',
    workspaceId,
    conversation.id,
    turn.chatId,
  )
  return true
}

/**
 * Begins a turn anew whose run never came to be. `conversation` is locked and has no active turn. The reply that said
 * so goes, where nothing stands behind it.
 */
export async function reopenTurn(
  transaction: Transaction,
  workspaceId: string,
  conversation: ConversationRow,
  seen: Turn,
  turn: NewTurn,
): Promise<Begun> {
  const { firstPosition, lastPosition } = seen
  const isLast = lastPosition === firstPosition + 1 && conversation.message_count === lastPosition
  if (isLast) await dropFrom(transaction, workspaceId, conversation, lastPosition)
  // What is sent now is what is answered.
  await transaction.run(
    `UPDATE messages SET data_type = ?, content = ?, file_list = ?
     WHERE workspace_id = ? AND conversation_id = ? AND position = ?`,
    turn.message.dataType,
    turn.message.content,
    JSON.stringify(turn.message.fileIds),
    workspaceId,
    conversation.id,
    firstPosition,
  )
  const { chatId } = seen
  await transaction.run(
    `UPDATE turns SET status = 'active', run_id = ?, last_position = ?, events_after = 0, error_reason = NULL,
       error_message = NULL, options = NULL, is_anonymous = ?, created_at = ?
     WHERE workspace_id = ? AND conversation_id = ? AND chat_id = ?`,
    conversation.waiting_run_id ?? turn.runId,
    isLast ? firstPosition : lastPosition,
    turn.isAnonymous ? 1 : 0,
    turn.at,
    workspaceId,
    conversation.id,
    chatId,
  )
  await transaction.run(
    'UPDATE conversations SET active_chat_id = ? WHERE workspace_id = ? AND id = ?',
    chatId,
    workspaceId,
    conversation.id,
  )
  const begun = (await turnIn(transaction, workspaceId, conversation.id, chatId))!
  return { outcome: 'begun', turn: begun, waitingRunId: conversation.waiting_run_id ?? undefined }
}
