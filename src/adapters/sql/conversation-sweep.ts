import type { Database, Transaction } from './database.ts'

/** So many rows at most go in one transaction: nobody waits long for it. */
const rows = 500
const leaves = ['messages', 'turns', 'conversation_memory', 'feedback']

interface Named {
  workspace_id: string
  id: string
}

const deletedConversation =
  'SELECT workspace_id, id FROM conversations WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT 1'
const deletedAgent =
  'SELECT workspace_id, id, deleted_at FROM agents WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT 1'

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

/** Its conversations are deleted one by one; when none is left to delete, the agent's own row goes. */
async function sweepAgent(
  database: Database,
  transaction: Transaction,
  { workspace_id, id, deleted_at }: Named & { deleted_at: number },
): Promise<void> {
  const { rowName } = database
  const marked = await transaction.run(
    `UPDATE conversations SET deleted_at = ? WHERE ${rowName} IN
       (SELECT ${rowName} FROM conversations WHERE workspace_id = ? AND agent_id = ? AND deleted_at IS NULL LIMIT ${rows})`,
    deleted_at,
    workspace_id,
    id,
  )
  if (marked === 0)
    await transaction.run('DELETE FROM agents WHERE workspace_id = ? AND id = ?', workspace_id, id)
}

/** Removes rows that nobody can reach any more, from the leaves to the root, so that a crash leaves nothing behind. */
export async function sweepConversations(database: Database): Promise<boolean> {
  // Looked at first: an idle server should not write.
  if (!(await database.get(deletedConversation)) && !(await database.get(deletedAgent))) return false
  return database.transaction(async transaction => {
    const conversation = await transaction.get<Named>(deletedConversation)
    if (conversation) await sweepConversation(database, transaction, conversation)
    const agent = conversation
      ? undefined
      : await transaction.get<Named & { deleted_at: number }>(deletedAgent)
    if (agent) await sweepAgent(database, transaction, agent)
    return conversation !== undefined || agent !== undefined
  })
}
