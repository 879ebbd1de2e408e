import type { Database, Reader, Transaction } from '../database/database.ts'
import { searchText, sql } from '../database/sql.ts'
import type { RowOf } from '../database/table.ts'
import {
  type Conversation,
  conversations,
  type Message,
  type MessageRole,
  messages,
  type NewMessage,
  type Turn,
  type TurnError,
  type TurnKey,
  type TurnStatus,
  turns,
} from './conversation.ts'
import { lockConversation, reachable, readMessages } from './conversation-store.ts'

export interface NewTurn extends TurnKey {
  /** Its run, unless a waiting run is resumed. */
  runId: string
  /** The user's message. If its id is taken, it is stored under `fallbackId`. */
  message: NewMessage
  fallbackId: string
  /** The name of the conversation, if it has none yet. */
  name: string
  isAnonymous: boolean
  fingerprint: string
  /** A turn with this id that failed as `unavailable` is opened again, and this message replaces the old one. */
  reopen: boolean
  at: number
}

export type CreateOutcome =
  | { outcome: 'created'; turn: Turn; waitingRunId: string | undefined }
  /** There is a turn with this id already. */
  | { outcome: 'existing'; turn: Turn }
  | { outcome: 'busy'; active: Turn }
  | { outcome: 'gone' }

export interface TurnEnd {
  status: Exclude<TurnStatus, 'active'>
  error?: TurnError | undefined
  /** The last reply, unless a message with its id exists already. */
  reply?: NewMessage | undefined
  /** The options of the question that it ends with. */
  options?: readonly string[] | undefined
  /** The run that waits now, null for none; left out, it stays as it is. */
  waitingRunId?: string | null
}

const row = turns.columns()

const turnOf = ({ errorReason: reason, errorMessage, ...turn }: RowOf<typeof turns>): Turn => ({
  ...turn,
  error: reason && { reason, message: errorMessage ?? '' },
})

const turnIs = ({ workspaceId, conversationId, chatId }: TurnKey) =>
  turns.where({ workspaceId, conversationId, chatId })

async function readTurn(reader: Reader, key: TurnKey): Promise<Turn | undefined> {
  const found = await reader.get(sql`SELECT ${row} FROM turns WHERE ${turnIs(key)}`)
  return found && turnOf(found)
}

/** Turns of deleted conversations are never found and never written to. */
export class TurnStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Stores the user's message and makes the turn the active one, if no other is active, in one transaction. */
  create(turn: NewTurn): Promise<CreateOutcome> {
    return this.#database.transaction(async transaction => {
      const conversation = await this.#lock(transaction, turn)
      if (!conversation) return { outcome: 'gone' }
      const existing = await readTurn(transaction, turn)
      const canReopen = existing?.status === 'failed' && existing.error?.reason === 'unavailable'
      if (existing && !(turn.reopen && canReopen)) return { outcome: 'existing', turn: existing }
      const { activeChatId, waitingRunId } = conversation
      const active = activeChatId && (await readTurn(transaction, { ...turn, chatId: activeChatId }))
      if (active) return { outcome: 'busy', active }
      const created = existing
        ? await reopenTurn(transaction, conversation, existing, turn)
        : await insertTurn(transaction, conversation, turn)
      return { outcome: 'created', turn: created, waitingRunId }
    })
  }

  async find(key: TurnKey): Promise<Turn | undefined> {
    const found = await this.#database.get(sql`
      SELECT ${row} FROM turns WHERE ${turnIs(key)} AND EXISTS (SELECT 1 FROM conversations
        WHERE workspace_id = turns.workspace_id AND id = turns.conversation_id AND ${reachable})`)
    return found && turnOf(found)
  }

  /** All messages of a turn so far, the user's first. */
  messages({ workspaceId, conversationId, chatId, firstPosition, lastPosition }: Turn): Promise<Message[]> {
    const range = { first: firstPosition, last: lastPosition }
    return readMessages(this.#database, { workspaceId, conversationId, chatId, ...range })
  }

  /** Assigns another run to an active turn. */
  async setRun(turn: TurnKey, runId: string, eventsAfter: number): Promise<void> {
    await this.#database.transaction(transaction =>
      transaction.run(
        sql`UPDATE turns SET ${turns.set({ runId, eventsAfter })} WHERE ${turnIs(turn)} AND status = 'active'`,
      ),
    )
  }

  /** False when a message with this id exists already, or the conversation does not. */
  addReply(turn: TurnKey, reply: NewMessage): Promise<boolean> {
    return this.#database.transaction(async transaction => {
      const conversation = await this.#lock(transaction, turn)
      return conversation !== undefined && insertReply(transaction, conversation, turn, reply)
    })
  }

  /** Ends an active turn and frees its conversation. False when it has ended already. */
  end(key: TurnKey, end: TurnEnd): Promise<boolean> {
    return this.#database.transaction(async transaction => {
      const conversation = await this.#lock(transaction, key)
      const turn = conversation && (await readTurn(transaction, key))
      if (!conversation || turn?.status !== 'active') return false
      const { status, error, reply, options } = end
      if (reply) await insertReply(transaction, conversation, key, reply)
      const { reason: errorReason, message: errorMessage } = error ?? {}
      await updateTurn(transaction, key, { status, errorReason, errorMessage, options })
      await updateConversation(transaction, key, {
        activeChatId: conversation.activeChatId === key.chatId ? undefined : conversation.activeChatId,
        waitingRunId:
          end.waitingRunId === undefined ? conversation.waitingRunId : (end.waitingRunId ?? undefined),
      })
      return true
    })
  }

  /** Removes an active turn with its message, as if it had never been sent. False if there is a reply already. */
  undo(key: TurnKey): Promise<boolean> {
    return this.#database.transaction(async transaction => {
      const conversation = await this.#lock(transaction, key)
      const turn = conversation && (await readTurn(transaction, key))
      if (turn?.status !== 'active' || conversation?.messageCount !== turn.firstPosition) return false
      await dropMessages(transaction, key, turn.firstPosition)
      await transaction.run(sql`DELETE FROM turns WHERE ${turnIs(key)}`)
      if (conversation.activeChatId === key.chatId)
        await updateConversation(transaction, key, { activeChatId: undefined })
      return true
    })
  }

  /** Active turns of all workspaces that were created before a time, oldest first, after a given one. */
  async active(createdBefore: number, limit: number, after?: Turn): Promise<Turn[]> {
    const rest = after
      ? sql` AND (created_at, workspace_id, conversation_id, chat_id)
          > (${after.createdAt}, ${after.workspaceId}, ${after.conversationId}, ${after.chatId})`
      : sql``
    const found = await this.#database.all(sql`
      SELECT ${row} FROM turns WHERE status = 'active' AND created_at < ${createdBefore}${rest}
      ORDER BY created_at, workspace_id, conversation_id, chat_id LIMIT ${limit}`)
    return found.map(turnOf)
  }

  #lock(transaction: Transaction, turn: TurnKey): Promise<Conversation | undefined> {
    return lockConversation(transaction, this.#database.forUpdate, turn)
  }
}

// In the functions below the conversation is locked.

async function updateTurn(
  transaction: Transaction,
  turn: TurnKey,
  values: Partial<RowOf<typeof turns>>,
): Promise<void> {
  await transaction.run(sql`UPDATE turns SET ${turns.set(values)} WHERE ${turnIs(turn)}`)
}

async function updateConversation(
  transaction: Transaction,
  { workspaceId, conversationId: id }: TurnKey,
  values: Partial<RowOf<typeof conversations>>,
): Promise<void> {
  const key = conversations.where({ workspaceId, id })
  await transaction.run(sql`UPDATE conversations SET ${conversations.set(values)} WHERE ${key}`)
}

/** False when the id of the message is taken. */
async function insertMessage(
  transaction: Transaction,
  { workspaceId, conversationId, chatId }: TurnKey,
  { role, position }: { role: MessageRole; position: number },
  { id, dataType, content, fileIds, at }: NewMessage,
): Promise<boolean> {
  const insert = messages.insert({
    ...{ workspaceId, conversationId, position, id, chatId, role, dataType, content },
    ...{ fileList: fileIds, saidAt: at },
  })
  return (
    (await transaction.run(sql`${insert} ON CONFLICT (workspace_id, conversation_id, id) DO NOTHING`)) > 0
  )
}

async function insertTurn(
  transaction: Transaction,
  conversation: Conversation,
  turn: NewTurn,
): Promise<Turn> {
  const { workspaceId, conversationId, chatId, isAnonymous, fingerprint, at } = turn
  const position = conversation.messageCount + 1
  const place = { role: 0, position } as const
  if (!(await insertMessage(transaction, turn, place, turn.message)))
    await insertMessage(transaction, turn, place, { ...turn.message, id: turn.fallbackId })
  const created = {
    ...{ workspaceId, conversationId, chatId, runId: conversation.waitingRunId ?? turn.runId },
    ...({ status: 'active', firstPosition: position, lastPosition: position, eventsAfter: 0 } as const),
    ...{ options: undefined, createdAt: at, isAnonymous, fingerprint },
  }
  await transaction.run(turns.insert(created))
  const name = conversation.name || turn.name
  const updatedAt = Math.max(at, conversation.updatedAt)
  await updateConversation(transaction, turn, {
    ...{ messageCount: position, activeChatId: chatId, updatedAt },
    ...{ name, search: searchText(name, conversationId) },
  })
  return { ...created, error: undefined }
}

/** Opens a turn again that never got a run. The reply that reported the failure is removed if it is the last message. */
async function reopenTurn(
  transaction: Transaction,
  conversation: Conversation,
  existing: Turn,
  turn: NewTurn,
): Promise<Turn> {
  const { firstPosition, lastPosition } = existing
  const isLast = lastPosition === firstPosition + 1 && conversation.messageCount === lastPosition
  if (isLast) await dropMessages(transaction, turn, lastPosition)
  const { workspaceId, conversationId, chatId, isAnonymous } = turn
  const { dataType, content, fileIds } = turn.message
  await transaction.run(sql`
    UPDATE messages SET ${messages.set({ dataType, content, fileList: fileIds })}
    WHERE ${messages.where({ workspaceId, conversationId, position: firstPosition })}`)
  const values = {
    ...({ status: 'active', runId: conversation.waitingRunId ?? turn.runId, eventsAfter: 0 } as const),
    ...{ lastPosition: isLast ? firstPosition : lastPosition, options: undefined },
    ...{ isAnonymous, createdAt: turn.at },
  }
  await updateTurn(transaction, turn, { ...values, errorReason: undefined, errorMessage: undefined })
  await updateConversation(transaction, turn, { activeChatId: chatId })
  return { ...existing, ...values, error: undefined }
}

/** Appends a reply, unless a message with its id exists already. */
async function insertReply(
  transaction: Transaction,
  conversation: Conversation,
  turn: TurnKey,
  reply: NewMessage,
): Promise<boolean> {
  const position = conversation.messageCount + 1
  if (!(await insertMessage(transaction, turn, { role: 1, position }, reply))) return false
  const updatedAt = Math.max(reply.at, conversation.updatedAt)
  await updateConversation(transaction, turn, { messageCount: position, updatedAt })
  await updateTurn(transaction, turn, { lastPosition: position })
  return true
}

/** Removes the messages from this position on, which must be the last ones of the conversation. */
async function dropMessages(transaction: Transaction, turn: TurnKey, position: number): Promise<void> {
  const { workspaceId, conversationId } = turn
  await transaction.run(sql`
    DELETE FROM messages WHERE ${messages.where({ workspaceId, conversationId })} AND position >= ${position}`)
  await updateConversation(transaction, turn, { messageCount: position - 1 })
}
