import type { Transaction } from '../../database/database.ts'
import { marks } from '../../database/sql.ts'
import type { FileUses } from '../../files/file-store.ts'

export interface DocumentUse {
  fileId: string
  knowledgeId: string
}

/** The knowledge bases that hold documents made of these files. */
export async function usesOf(
  transaction: Transaction,
  workspaceId: string,
  fileIds: string[],
): Promise<DocumentUse[]> {
  if (fileIds.length === 0) return []
  const rows = await transaction.all<{ file_id: string; knowledge_id: string }>(
    `SELECT d.file_id, d.knowledge_id FROM documents d
     JOIN knowledge_bases k ON k.workspace_id = d.workspace_id AND k.id = d.knowledge_id AND k.deleted_at IS NULL
     WHERE d.workspace_id = ? AND d.file_id IN (${marks(fileIds.length)}) ORDER BY d.file_id, d.knowledge_id`,
    workspaceId,
    ...fileIds,
  )
  return rows.map(row => ({ fileId: row.file_id, knowledgeId: row.knowledge_id }))
}

/** Takes a document out of its base: nothing of it is found from now on, and whoever reads it has lost the lease. */
export async function removeDocument(
  transaction: Transaction,
  workspaceId: string,
  knowledgeId: string,
  fileId: string,
): Promise<boolean> {
  const found = await transaction.run(
    'DELETE FROM documents WHERE workspace_id = ? AND knowledge_id = ? AND file_id = ?',
    workspaceId,
    knowledgeId,
    fileId,
  )
  if (found === 0) return false
  await transaction.run(
    'DELETE FROM document_values WHERE workspace_id = ? AND knowledge_id = ? AND file_id = ?',
    workspaceId,
    knowledgeId,
    fileId,
  )
  const generations = await transaction.all<{ id: string }>(
    'SELECT id FROM generations WHERE workspace_id = ? AND knowledge_id = ? AND gone = 0',
    workspaceId,
    knowledgeId,
  )
  for (const { id } of generations) {
    await transaction.run(
      'DELETE FROM readings WHERE workspace_id = ? AND generation_id = ? AND file_id = ?',
      workspaceId,
      id,
      fileId,
    )
    await transaction.run(
      `UPDATE batches SET state = 'gone' WHERE workspace_id = ? AND generation_id = ? AND file_id = ?`,
      workspaceId,
      id,
      fileId,
    )
    await transaction.run(
      'UPDATE generations SET revision = revision + 1 WHERE workspace_id = ? AND id = ?',
      workspaceId,
      id,
    )
  }
  return true
}

/** What the file store needs to know about documents. */
export const fileUses: FileUses = {
  find: usesOf,
  remove: (transaction, workspaceId, { knowledgeId, fileId }) =>
    removeDocument(transaction, workspaceId, knowledgeId, fileId),
}
