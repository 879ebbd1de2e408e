import type { Swept } from '../../conversations/conversation-store.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { marks } from '../../database/sql.ts'

/** So many rows at most go in one transaction: nobody waits long for it. */
const rows = 500
const leaves = ['messages', 'turns', 'conversation_memory', 'feedback']

interface Named {
  workspace_id: string
  id: string
}

interface MarkedRow extends Named {
  waiting_run_id: string | null
  active_run_id: string | null
}

const deletedConversation =
  'SELECT workspace_id, id FROM conversations WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT 1'
const deletedAgent =
  'SELECT workspace_id, id, deleted_at FROM agents WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT 1'

const unmarkedAgent = `SELECT workspace_id, id, deleted_at FROM agents WHERE deleted_at IS NOT NULL AND EXISTS
  (SELECT 1 FROM conversations c WHERE c.workspace_id = agents.workspace_id AND c.agent_id = agents.id
   AND c.deleted_at IS NULL) LIMIT 1`
const agentsOfDeleted = `FROM agents JOIN workspaces w ON w.id = agents.workspace_id
  WHERE w.deleted_at IS NOT NULL AND agents.deleted_at IS NULL`

async function sweepConversation(
  database: Database,
  transaction: Transaction,
  { workspace_id, id }: Named,
): Promise<void> {
  const { rowName } = database
  for (const table of leaves) {
    const some = `SELECT ${rowName} FROM ${table} WHERE workspace_id = ? AND conversation_id = ? LIMIT ${rows}`
    const removed = await transaction.run(
      `DELETE FROM ${table} WHERE ${rowName} IN (${some})`,
      workspace_id,
      id,
    )
    if (removed > 0) return
  }
  await transaction.run('DELETE FROM conversations WHERE workspace_id = ? AND id = ?', workspace_id, id)
}

/** The runs that work for a conversation now, or wait for it. */
const runsOf = ({ workspace_id, active_run_id, waiting_run_id }: MarkedRow): Swept['orphans'] =>
  [active_run_id, waiting_run_id].flatMap(runId =>
    runId === null ? [] : [{ workspaceId: workspace_id, runId }],
  )

/** Its conversations are marked some at a time; when none is left to mark, the agent's own row goes. */
async function sweepAgent(
  transaction: Transaction,
  { workspace_id, id, deleted_at }: Named & { deleted_at: number },
): Promise<Swept['orphans']> {
  const found = await transaction.all<MarkedRow>(
    `SELECT c.workspace_id, c.id, c.waiting_run_id, t.run_id AS active_run_id FROM conversations c
     LEFT JOIN turns t ON t.workspace_id = c.workspace_id AND t.conversation_id = c.id AND t.chat_id = c.active_chat_id
     WHERE c.workspace_id = ? AND c.agent_id = ? AND c.deleted_at IS NULL LIMIT ${rows}`,
    workspace_id,
    id,
  )
  if (found.length > 0)
    await transaction.run(
      `UPDATE conversations SET deleted_at = ? WHERE workspace_id = ? AND id IN (${marks(found.length)})`,
      deleted_at,
      workspace_id,
      ...found.map(row => row.id),
    )
  else await transaction.run('DELETE FROM agents WHERE workspace_id = ? AND id = ?', workspace_id, id)
  return found.flatMap(runsOf)
}

/** Agents go with their workspace, so that what they do ends before the workspace is emptied. */
async function markAgents(database: Database, transaction: Transaction): Promise<boolean> {
  const { rowName } = database
  const found = await transaction.get<{ at: number }>(`SELECT w.deleted_at AS at ${agentsOfDeleted} LIMIT 1`)
  if (!found) return false
  await transaction.run(
    `UPDATE agents SET deleted_at = ? WHERE ${rowName} IN (SELECT agents.${rowName} ${agentsOfDeleted} LIMIT ${rows})`,
    found.at,
  )
  return true
}

const nothing: Swept = { isMore: false, orphans: [] }

/** Removes rows that nobody can reach any more, from the leaves to the root, so that a crash leaves nothing behind. */
export async function sweepConversations(database: Database): Promise<Swept> {
  // Looked at first: an idle server should not write.
  const looks = [deletedConversation, deletedAgent, `SELECT agents.id ${agentsOfDeleted} LIMIT 1`]
  const found = await Promise.all(looks.map(look => database.get(look)))
  if (!found.some(Boolean)) return nothing
  return database.transaction(async transaction => {
    if (await markAgents(database, transaction)) return { isMore: true, orphans: [] }
    // Before anything is removed: from its turns it is known which runs work for a conversation.
    const agent = await transaction.get<Named & { deleted_at: number }>(unmarkedAgent)
    if (agent) return { isMore: true, orphans: await sweepAgent(transaction, agent) }
    const conversation = await transaction.get<Named>(deletedConversation)
    if (conversation) await sweepConversation(database, transaction, conversation)
    const empty = conversation
      ? undefined
      : await transaction.get<Named & { deleted_at: number }>(deletedAgent)
    if (empty) await sweepAgent(transaction, empty)
    return conversation || empty ? { isMore: true, orphans: [] } : nothing
  })
}
