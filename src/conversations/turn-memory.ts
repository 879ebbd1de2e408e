import { limits } from '../contract/limits.ts'
import type { Transaction } from '../database/database.ts'
import { type Query, raw, sql } from '../database/sql.ts'
import { groupsOf } from '../kernel/groups-of.ts'
import { nextTurn } from '../kernel/pause.ts'
import { conversationMemory, earlierMemory, type Turn, type TurnKey } from './conversation.ts'

// The transactions of these functions have locked the conversation.

/** A workflow may assign thousands of values, and SQLite writes on the main thread. */
const valuesAtOnce = 100

/** Handles the values one after the other, with other work of the process in between. */
export async function forEachValue<Value>(
  values: Iterable<Value>,
  handle: (value: Value) => Promise<void>,
): Promise<void> {
  for (const some of groupsOf([...values], valuesAtOnce)) {
    for (const value of some) await handle(value)
    if (some.length === valuesAtOnce) await nextTurn()
  }
}

type ConversationKey = Omit<TurnKey, 'chatId'>

const isOf = (
  turn: Query,
) => sql`EXISTS (SELECT 1 FROM turns t WHERE t.workspace_id = earlier_memory.workspace_id
  AND t.conversation_id = earlier_memory.conversation_id AND t.chat_id = earlier_memory.chat_id AND ${turn})`

const identity = raw('workspace_id, conversation_id, position, chat_id, user_id, key')

/** Assigns a value, and keeps the one that it had before the turn first assigned it. */
export async function assignMemory(
  transaction: Transaction,
  { workspaceId, conversationId, chatId, firstPosition }: Turn,
  { userId, key, value, at }: { userId: string; key: string; value: unknown; at: number },
): Promise<void> {
  const place = { workspaceId, conversationId, userId, key }
  await transaction.run(sql`
    INSERT INTO earlier_memory (${identity}, value)
    VALUES (${workspaceId}, ${conversationId}, ${firstPosition}, ${chatId}, ${userId}, ${key},
      (SELECT value FROM conversation_memory WHERE ${conversationMemory.where(place)}))
    ON CONFLICT (${identity}) DO NOTHING`)
  await setMemory(transaction, place, value ?? null, at)
}

const setMemory = (
  transaction: Transaction,
  place: { workspaceId: string; conversationId: string; userId: string; key: string },
  value: unknown,
  updatedAt: number,
): Promise<number> =>
  transaction.run(sql`
    ${conversationMemory.insert({ ...place, value, updatedAt })}
    ON CONFLICT (workspace_id, conversation_id, user_id, key)
    DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`)

/** Removes what only turns need that cannot be replaced any more. */
export async function pruneEarlierMemory(
  transaction: Transaction,
  key: ConversationKey,
  messageCount: number,
): Promise<void> {
  await transaction.run(sql`
    DELETE FROM earlier_memory
    WHERE ${earlierMemory.where(key)} AND position <= ${messageCount - limits.replacedMessages}`)
}

/** Removes what the turns from this position on need that were replaced before: nothing restores them. */
export async function dropReplacedMemory(
  transaction: Transaction,
  key: ConversationKey,
  position: number,
): Promise<void> {
  await transaction.run(sql`
    DELETE FROM earlier_memory
    WHERE ${earlierMemory.where(key)} AND position >= ${position} AND ${isOf(sql`t.replaced_by IS NOT NULL`)}`)
}

/**
 * Exchanges the values that the replaced turns have left for those before them. A second time, it takes this back: after
 * a turn that replaced them could not start.
 */
export async function exchangeMemory(
  transaction: Transaction,
  key: ConversationKey,
  replacedBy: string,
  at: number,
): Promise<void> {
  const assigned = await transaction.all(sql`
    SELECT ${earlierMemory.columns('position', 'chatId', 'userId', 'key')} FROM earlier_memory
    WHERE ${earlierMemory.where(key)} AND ${isOf(sql`t.replaced_by = ${replacedBy}`)} ORDER BY position DESC`)
  // Of each value, that before the first of the turns.
  const first = new Map(assigned.map(row => [JSON.stringify([row.userId, row.key]), row]))
  await forEachValue(first.values(), async row => {
    const place = { ...key, userId: row.userId, key: row.key }
    const current = await transaction.get(
      conversationMemory.select(conversationMemory.columns('value'), place),
    )
    const before = await transaction.get(
      earlierMemory.select(earlierMemory.columns('value'), { ...key, ...row }),
    )
    if (before?.value === undefined) await transaction.run(conversationMemory.delete(place))
    else await setMemory(transaction, place, before.value, at)
    await transaction.run(earlierMemory.update({ ...key, ...row }, { value: current?.value }))
  })
}
