import { limits } from '../contract/limits.ts'
import type { Transaction } from '../database/database.ts'
import { searchText } from '../database/keyword.ts'
import { sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import type { RowOf } from '../database/table.ts'
import {
  type Conversation,
  type ConversationWithInputs,
  conversations,
  feedback,
  type Message,
  type MessageRole,
  messageFiles,
  messages,
  type NewMessage,
  type Turn,
  type TurnError,
  type TurnKey,
  type TurnStatus,
  turns,
} from './conversation.ts'
import { insertConversation, lockConversation, reachable, readMessages } from './conversation-store.ts'

export interface NewTurn extends TurnKey {
  /** Its run, unless a waiting run is resumed. */
  runId: string
  /** The user's message. If its id is taken, it is stored under `fallbackId`. */
  message: NewMessage
  fallbackId: string
  /** The name of the conversation, if it has none yet. */
  name: string
  /** New values of input variables that the conversation keeps. */
  inputs?: Readonly<Record<string, unknown>> | undefined
  /** This turn and all later ones are removed. */
  replaces?: string | undefined
  isAnonymous: boolean
  fingerprint: string
  /** The conversation does not exist yet: it is created with the turn. */
  opening?: OpenedConversation | undefined
  /** The turn follows the message at this position, or is refused as `moved`. */
  after?: number | undefined
  /** A turn with this id that failed as `unavailable` is opened again, and this message replaces the old one. */
  reopen: boolean
  at: number
}

/** A message that was sent before a conversation began. */
export type EarlierMessage = Omit<Message, 'runId' | 'rating'>

/** A conversation to create, and what its history begins with. */
export interface OpenedConversation {
  conversation: Conversation
  earlier: readonly EarlierMessage[]
}

export type CreateOutcome =
  | {
      outcome: 'created'
      turn: Turn
      waitingRunId: string | undefined
      /** The values of input variables of the conversation. */
      inputs: Readonly<Record<string, unknown>>
      /** A waiting run of a turn that was replaced. */
      abandonedRunId?: string | undefined
    }
  | { outcome: 'existing'; turn: Turn }
  | { outcome: 'busy'; active: Turn }
  | { outcome: 'moved' }
  | { outcome: 'gone' }
  /** The turn to replace does not exist, or is too far back. */
  | { outcome: 'irreplaceable' }

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

/** Turns of deleted conversations are never found and never written to. */
export class TurnStore extends Store {
  /** Stores the user's message and makes the turn the active one, if no other is active, in one transaction. */
  create(turn: NewTurn): Promise<CreateOutcome> {
    return this.#locked<CreateOutcome>(turn, { outcome: 'gone' }, async locked => {
      const existing = locked.isNew ? undefined : await locked.readTurn(turn.chatId)
      const canReopen = existing?.status === 'failed' && existing.error?.reason === 'unavailable'
      if (existing && !(turn.reopen && canReopen)) return { outcome: 'existing', turn: existing }
      if (turn.after !== undefined && locked.conversation.messageCount !== turn.after)
        return { outcome: 'moved' }
      const { activeChatId, waitingRunId: abandonedRunId } = locked.conversation
      const inputs = turn.inputs ?? locked.conversation.inputs ?? {}
      const active = activeChatId && (await locked.readTurn(activeChatId))
      if (active) return { outcome: 'busy', active }
      if (turn.replaces !== undefined) {
        if (!(await locked.dropTurns(turn.replaces))) return { outcome: 'irreplaceable' }
        return {
          outcome: 'created',
          turn: await locked.insertTurn(turn),
          waitingRunId: undefined,
          abandonedRunId,
          inputs,
        }
      }
      const { waitingRunId } = locked.conversation
      const created = existing ? await locked.reopenTurn(existing, turn) : await locked.insertTurn(turn)
      return { outcome: 'created', turn: created, waitingRunId, inputs }
    })
  }

  async find(key: TurnKey): Promise<Turn | undefined> {
    const found = await this.database.get(sql`
      SELECT ${row} FROM turns WHERE ${turnIs(key)} AND EXISTS (SELECT 1 FROM conversations
        WHERE workspace_id = turns.workspace_id AND id = turns.conversation_id AND ${reachable})`)
    return found && turnOf(found)
  }

  /** All messages of a turn so far, the user's first. */
  messages({ workspaceId, conversationId, chatId, firstPosition, lastPosition }: Turn): Promise<Message[]> {
    const range = { first: firstPosition, last: lastPosition }
    return readMessages(this.database, { workspaceId, conversationId, chatId, ...range })
  }

  async setRun(turn: TurnKey, runId: string, eventsAfter: number): Promise<void> {
    await this.run(
      sql`UPDATE turns SET ${turns.set({ runId, eventsAfter })} WHERE ${turnIs(turn)} AND status = 'active'`,
    )
  }

  /** False when a message with this id exists already, or the conversation does not. */
  addReply(turn: TurnKey, reply: NewMessage): Promise<boolean> {
    return this.#locked(turn, false, locked => locked.insertReply(turn.chatId, reply))
  }

  /** Ends an active turn and frees its conversation. False when it has ended already. */
  end({ chatId, ...key }: TurnKey, end: TurnEnd): Promise<boolean> {
    return this.#locked(key, false, async locked => {
      if ((await locked.readTurn(chatId))?.status !== 'active') return false
      const { status, error, reply, options } = end
      if (reply) await locked.insertReply(chatId, reply)
      const { reason: errorReason, message: errorMessage } = error ?? {}
      await locked.updateTurn(chatId, { status, errorReason, errorMessage, options })
      const { activeChatId, waitingRunId } = locked.conversation
      await locked.update({
        activeChatId: activeChatId === chatId ? undefined : activeChatId,
        waitingRunId: end.waitingRunId === undefined ? waitingRunId : (end.waitingRunId ?? undefined),
      })
      return true
    })
  }

  /** Removes an active turn with its message, as if it had never been sent. False if there is a reply already. */
  undo({ chatId, ...key }: TurnKey): Promise<boolean> {
    return this.#locked(key, false, async locked => {
      const turn = await locked.readTurn(chatId)
      const { messageCount, activeChatId } = locked.conversation
      if (turn?.status !== 'active' || messageCount !== turn.firstPosition) return false
      await locked.dropMessages(turn.firstPosition)
      await locked.removeTurn(chatId)
      if (activeChatId === chatId) await locked.update({ activeChatId: undefined })
      return true
    })
  }

  /** Active turns of all workspaces that were created before a time, oldest first, after a given one. */
  async active(createdBefore: number, limit: number, after?: Turn): Promise<Turn[]> {
    const rest = after
      ? sql` AND (created_at, workspace_id, conversation_id, chat_id)
          > (${after.createdAt}, ${after.workspaceId}, ${after.conversationId}, ${after.chatId})`
      : sql``
    const found = await this.database.all(sql`
      SELECT ${row} FROM turns WHERE status = 'active' AND created_at < ${createdBefore}${rest}
      ORDER BY created_at, workspace_id, conversation_id, chat_id LIMIT ${limit}`)
    return found.map(turnOf)
  }

  /** `missing` if there is no such conversation. One to open may exist: a retry has the same id as the first request. */
  #locked<Result>(
    { workspaceId, conversationId, opening }: ConversationKey & Pick<NewTurn, 'opening'>,
    missing: Result,
    work: (locked: LockedConversation) => Promise<Result>,
  ): Promise<Result> {
    const key = { workspaceId, conversationId }
    return this.database.transaction(async transaction => {
      const opened = opening && (await this.#open(transaction, workspaceId, opening))
      const conversation =
        opened ?? (await lockConversation(this.database, transaction, workspaceId, conversationId))
      if (!conversation) return missing
      return work(new LockedConversation(transaction, key, conversation, opened !== undefined))
    })
  }

  /** Undefined if it exists, or its agent does not. */
  async #open(transaction: Transaction, workspaceId: string, { conversation, earlier }: OpenedConversation) {
    const opened = { ...conversation, messageCount: earlier.length, inputs: undefined }
    if (!(await insertConversation(this.database, transaction, workspaceId, opened))) return undefined
    for (const [at, { fileIds: fileList, at: saidAt, ...message }] of earlier.entries()) {
      const place = { workspaceId, conversationId: conversation.id, position: at + 1 }
      await transaction.run(messages.insert({ ...place, ...message, fileList, saidAt }))
    }
    return opened
  }
}

type ConversationKey = Omit<TurnKey, 'chatId'>

/** The writes of a transaction that has locked a conversation. */
class LockedConversation {
  /** As it was when it was locked, apart from what `dropTurns` removed. */
  conversation: ConversationWithInputs
  /** Created in this transaction. */
  readonly isNew: boolean
  readonly #transaction: Transaction
  readonly #key: ConversationKey

  constructor(
    transaction: Transaction,
    key: ConversationKey,
    conversation: ConversationWithInputs,
    isNew: boolean,
  ) {
    this.#transaction = transaction
    this.#key = key
    this.conversation = conversation
    this.isNew = isNew
  }

  async readTurn(chatId: string): Promise<Turn | undefined> {
    const key = turns.where({ ...this.#key, chatId })
    const found = await this.#transaction.get(sql`SELECT ${row} FROM turns WHERE ${key}`)
    return found && turnOf(found)
  }

  async updateTurn(chatId: string, values: Partial<RowOf<typeof turns>>): Promise<void> {
    const key = turns.where({ ...this.#key, chatId })
    await this.#transaction.run(sql`UPDATE turns SET ${turns.set(values)} WHERE ${key}`)
  }

  async removeTurn(chatId: string): Promise<void> {
    await this.#transaction.run(sql`DELETE FROM turns WHERE ${turns.where({ ...this.#key, chatId })}`)
  }

  async update(values: Partial<RowOf<typeof conversations>>): Promise<void> {
    const key = conversations.where({ workspaceId: this.#key.workspaceId, id: this.#key.conversationId })
    await this.#transaction.run(sql`UPDATE conversations SET ${conversations.set(values)} WHERE ${key}`)
  }

  async insertTurn(turn: NewTurn): Promise<Turn> {
    const { chatId, message, isAnonymous, fingerprint, at } = turn
    const { messageCount, waitingRunId, updatedAt, name: currentName } = this.conversation
    const position = messageCount + 1
    const place = { chatId, role: 0, position } as const
    if (!(await this.#insertMessage(place, message)))
      await this.#insertMessage(place, { ...message, id: turn.fallbackId })
    const created = {
      ...{ ...this.#key, chatId, runId: waitingRunId ?? turn.runId },
      ...({ status: 'active', firstPosition: position, lastPosition: position, eventsAfter: 0 } as const),
      ...{ options: undefined, createdAt: at, isAnonymous, fingerprint },
    }
    await this.#transaction.run(turns.insert(created))
    const name = currentName || turn.name
    await this.update({
      ...{ messageCount: position, activeChatId: chatId, updatedAt: Math.max(at, updatedAt) },
      ...{ name, search: searchText(name, this.#key.conversationId) },
      ...(turn.inputs && { inputs: turn.inputs }),
    })
    return { ...created, error: undefined }
  }

  /** Opens a turn again that never got a run. The reply that reported the failure is removed if it is the last message. */
  async reopenTurn(
    existing: Turn,
    { chatId, runId, message, isAnonymous, inputs, at }: NewTurn,
  ): Promise<Turn> {
    const { messageCount, waitingRunId } = this.conversation
    const { firstPosition, lastPosition } = existing
    const isLast = lastPosition === firstPosition + 1 && messageCount === lastPosition
    if (isLast) await this.dropMessages(lastPosition)
    const { dataType, content, fileIds } = message
    await this.#transaction.run(sql`
      UPDATE messages SET ${messages.set({ dataType, content, fileList: fileIds })}
      WHERE ${messages.where({ ...this.#key, position: firstPosition })}`)
    const values = {
      ...({ status: 'active', runId: waitingRunId ?? runId, eventsAfter: 0, options: undefined } as const),
      ...{ lastPosition: isLast ? firstPosition : lastPosition, isAnonymous, createdAt: at },
    }
    await this.updateTurn(chatId, { ...values, errorReason: undefined, errorMessage: undefined })
    await this.update({ activeChatId: chatId, ...(inputs && { inputs }) })
    return { ...existing, ...values, error: undefined }
  }

  /** Appends a reply. False when a message with its id exists already. */
  async insertReply(chatId: string, reply: NewMessage): Promise<boolean> {
    const position = this.conversation.messageCount + 1
    if (!(await this.#insertMessage({ chatId, role: 1, position }, reply))) return false
    await this.update({
      messageCount: position,
      updatedAt: Math.max(reply.at, this.conversation.updatedAt),
    })
    await this.updateTurn(chatId, { lastPosition: position })
    return true
  }

  /** False when the id of the message is taken. */
  async #insertMessage(
    place: { chatId: string; role: MessageRole; position: number },
    { id, dataType, content, fileIds, at }: NewMessage,
  ): Promise<boolean> {
    const message = { ...this.#key, ...place, id, dataType, content, fileList: fileIds, saidAt: at }
    const insert = sql`${messages.insert(message)} ON CONFLICT (workspace_id, conversation_id, id) DO NOTHING`
    if ((await this.#transaction.run(insert)) === 0) return false
    for (const fileId of new Set(fileIds))
      await this.#transaction.run(
        sql`${messageFiles.insert({ ...this.#key, fileId })} ON CONFLICT (workspace_id, file_id, conversation_id) DO NOTHING`,
      )
    return true
  }

  /** Removes a turn and all later ones. False if there is no such turn, or too many messages after it. */
  async dropTurns(chatId: string): Promise<boolean> {
    const first = await this.readTurn(chatId)
    const { messageCount } = this.conversation
    if (!first || messageCount - first.firstPosition >= limits.replacedMessages) return false
    const { firstPosition } = first
    const from = sql`${messages.where(this.#key)} AND position >= ${firstPosition}`
    await this.#transaction.run(sql`
      DELETE FROM feedback WHERE ${feedback.where(this.#key)}
        AND message_id IN (SELECT id FROM messages WHERE ${from})`)
    await this.#transaction.run(
      sql`DELETE FROM turns WHERE ${turns.where(this.#key)} AND first_position >= ${firstPosition}`,
    )
    await this.dropMessages(firstPosition)
    const rest = { messageCount: firstPosition - 1, waitingRunId: undefined }
    await this.update(rest)
    this.conversation = { ...this.conversation, ...rest }
    return true
  }

  /** Removes the messages from this position on, which must be the last ones of the conversation. */
  async dropMessages(position: number): Promise<void> {
    await this.#transaction.run(
      sql`DELETE FROM messages WHERE ${messages.where(this.#key)} AND position >= ${position}`,
    )
    await this.update({ messageCount: position - 1 })
  }
}
