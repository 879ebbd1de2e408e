import type { Page, PageRequest } from '../contract/paging.ts'
import type { Database, Reader, Transaction } from '../database/database.ts'
import { inWorkspace, keywordFilter, searchText } from '../database/keyword.ts'
import { Order } from '../database/order.ts'
import { readPage } from '../database/page.ts'
import { list, raw, sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { as, integer, optional, text } from '../database/table.ts'
import {
  type Conversation,
  type ConversationWithInputs,
  conversationMemory,
  conversations,
  feedback,
  type Message,
  messageFiles,
  messages,
  type Rating,
  replacedMessages,
  turns,
} from './conversation.ts'

const record = conversations.columns(
  ...(['id', 'agentId', 'userId', 'envType', 'name', 'messageCount'] as const),
  ...(['activeChatId', 'waitingRunId', 'createdAt', 'updatedAt'] as const),
)
const inputs = conversations.columns('inputs')
const messageRecord = messages.columns('id', 'chatId', 'role', 'dataType', 'content')
const fileIds = as('fileIds', messages.types.fileList)
const at = as('at', integer())
const ofTurn = (column: string) =>
  raw(`(SELECT ${column} FROM turns t WHERE t.workspace_id = messages.workspace_id
    AND t.conversation_id = messages.conversation_id AND t.chat_id = messages.chat_id)`)
/** A column of the turn of a message, only for the first reply of the turn. */
const ofTurnOnce = (column: string) =>
  raw(`(SELECT ${column} FROM turns t WHERE t.workspace_id = messages.workspace_id
    AND t.conversation_id = messages.conversation_id AND t.chat_id = messages.chat_id
    AND t.first_position = messages.position - 1)`)
const ofFeedback = (column: string) =>
  raw(`(SELECT ${column} FROM feedback f WHERE f.workspace_id = messages.workspace_id
    AND f.conversation_id = messages.conversation_id AND f.message_id = messages.id)`)
const order = new Order('updated_at DESC', 'id')

const visible = raw('deleted_at IS NULL')
/** Conversations of a deleted agent are hidden at once, so the agent must exist, too. */
export const reachable = raw(`${visible} AND EXISTS (SELECT 1 FROM agents a
  WHERE a.workspace_id = conversations.workspace_id AND a.id = conversations.agent_id AND a.deleted_at IS NULL)`)

/** Every write locks the row of its conversation, so that positions have no gaps and only one turn is active. */
export const lockConversation = (
  { forUpdate }: Database,
  transaction: Transaction,
  workspaceId: string,
  id: string,
): Promise<ConversationWithInputs | undefined> =>
  transaction.get(
    sql`SELECT ${record}, ${inputs} FROM conversations WHERE ${conversations.where({ workspaceId, id })} AND ${reachable} ${forUpdate}`,
  )

/** False when its agent does not exist, or its id is taken. */
export async function insertConversation(
  { dialect }: Database,
  transaction: Transaction,
  workspaceId: string,
  conversation: Conversation,
): Promise<boolean> {
  // Locked until the commit: otherwise a sweep could run between the check and the insert.
  const lock = raw(dialect === 'postgres' ? 'FOR SHARE' : '')
  const agent = await transaction.get(sql`
    SELECT 1 ${as('one', integer())} FROM agents
    WHERE workspace_id = ${workspaceId} AND id = ${conversation.agentId} AND deleted_at IS NULL ${lock}`)
  if (!agent) return false
  const search = searchText(conversation.name, conversation.id)
  const row = conversations.insert({ workspaceId, ...conversation, search })
  return (await transaction.run(sql`${row} ON CONFLICT (workspace_id, id) DO NOTHING`)) > 0
}

/** The messages of a turn; of the whole conversation without a `chatId`. */
export function readMessages(
  reader: Reader,
  range: { workspaceId: string; conversationId: string; chatId?: string; first: number; last: number },
): Promise<Message[]> {
  const { workspaceId, conversationId, chatId, first, last } = range
  return reader.all(sql`
    SELECT ${messageRecord}, file_list ${fileIds}, said_at ${at} FROM messages
    WHERE ${messages.where({ workspaceId, conversationId, ...(chatId !== undefined && { chatId }) })}
      AND position >= ${first} AND position <= ${last} ORDER BY position`)
}

/** The messages that a turn replaced, optionally only those of one of the replaced turns. */
export function readReplaced(
  reader: Reader,
  key: { workspaceId: string; conversationId: string; replacedBy: string; chatId?: string },
): Promise<Message[]> {
  return reader.all(sql`
    SELECT ${messageRecord}, file_list ${fileIds}, said_at ${at} FROM replaced_messages
    WHERE ${replacedMessages.where(key)} ORDER BY position`)
}

export interface ConversationFilter {
  agentIds?: readonly string[] | undefined
  userId?: string | undefined
  keyword: string
  /** Only conversations with feedback (`any`), or with a reply that has this rating. */
  rating?: Rating | 'any' | undefined
  /** The time of the last message: at or after `from`, before `to`. */
  from?: number | undefined
  to?: number | undefined
}

/** A deleted conversation, or one of a deleted agent, is never found and never written to. */
export class ConversationStore extends Store {
  /** False when its agent does not exist. */
  create(workspaceId: string, conversation: Conversation): Promise<boolean> {
    return this.database.transaction(transaction =>
      insertConversation(this.database, transaction, workspaceId, conversation),
    )
  }

  find(workspaceId: string, id: string): Promise<Conversation | undefined> {
    return this.database.get(
      sql`SELECT ${record} FROM conversations WHERE ${conversations.where({ workspaceId, id })} AND ${reachable}`,
    )
  }

  /** The values of input variables that it keeps. */
  async inputs(workspaceId: string, id: string): Promise<Readonly<Record<string, unknown>>> {
    return (await this.database.get(conversations.select(inputs, { workspaceId, id })))?.inputs ?? {}
  }

  /** Most recently updated first. */
  async list(
    workspaceId: string,
    { agentIds, userId, keyword, rating, from, to }: ConversationFilter,
    page: PageRequest,
  ): Promise<Page<Conversation>> {
    if (agentIds?.length === 0) return { total: 0, items: [] }
    const filters = [
      ...(agentIds ? [sql`agent_id IN ${list(agentIds)}`] : []),
      ...(userId === undefined ? [] : [sql`user_id = ${userId}`]),
      ...(rating === undefined ? [] : [ratedLike(rating)]),
      ...(from === undefined ? [] : [sql`updated_at >= ${from}`]),
      ...(to === undefined ? [] : [sql`updated_at < ${to}`]),
    ]
    return readPage(this.database, {
      workspaceId,
      columns: record,
      source: conversations,
      where: sql`workspace_id = ${workspaceId} AND ${(await this.database.get(anyDeletedAgent)) ? reachable : visible}`,
      filter: filters.length > 0 ? filters.reduce((all, each) => sql`${all} AND ${each}`) : undefined,
      order,
      page,
      indexedFilter: keywordFilter(this.database, inWorkspace('conversations', workspaceId), keyword),
    })
  }

  /** With `before`, only while it has that name. */
  async rename(workspaceId: string, id: string, name: string, before?: string): Promise<boolean> {
    const values = conversations.set({ name, search: searchText(name, id) })
    const key = conversations.where({ workspaceId, id, ...(before !== undefined && { name: before }) })
    return (await this.run(sql`UPDATE conversations SET ${values} WHERE ${key} AND ${reachable}`)) > 0
  }

  /** Hides it at once, and returns the runs that it was using; `sweep` removes its rows. */
  remove(workspaceId: string, id: string, deletedAt: number) {
    return this.database.deletion(async transaction => {
      const conversation = await lockConversation(this.database, transaction, workspaceId, id)
      if (!conversation) return undefined
      await transaction.run(conversations.update({ workspaceId, id }, { deletedAt }))
      const { activeChatId: chatId, waitingRunId } = conversation
      const active =
        chatId === undefined
          ? undefined
          : await transaction.get(
              turns.select(turns.columns('runId'), { workspaceId, conversationId: id, chatId }),
            )
      return { activeRunId: active?.runId, waitingRunId }
    })
  }

  /** Up to `limit` messages that end at the position `last`, oldest first. */
  messages(workspaceId: string, conversationId: string, last: number, limit: number): Promise<Message[]> {
    return readMessages(this.database, { workspaceId, conversationId, first: last - limit + 1, last })
  }

  /** Like `messages`, with the run and the rating of each message. */
  messagesWithDetails(workspaceId: string, conversationId: string, last: number, limit: number) {
    return this.database.all(sql`
      SELECT ${messageRecord}, file_list ${fileIds}, said_at ${at},
        ${ofTurn('run_id')} ${as('runId', optional(text()))},
        ${ofTurn('version')} ${as('version', optional(integer()))},
        ${ofTurn('status')} ${as('turnStatus', optional(turns.types.status))},
        ${ofTurn('annotation_id')} ${as('annotationId', optional(text()))},
        ${ofTurnOnce('steps')} ${as('steps', turns.types.steps)},
        ${ofTurnOnce('suggestions')} ${as('suggestions', turns.types.suggestions)},
        ${ofFeedback('rating')} ${as('rating', feedback.types.rating)},
        ${ofFeedback('comment')} ${as('comment', optional(text()))}
      FROM messages WHERE ${messages.where({ workspaceId, conversationId })}
        AND position > ${last - limit} AND position <= ${last} ORDER BY position`)
  }

  /** A message by its id, also one that was replaced. */
  async message(workspaceId: string, conversationId: string, id: string): Promise<Message | undefined> {
    const key = { workspaceId, conversationId, id }
    const current = await this.database.get(sql`
      SELECT ${messageRecord}, file_list ${fileIds}, said_at ${at} FROM messages WHERE ${messages.where(key)}`)
    return (
      current ??
      this.database.get(sql`
        SELECT ${messageRecord}, file_list ${fileIds}, said_at ${at} FROM replaced_messages
        WHERE ${replacedMessages.where(key)} LIMIT 1`)
    )
  }

  /** Those of the files that were sent in conversations with these agents, and with this user. */
  async sharedFiles(
    workspaceId: string,
    fileIds: readonly string[],
    { agentIds, userId }: { agentIds: readonly string[]; userId: string | undefined },
  ): Promise<Set<string>> {
    if (fileIds.length === 0 || agentIds.length === 0) return new Set()
    const ofUser = userId === undefined ? sql`` : sql` AND c.user_id = ${userId}`
    const found = await this.database.all(sql`
      SELECT DISTINCT ${messageFiles.columnsOf('f', 'fileId')} FROM message_files f JOIN conversations c
        ON c.workspace_id = f.workspace_id AND c.id = f.conversation_id
      WHERE f.workspace_id = ${workspaceId} AND f.file_id IN ${list(fileIds)}
        AND c.agent_id IN ${list(agentIds)} AND c.deleted_at IS NULL${ofUser}`)
    return new Set(found.map(({ fileId }) => fileId))
  }

  /** The values that workflows assigned to `memory` for this user. */
  async memory(workspaceId: string, conversationId: string, userId: string): Promise<Map<string, unknown>> {
    const key = conversationMemory.where({ workspaceId, conversationId, userId })
    const rows = await this.database.all(
      sql`SELECT ${conversationMemory.columns('key', 'value')} FROM conversation_memory WHERE ${key}`,
    )
    return new Map(rows.map(row => [row.key, row.value]))
  }

  /** Without rating and comment the feedback is removed. False if the conversation has no such reply. */
  rate(
    workspaceId: string,
    conversationId: string,
    messageId: string,
    { rating, comment, at }: { rating: Rating | null; comment: string; at: number },
  ): Promise<boolean> {
    return this.database.transaction(async transaction => {
      if (!(await lockConversation(this.database, transaction, workspaceId, conversationId))) return false
      const message = await transaction.get(
        messages.select(messages.columns('id'), { workspaceId, conversationId, id: messageId, role: 1 }),
      )
      if (!message) return false
      const key = { workspaceId, conversationId, messageId }
      if (rating === null && comment === '') await transaction.run(feedback.delete(key))
      else
        await transaction.run(sql`
          ${feedback.insert({ ...key, rating: rating ?? undefined, comment, updatedAt: at })}
          ON CONFLICT (workspace_id, conversation_id, message_id)
          DO UPDATE SET rating = excluded.rating, comment = excluded.comment, updated_at = excluded.updated_at`)
      return true
    })
  }
}

/** The key of `feedback` begins with the conversation, so this needs no other index. */
const ratedLike = (rating: Rating | 'any') => sql`EXISTS (SELECT 1 FROM feedback f
  WHERE f.workspace_id = conversations.workspace_id AND f.conversation_id = conversations.id
  AND ${rating === 'any' ? sql`f.rating IS NOT NULL` : sql`f.rating = ${rating}`})`

/** There is hardly ever a deleted agent; without one, a list need not check the agent of each conversation. */
const anyDeletedAgent = sql`SELECT 1 ${as('one', integer())} FROM agents WHERE deleted_at IS NOT NULL LIMIT 1`
