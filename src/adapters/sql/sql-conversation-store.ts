import type { Page, PageRequest } from '../../contract/paging.ts'
import type { Conversation, Message, Rating, Turn } from '../../conversations/conversation.ts'
import type {
  ActiveTurn,
  Begun,
  ConversationFilter,
  ConversationStore,
  NewTurn,
  OrphanedRuns,
  Swept,
  TurnEnd,
} from '../../conversations/conversation-store.ts'
import type { Database } from '../../database/database.ts'
import { marks, type SqlValue, searchPattern, searchText } from '../../database/sql.ts'
import { rateMessage, readMemory, writeMemory } from './conversation-extras.ts'
import {
  type ConversationRow,
  conversationColumns,
  conversationOf,
  type MessageRow,
  messageColumns,
  messageDetails,
  messageOf,
  type TurnRow,
  turnColumns,
  turnOf,
} from './conversation-rows.ts'
import { sweepConversations } from './conversation-sweep.ts'
import { reopenTurn, takeBackTurn } from './turn-repairs.ts'
import { closeTurn, insertReply, insertTurn, lockConversation, reachable, turnIn } from './turn-rows.ts'

export class SqlConversationStore implements ConversationStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  create(workspaceId: string, conversation: Conversation): Promise<boolean> {
    return this.#database.transaction(async transaction => {
      // Held until the row is there: else a sweep could pass between the look and the insert.
      const hold = this.#database.dialect === 'postgres' ? 'FOR SHARE' : ''
      const agent = await transaction.get(
        `SELECT 1 AS one FROM agents WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL ${hold}`,
        workspaceId,
        conversation.agentId,
      )
      if (!agent) return false
      await transaction.run(
        `INSERT INTO conversations (workspace_id, ${conversationColumns}, search) VALUES (${marks(12)})`,
        workspaceId,
        conversation.id,
        conversation.agentId,
        conversation.userId,
        conversation.envType,
        conversation.name,
        conversation.messageCount,
        conversation.activeChatId ?? null,
        conversation.waitingRunId ?? null,
        conversation.createdAt,
        conversation.updatedAt,
        searchText(conversation.name, conversation.id),
      )
      return true
    })
  }

  async find(workspaceId: string, id: string): Promise<Conversation | undefined> {
    const row = await this.#database.get<ConversationRow>(
      `SELECT ${conversationColumns} FROM conversations WHERE workspace_id = ? AND id = ? AND ${reachable}`,
      workspaceId,
      id,
    )
    return row && conversationOf(row)
  }

  async list(
    workspaceId: string,
    filter: ConversationFilter,
    page: PageRequest,
  ): Promise<Page<Conversation>> {
    const { agentIds, userId, keyword } = filter
    const conditions: [string, SqlValue[]][] = [['workspace_id = ?', [workspaceId]]]
    if (agentIds?.length === 0) return { total: 0, items: [] }
    if (agentIds) conditions.push([`agent_id IN (${marks(agentIds.length)})`, [...agentIds]])
    if (userId !== undefined) conditions.push(['user_id = ?', [userId]])
    if (keyword !== '') conditions.push([`search LIKE ? ESCAPE '\\'`, [searchPattern(keyword)]])
    const where = `${conditions.map(([sql]) => sql).join(' AND ')} AND ${reachable}`
    const parameters = conditions.flatMap(([, values]) => values)
    const count = await this.#database.get<{ total: number }>(
      `SELECT COUNT(*) AS total FROM conversations WHERE ${where}`,
      ...parameters,
    )
    const rows = await this.#database.all<ConversationRow>(
      `SELECT ${conversationColumns} FROM conversations WHERE ${where} ORDER BY updated_at DESC, id LIMIT ? OFFSET ?`,
      ...parameters,
      page.pageSize,
      (page.page - 1) * page.pageSize,
    )
    return { total: count?.total ?? 0, items: rows.map(conversationOf) }
  }

  rename(workspaceId: string, id: string, name: string): Promise<boolean> {
    return this.#database.transaction(
      async transaction =>
        (await transaction.run(
          `UPDATE conversations SET name = ?, search = ? WHERE workspace_id = ? AND id = ? AND ${reachable}`,
          name,
          searchText(name, id),
          workspaceId,
          id,
        )) > 0,
    )
  }

  remove(workspaceId: string, id: string, at: number): Promise<OrphanedRuns | undefined> {
    return this.#database.transaction(async transaction => {
      const row = await lockConversation(transaction, this.#database.forUpdate, workspaceId, id)
      if (!row) return undefined
      await transaction.run(
        'UPDATE conversations SET deleted_at = ? WHERE workspace_id = ? AND id = ?',
        at,
        workspaceId,
        id,
      )
      const activeId = row.active_chat_id
      const active = activeId === null ? undefined : await turnIn(transaction, workspaceId, id, activeId)
      return { activeRunId: active?.runId, waitingRunId: row.waiting_run_id ?? undefined }
    })
  }

  async messages(
    workspaceId: string,
    id: string,
    last: number,
    limit: number,
    withDetails = false,
  ): Promise<Message[]> {
    const rows = await this.#database.all<MessageRow>(
      `SELECT ${messageColumns}${withDetails ? `, ${messageDetails}` : ''} FROM messages
       WHERE workspace_id = ? AND conversation_id = ? AND position > ? AND position <= ? ORDER BY position`,
      workspaceId,
      id,
      last - limit,
      last,
    )
    return rows.map(messageOf)
  }

  beginTurn(workspaceId: string, turn: NewTurn): Promise<Begun> {
    return this.#database.transaction(async transaction => {
      const { conversationId, chatId } = turn
      const { forUpdate } = this.#database
      const conversation = await lockConversation(transaction, forUpdate, workspaceId, conversationId)
      if (!conversation) return { outcome: 'gone' }
      const seen = await turnIn(transaction, workspaceId, conversationId, chatId)
      const isAgain = turn.begunAgain && seen?.status === 'failed' && seen.error?.reason === 'unavailable'
      if (seen && !isAgain) return { outcome: 'seen', turn: seen }
      const activeId = conversation.active_chat_id
      const active =
        activeId === null ? undefined : await turnIn(transaction, workspaceId, conversationId, activeId)
      if (active) return { outcome: 'busy', active }
      if (seen) return reopenTurn(transaction, workspaceId, conversation, seen, turn)
      return insertTurn(transaction, workspaceId, conversation, turn)
    })
  }

  async findTurn(workspaceId: string, conversationId: string, chatId: string): Promise<Turn | undefined> {
    const row = await this.#database.get<TurnRow>(
      `SELECT ${turnColumns} FROM turns WHERE workspace_id = ? AND conversation_id = ? AND chat_id = ? AND EXISTS
         (SELECT 1 FROM conversations WHERE workspace_id = turns.workspace_id AND id = turns.conversation_id AND ${reachable})`,
      workspaceId,
      conversationId,
      chatId,
    )
    return row && turnOf(row)
  }

  async turnMessages(workspaceId: string, turn: Turn): Promise<Message[]> {
    const rows = await this.#database.all<MessageRow>(
      `SELECT ${messageColumns} FROM messages
       WHERE workspace_id = ? AND conversation_id = ? AND position >= ? AND position <= ? AND chat_id = ?
       ORDER BY position`,
      workspaceId,
      turn.conversationId,
      turn.firstPosition,
      turn.lastPosition,
      turn.chatId,
    )
    return rows.map(messageOf)
  }

  async aimTurn(workspaceId: string, turn: Turn, runId: string, eventsAfter: number): Promise<void> {
    await this.#database.transaction(transaction =>
      transaction.run(
        `UPDATE turns SET run_id = ?, events_after = ?
         WHERE workspace_id = ? AND conversation_id = ? AND chat_id = ? AND status = 'active'`,
        runId,
        eventsAfter,
        workspaceId,
        turn.conversationId,
        turn.chatId,
      ),
    )
  }

  addReply(
    workspaceId: string,
    conversationId: string,
    chatId: string,
    reply: Omit<Message, 'chatId' | 'role'>,
  ): Promise<boolean> {
    return this.#database.transaction(async transaction => {
      const { forUpdate } = this.#database
      const conversation = await lockConversation(transaction, forUpdate, workspaceId, conversationId)
      return conversation !== undefined && insertReply(transaction, workspaceId, conversation, chatId, reply)
    })
  }

  endTurn(workspaceId: string, conversationId: string, chatId: string, end: TurnEnd): Promise<boolean> {
    return this.#database.transaction(async transaction => {
      const { forUpdate } = this.#database
      const conversation = await lockConversation(transaction, forUpdate, workspaceId, conversationId)
      const turn = conversation && (await turnIn(transaction, workspaceId, conversationId, chatId))
      if (!conversation || turn?.status !== 'active') return false
      await closeTurn(transaction, workspaceId, conversation, chatId, end)
      return true
    })
  }

  undoTurn(workspaceId: string, conversationId: string, chatId: string): Promise<boolean> {
    return this.#database.transaction(async transaction => {
      const { forUpdate } = this.#database
      const conversation = await lockConversation(transaction, forUpdate, workspaceId, conversationId)
      const turn = conversation && (await turnIn(transaction, workspaceId, conversationId, chatId))
      return turn !== undefined && takeBackTurn(transaction, workspaceId, conversation!, turn)
    })
  }

  async setOptions(workspaceId: string, turn: Turn, options: readonly string[]): Promise<void> {
    await this.#database.transaction(transaction =>
      transaction.run(
        'UPDATE turns SET options = ? WHERE workspace_id = ? AND conversation_id = ? AND chat_id = ?',
        JSON.stringify(options),
        workspaceId,
        turn.conversationId,
        turn.chatId,
      ),
    )
  }

  async activeTurns(begunBefore: number, limit: number, behind?: ActiveTurn): Promise<ActiveTurn[]> {
    const order = 'created_at, workspace_id, conversation_id, chat_id'
    const last = behind && [
      ...[behind.turn.createdAt, behind.workspaceId, behind.turn.conversationId, behind.turn.chatId],
    ]
    const rows = await this.#database.all<TurnRow>(
      `SELECT ${turnColumns} FROM turns WHERE status = 'active' AND created_at < ?
       ${last ? `AND (${order}) > (?, ?, ?, ?)` : ''} ORDER BY ${order} LIMIT ?`,
      begunBefore,
      ...(last ?? []),
      limit,
    )
    return rows.map(row => ({ workspaceId: row.workspace_id, turn: turnOf(row) }))
  }

  memory(workspaceId: string, conversationId: string, userId: string): Promise<Map<string, unknown>> {
    return readMemory(this.#database, workspaceId, conversationId, userId)
  }

  remember(
    workspaceId: string,
    conversationId: string,
    userId: string,
    values: ReadonlyMap<string, unknown>,
    at: number,
  ): Promise<void> {
    return writeMemory(this.#database, { workspaceId, conversationId, userId }, values, at)
  }

  rate(
    workspaceId: string,
    conversationId: string,
    messageId: string,
    rating: { rating: Rating | null; comment: string; at: number },
  ): Promise<boolean> {
    return rateMessage(this.#database, { workspaceId, conversationId, messageId }, rating)
  }

  sweep(): Promise<Swept> {
    return sweepConversations(this.#database)
  }
}
