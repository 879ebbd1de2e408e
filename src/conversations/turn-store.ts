import type { Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import type { RowOf } from '../database/table.ts'
import {
  type Message,
  messages,
  type NewMessage,
  type Turn,
  type TurnError,
  type TurnKey,
  type TurnStatus,
  turns,
} from './conversation.ts'
import {
  insertConversation,
  lockConversation,
  reachable,
  readMessages,
  readReplaced,
} from './conversation-store.ts'
import {
  type ConversationKey,
  LockedConversation,
  type NewTurn,
  type OpenedConversation,
  turnOf,
  turnRow,
} from './locked-conversation.ts'

type CreateOutcome =
  | {
      outcome: 'created'
      turn: Turn
      waitingRunId: string | undefined
      /** The values of input variables of the conversation. */
      inputs: Readonly<Record<string, unknown>>
      /** A run that waited for an answer in a turn that was replaced. */
      abandonedRunId?: string | undefined
    }
  | { outcome: 'existing'; turn: Turn }
  | { outcome: 'busy'; active: Turn }
  | { outcome: 'moved' }
  | { outcome: 'gone' }
  /** The turn to replace does not exist, is too far back, or has answered a question of the run that `startedBy` began. */
  | { outcome: 'irreplaceable'; startedBy?: string }

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

const turnIs = ({ workspaceId, conversationId, chatId }: TurnKey) =>
  turns.where({ workspaceId, conversationId, chatId })

/** Turns of deleted conversations are never found and never written to. */
export class TurnStore extends Store {
  /** Stores the user's message and makes the turn the active one, if no other is active, in one transaction. */
  create(turn: NewTurn): Promise<CreateOutcome> {
    return this.#locked<CreateOutcome>(turn, { outcome: 'gone' }, async locked => {
      const existing = locked.isNew ? undefined : await locked.readTurn(turn.chatId)
      const canReopen =
        existing?.status === 'failed' &&
        existing.error?.reason === 'unavailable' &&
        existing.replacedBy === undefined
      if (existing && !(turn.reopen && canReopen)) return { outcome: 'existing', turn: existing }
      if (turn.after !== undefined && locked.conversation.messageCount !== turn.after)
        return { outcome: 'moved' }
      const { activeChatId, waitingRunId: abandonedRunId } = locked.conversation
      const inputs = locked.inputsOf(turn)
      const active = activeChatId && (await locked.readTurn(activeChatId))
      if (active) return { outcome: 'busy', active }
      // A turn that is reopened has replaced the other turns already.
      if (turn.replaces !== undefined && !existing) {
        const startedBy = await locked.beginningOf(turn.replaces)
        if (startedBy !== undefined) return { outcome: 'irreplaceable', startedBy }
        const replaced = await locked.replaceTurns(turn.replaces, turn.chatId, turn.at)
        if (replaced === undefined) return { outcome: 'irreplaceable' }
        return {
          outcome: 'created',
          turn: await locked.insertTurn(turn, replaced + 1),
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
      SELECT ${turnRow} FROM turns WHERE ${turnIs(key)} AND EXISTS (SELECT 1 FROM conversations
        WHERE workspace_id = turns.workspace_id AND id = turns.conversation_id AND ${reachable})`)
    return found && turnOf(found)
  }

  /** All messages of a turn so far, the user's first. */
  messages(turn: Turn): Promise<Message[]> {
    const { workspaceId, conversationId, chatId, firstPosition, lastPosition, replacedBy } = turn
    if (replacedBy !== undefined)
      return readReplaced(this.database, { workspaceId, conversationId, replacedBy, chatId })
    const range = { first: firstPosition, last: lastPosition }
    return readMessages(this.database, { workspaceId, conversationId, chatId, ...range })
  }

  /** An earlier version of a turn, with all messages that were replaced with it. */
  async version(turn: Turn, version: number): Promise<{ turn: Turn; messages: Message[] } | undefined> {
    const { workspaceId, conversationId, firstPosition } = turn
    const place = turns.where({ workspaceId, conversationId })
    const found = await this.database.all(sql`
      SELECT ${turnRow} FROM turns WHERE ${place} AND first_position = ${firstPosition}
        AND replaced_by IS NOT NULL AND version >= ${version} AND version < ${turn.version}`)
    let earlier: Turn | undefined = turn
    while (earlier && earlier.version > version) {
      const by: string = earlier.chatId
      const row: (typeof found)[number] | undefined = found.find(({ replacedBy }) => replacedBy === by)
      earlier = row && turnOf(row)
    }
    if (earlier?.replacedBy === undefined) return undefined
    const { replacedBy } = earlier
    return {
      turn: earlier,
      messages: await readReplaced(this.database, { workspaceId, conversationId, replacedBy }),
    }
  }

  async set(
    turn: TurnKey,
    values: Partial<Pick<RowOf<typeof turns>, 'suggestions' | 'steps' | 'annotationId'>>,
  ): Promise<void> {
    await this.run(turns.update(turnIs(turn), values))
  }

  async setRun(turn: TurnKey, runId: string, eventsAfter: number): Promise<void> {
    await this.run(
      sql`UPDATE turns SET ${turns.set({ runId, eventsAfter })} WHERE ${turnIs(turn)} AND status = 'active'`,
    )
  }

  /** False when a message with this id exists already, or the conversation does not, or the turn was replaced. */
  addReply(turn: TurnKey, reply: NewMessage): Promise<boolean> {
    return this.#locked(turn, false, async locked => {
      // A run that continues after a crash repeats its messages, which were moved away with a replaced turn.
      const { replacedBy } = (await locked.readTurn(turn.chatId)) ?? {}
      return replacedBy === undefined && locked.insertReply(turn.chatId, reply)
    })
  }

  /** Assigns values of `memory` for a user, unless the turn was replaced. */
  remember(turn: TurnKey, userId: string, values: ReadonlyMap<string, unknown>, at: number): Promise<void> {
    return this.#locked(turn, undefined, locked => locked.assignMemory(turn.chatId, userId, values, at))
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

  /** As if it had never been sent; `waitingRunId` waited before a turn that it replaced. False after a reply. */
  undo({ chatId, ...key }: TurnKey, waitingRunId?: string): Promise<boolean> {
    return this.#locked(key, false, async locked => {
      const turn = await locked.readTurn(chatId)
      const { messageCount, activeChatId } = locked.conversation
      if (turn?.status !== 'active' || messageCount !== turn.firstPosition) return false
      await locked.dropMessages(turn.firstPosition)
      await locked.removeTurn(chatId)
      await locked.restoreTurns(chatId, turn.createdAt)
      if (activeChatId === chatId)
        await locked.update({ activeChatId: undefined, ...(waitingRunId !== undefined && { waitingRunId }) })
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
      SELECT ${turnRow} FROM turns WHERE status = 'active' AND created_at < ${createdBefore}${rest}
      ORDER BY created_at, workspace_id, conversation_id, chat_id LIMIT ${limit}`)
    return found.map(turnOf)
  }

  /** A conversation to create may exist already, because a retry has the same id as the first request. */
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

  /** Creates a conversation; undefined if it exists, or its agent does not. */
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
