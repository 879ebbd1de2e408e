import { agents } from '../agents/agent-store.ts'
import type { Transaction } from '../database/database.ts'
import { list, raw, sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { as, integer, optional, text } from '../database/table.ts'
import { files } from '../files/file-store.ts'
import {
  conversationMemory,
  conversations,
  earlierMemory,
  feedback,
  messageFiles,
  messages,
  replacedMessages,
  turns,
} from './conversation.ts'

interface SweepResult {
  isMore: boolean
  /** Runs of conversations whose agent was deleted. */
  orphans: readonly { workspaceId: string; runId: string }[]
  /** Files to remove before a conversation can be removed. */
  files?: { workspaceId: string; ids: string[] } | undefined
}

/** Rows per transaction of a sweep, so that other writers do not wait long. */
const sweepBatch = 500

const deletedConversation = sql`
  SELECT ${conversations.columns('workspaceId', 'id')} FROM conversations
  WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT 1`
const agentKey = agents.columns('workspaceId', 'id', 'deletedAt')
const deletedAgent = sql`
  SELECT ${agentKey} FROM agents WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT 1`
const agentWithConversations = sql`
  SELECT ${agentKey} FROM agents WHERE deleted_at IS NOT NULL AND EXISTS
    (SELECT 1 FROM conversations c WHERE c.workspace_id = agents.workspace_id AND c.agent_id = agents.id
     AND c.deleted_at IS NULL) LIMIT 1`
const agentsOfDeletedWorkspaces = raw(`agents JOIN workspaces w ON w.id = agents.workspace_id
  WHERE w.deleted_at IS NOT NULL AND agents.deleted_at IS NULL`)
const anythingToSweep = sql`
  SELECT 1 ${as('one', integer())} WHERE EXISTS (SELECT 1 FROM conversations WHERE deleted_at IS NOT NULL)
    OR EXISTS (SELECT 1 FROM agents WHERE deleted_at IS NOT NULL)
    OR EXISTS (SELECT 1 FROM ${agentsOfDeletedWorkspaces})`

/** Removes the rows of deleted agents and conversations. */
export class ConversationSweep extends Store {
  /** Removes some of the rows that can no longer be reached, children first, so that a crash leaves no orphans. */
  async sweep(): Promise<SweepResult> {
    // Checks first without a transaction, because an idle server should not write.
    if (!(await this.database.get(anythingToSweep))) return { isMore: false, orphans: [] }
    return this.database.deletion(async transaction => {
      if (await this.#markAgents(transaction)) return { isMore: true, orphans: [] }
      // This comes before anything is removed, because the turns of a conversation show which runs it uses.
      const marked = await transaction.get(agentWithConversations)
      if (marked) return { isMore: true, orphans: await this.#sweepAgent(transaction, marked) }
      const conversation = await transaction.get(deletedConversation)
      const agent = conversation ? undefined : await transaction.get(deletedAgent)
      const files = conversation && (await this.#sweepConversation(transaction, conversation))
      if (agent) await this.#sweepAgent(transaction, agent)
      return { isMore: Boolean(conversation ?? agent), orphans: [], files }
    })
  }

  /** Marks agents of deleted workspaces as deleted, so that their runs stop before the workspace is purged. */
  async #markAgents(transaction: Transaction): Promise<boolean> {
    const { rowName } = this.database
    const found = await transaction.get(
      sql`SELECT w.deleted_at ${as('deletedAt', integer())} FROM ${agentsOfDeletedWorkspaces} LIMIT 1`,
    )
    if (!found) return false
    await transaction.run(sql`
      UPDATE agents SET deleted_at = ${found.deletedAt} WHERE ${rowName} IN
        (SELECT agents.${rowName} FROM ${agentsOfDeletedWorkspaces} LIMIT ${sweepBatch})`)
    return true
  }

  /** Marks the conversations of an agent as deleted, in batches; when none is left, removes the agent's row. */
  async #sweepAgent(
    transaction: Transaction,
    { workspaceId, id, deletedAt }: { workspaceId: string; id: string; deletedAt: number | undefined },
  ): Promise<SweepResult['orphans']> {
    const found = await transaction.all(sql`
      SELECT ${conversations.columnsOf('c', 'id', 'waitingRunId')}, t.run_id ${as('activeRunId', optional(text()))}
      FROM conversations c LEFT JOIN turns t
        ON t.workspace_id = c.workspace_id AND t.conversation_id = c.id AND t.chat_id = c.active_chat_id
      WHERE c.workspace_id = ${workspaceId} AND c.agent_id = ${id} AND c.deleted_at IS NULL LIMIT ${sweepBatch}`)
    if (found.length > 0)
      await transaction.run(sql`
        UPDATE conversations SET ${conversations.set({ deletedAt })}
        WHERE workspace_id = ${workspaceId} AND id IN ${list(found.map(row => row.id))}`)
    else await transaction.run(sql`DELETE FROM agents WHERE workspace_id = ${workspaceId} AND id = ${id}`)
    return found
      .flatMap(row => [row.activeRunId, row.waitingRunId])
      .flatMap(runId => (runId === undefined ? [] : [{ workspaceId, runId }]))
  }

  /** Removes the row of a conversation last: as long as it exists, a sweep finds the rest after a crash. */
  async #sweepConversation(
    transaction: Transaction,
    { workspaceId, id }: { workspaceId: string; id: string },
  ): Promise<SweepResult['files']> {
    const inside = messages.where({ workspaceId, conversationId: id })
    const children = [
      messages,
      replacedMessages,
      messageFiles,
      turns,
      earlierMemory,
      conversationMemory,
      feedback,
    ]
    for (const child of children)
      if ((await this.deleteSome(transaction, child, inside, sweepBatch)) > 0) return undefined
    const uploaded = await transaction.all(sql`
      SELECT ${files.columns('id')} FROM files
      WHERE ${files.where({ workspaceId, conversationId: id })} LIMIT ${sweepBatch}`)
    if (uploaded.length > 0) return { workspaceId, ids: uploaded.map(file => file.id) }
    await transaction.run(conversations.delete({ workspaceId, id }))
    return undefined
  }
}
