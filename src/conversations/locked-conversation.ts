import { limits } from '../contract/limits.ts'
import type { Transaction } from '../database/database.ts'
import { searchText } from '../database/keyword.ts'
import { raw, sql } from '../database/sql.ts'
import type { RowOf } from '../database/table.ts'
import {
  type Conversation,
  type ConversationWithInputs,
  conversations,
  type Message,
  type MessageRole,
  messageFiles,
  messages,
  type NewMessage,
  replacedMessages,
  type Turn,
  type TurnKey,
  turns,
} from './conversation.ts'
import {
  assignMemory,
  dropReplacedMemory,
  exchangeMemory,
  forEachValue,
  pruneEarlierMemory,
} from './turn-memory.ts'

/** Returns the values to keep, from those that the conversation has when the turn is stored. */
export type KeepInputs = (before: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>

export interface NewTurn extends TurnKey {
  /** Its run, unless a waiting run is resumed. */
  runId: string
  /** The user's message. If its id is taken, it is stored under `fallbackId`. */
  message: NewMessage
  fallbackId: string
  /** The name of the conversation, if it has none yet. */
  name: string
  /** The turn changes the values of input variables that the conversation keeps. */
  keepInputs?: KeepInputs | undefined
  /** The id of a turn: this turn and all later ones are replaced. */
  replaces?: string | undefined
  isAnonymous: boolean
  fingerprint: string
  /** The conversation does not exist yet: it is created with the turn. */
  opening?: OpenedConversation | undefined
  /** The position of the message that the turn follows; if it is not the last one, the turn is refused as `moved`. */
  after?: number | undefined
  /** Whether a turn with this id that failed as `unavailable` is reopened; this message then replaces the old one. */
  reopen: boolean
  at: number
}

/** A message that was sent before a conversation began. */
export type EarlierMessage = Omit<Message, 'runId' | 'rating' | 'version' | 'turnStatus'>

/** A conversation to create, with the first messages of its history. */
export interface OpenedConversation {
  conversation: Conversation
  earlier: readonly EarlierMessage[]
}

export type ConversationKey = Omit<TurnKey, 'chatId'>

/** Without the steps, which may be long. */
export const turnRow = turns.columns(...turns.keysExcept('steps'))
type TurnRow = Omit<RowOf<typeof turns>, 'steps'>

export const turnOf = ({ errorReason: reason, errorMessage, ...turn }: TurnRow): Turn => ({
  ...turn,
  error: reason && { reason, message: errorMessage ?? '' },
})

/** The columns that are copied when a message moves between `messages` and `replaced_messages`. */
const copied = raw(
  'workspace_id, conversation_id, position, id, chat_id, role, data_type, content, file_list, said_at',
)

/** The writes of a transaction that has locked a conversation. */
export class LockedConversation {
  /** The conversation as it was when it was locked, except that `replaceTurns` updates it. */
  conversation: ConversationWithInputs
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

  /** The values of input variables that a turn begins with. */
  inputsOf({ keepInputs }: NewTurn): Readonly<Record<string, unknown>> {
    const { inputs = {} } = this.conversation
    return keepInputs ? keepInputs(inputs) : inputs
  }

  async readTurn(chatId: string): Promise<Turn | undefined> {
    const found = await this.#transaction.get(turns.select(turnRow, { ...this.#key, chatId }))
    return found && turnOf(found)
  }

  async updateTurn(chatId: string, values: Partial<RowOf<typeof turns>>): Promise<void> {
    await this.#transaction.run(turns.update({ ...this.#key, chatId }, values))
  }

  async removeTurn(chatId: string): Promise<void> {
    await this.#transaction.run(turns.delete({ ...this.#key, chatId }))
  }

  async update(values: Partial<RowOf<typeof conversations>>): Promise<void> {
    await this.#transaction.run(
      conversations.update({ workspaceId: this.#key.workspaceId, id: this.#key.conversationId }, values),
    )
  }

  async insertTurn(turn: NewTurn, version = 1): Promise<Turn> {
    const { chatId, message, isAnonymous, fingerprint, at } = turn
    const { messageCount, waitingRunId, updatedAt, name: currentName } = this.conversation
    const position = messageCount + 1
    const place = { chatId, role: 0, position } as const
    if (!(await this.#insertMessage(place, message)))
      await this.#insertMessage(place, { ...message, id: turn.fallbackId })
    const created = {
      ...{ ...this.#key, chatId, runId: waitingRunId ?? turn.runId },
      ...({ status: 'active', firstPosition: position, lastPosition: position, eventsAfter: 0 } as const),
      ...{ options: undefined, createdAt: at, isAnonymous, fingerprint, version },
      ...{ replacedBy: undefined, suggestions: undefined, annotationId: undefined },
    }
    await this.#transaction.run(turns.insert(created))
    const name = currentName || turn.name
    await this.update({
      ...{ messageCount: position, activeChatId: chatId, updatedAt: Math.max(at, updatedAt) },
      ...{ name, search: searchText(name, this.#key.conversationId) },
      ...(turn.keepInputs && { inputs: this.inputsOf(turn) }),
    })
    return { ...created, error: undefined }
  }

  /** Reopens a turn that never got a run. The reply that reported its failure is removed if it is the last message. */
  async reopenTurn(existing: Turn, turn: NewTurn): Promise<Turn> {
    const { chatId, runId, message, isAnonymous, at } = turn
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
      annotationId: undefined,
    }
    await this.updateTurn(chatId, { ...values, errorReason: undefined, errorMessage: undefined })
    await this.update({ activeChatId: chatId, ...(turn.keepInputs && { inputs: this.inputsOf(turn) }) })
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

  /** Values of `memory` for a user; a turn that was replaced assigns none. */
  async assignMemory(
    chatId: string,
    userId: string,
    values: ReadonlyMap<string, unknown>,
    at: number,
  ): Promise<void> {
    const turn = await this.readTurn(chatId)
    if (!turn || turn.replacedBy !== undefined) return
    await forEachValue(values, ([key, value]) =>
      assignMemory(this.#transaction, turn, { userId, key, value, at }),
    )
    await pruneEarlierMemory(this.#transaction, this.#key, this.conversation.messageCount)
  }

  /** The turn that started the run of this one, if this one answered a question of that run. */
  async beginningOf(chatId: string): Promise<string | undefined> {
    const turn = await this.readTurn(chatId)
    if (!turn || turn.eventsAfter === 0) return undefined
    const started = { ...this.#key, runId: turn.runId, eventsAfter: 0 }
    return (await this.#transaction.get(turns.select(turns.columns('chatId'), started)))?.chatId
  }

  /**
   * The replaced turns stay readable, and the memory is as it was before them. Undefined if the turn does not exist, or
   * too many messages follow.
   */
  async replaceTurns(chatId: string, replacedBy: string, at: number): Promise<number | undefined> {
    const first = await this.readTurn(chatId)
    const { messageCount } = this.conversation
    if (!first || first.replacedBy !== undefined) return undefined
    const { firstPosition } = first
    if (messageCount - firstPosition >= limits.replacedMessages) return undefined
    const { workspaceId, conversationId } = this.#key
    await this.#transaction.run(sql`
      INSERT INTO replaced_messages (${copied}, replaced_by) SELECT ${copied}, ${replacedBy} FROM messages
      WHERE workspace_id = ${workspaceId} AND conversation_id = ${conversationId} AND position >= ${firstPosition}`)
    await dropReplacedMemory(this.#transaction, this.#key, firstPosition)
    await this.#transaction.run(sql`
      UPDATE turns SET ${turns.set({ replacedBy })}
      WHERE ${turns.where(this.#key)} AND first_position >= ${firstPosition} AND replaced_by IS NULL`)
    await exchangeMemory(this.#transaction, this.#key, replacedBy, at)
    await this.dropMessages(firstPosition)
    const rest = { messageCount: firstPosition - 1, waitingRunId: undefined }
    await this.update(rest)
    this.conversation = { ...this.conversation, ...rest }
    return first.version
  }

  /** Restores the turns that were replaced by a turn that is undone. */
  async restoreTurns(replacedBy: string, at: number): Promise<void> {
    const { workspaceId, conversationId } = this.#key
    const replaced = replacedMessages.where({ ...this.#key, replacedBy })
    const restored = await this.#transaction.run(sql`
      INSERT INTO messages (${copied}) SELECT ${copied} FROM replaced_messages WHERE ${replaced}`)
    if (restored === 0) return
    await exchangeMemory(this.#transaction, this.#key, replacedBy, at)
    await this.#transaction.run(replacedMessages.delete(replaced))
    await this.#transaction.run(sql`
      UPDATE turns SET ${turns.set({ replacedBy: undefined })}
      WHERE workspace_id = ${workspaceId} AND conversation_id = ${conversationId} AND replaced_by = ${replacedBy}`)
    await this.update({ messageCount: this.conversation.messageCount - 1 + restored })
  }

  /** Removes the messages from this position on, which must be the last ones of the conversation. */
  async dropMessages(position: number): Promise<void> {
    await this.#transaction.run(
      sql`DELETE FROM messages WHERE ${messages.where(this.#key)} AND position >= ${position}`,
    )
    await this.update({ messageCount: position - 1 })
  }
}
