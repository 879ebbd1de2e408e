import type { Rating } from '../../conversations/conversation.ts'
import type { Database } from '../../database/database.ts'
import { lockConversation } from './turn-rows.ts'

export async function readMemory(
  database: Database,
  workspaceId: string,
  conversationId: string,
  userId: string,
): Promise<Map<string, unknown>> {
  const rows = await database.all<{ key: string; value: string }>(
    'SELECT key, value FROM conversation_memory WHERE workspace_id = ? AND conversation_id = ? AND user_id = ?',
    workspaceId,
    conversationId,
    userId,
  )
  return new Map(rows.map(({ key, value }) => [key, JSON.parse(value) as unknown]))
}

export async function writeMemory(
  database: Database,
  { workspaceId, conversationId, userId }: { workspaceId: string; conversationId: string; userId: string },
  values: ReadonlyMap<string, unknown>,
  at: number,
): Promise<void> {
  await database.transaction(async transaction => {
    // Locked, so that nothing is added to a conversation that is being swept.
    if (!(await lockConversation(transaction, database.forUpdate, workspaceId, conversationId))) return
    for (const [key, value] of values)
      await transaction.run(
        `INSERT INTO conversation_memory (workspace_id, conversation_id, user_id, key, value, updated_at)
         VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (workspace_id, conversation_id, user_id, key)
         DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
        workspaceId,
        conversationId,
        userId,
        key,
        JSON.stringify(value ?? null),
        at,
      )
  })
}

export function rateMessage(
  database: Database,
  {
    workspaceId,
    conversationId,
    messageId,
  }: { workspaceId: string; conversationId: string; messageId: string },
  { rating, comment, at }: { rating: Rating | null; comment: string; at: number },
): Promise<boolean> {
  return database.transaction(async transaction => {
    if (!(await lockConversation(transaction, database.forUpdate, workspaceId, conversationId))) return false
    const message = await transaction.get(
      'SELECT 1 AS one FROM messages WHERE workspace_id = ? AND conversation_id = ? AND id = ?',
      workspaceId,
      conversationId,
      messageId,
    )
    if (!message) return false
    if (rating === null && comment === '')
      await transaction.run(
        'DELETE FROM feedback WHERE workspace_id = ? AND conversation_id = ? AND message_id = ?',
        workspaceId,
        conversationId,
        messageId,
      )
    else
      await transaction.run(
        `INSERT INTO feedback (workspace_id, conversation_id, message_id, rating, comment, updated_at)
         VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (workspace_id, conversation_id, message_id)
         DO UPDATE SET rating = excluded.rating, comment = excluded.comment, updated_at = excluded.updated_at`,
        workspaceId,
        conversationId,
        messageId,
        rating,
        comment,
        at,
      )
    return true
  })
}
