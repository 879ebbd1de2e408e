import type { Transaction } from '../../database/database.ts'

const columns =
  'workspace_id, generation_id, file_id, knowledge_id, status, progress, chunk_count, attempts, retries, interruptions, priority, due_at, updated_at'

/** Puts every document of a base into the queue for a generation, behind what people add meanwhile. */
export async function addReadings(
  transaction: Transaction,
  workspaceId: string,
  knowledgeId: string,
  generationId: string,
  now: number,
): Promise<void> {
  await transaction.run(
    `INSERT INTO readings (${columns})
     SELECT workspace_id, CAST(? AS TEXT), file_id, knowledge_id, 'queued', 0, 0, 0, 0, 0, 1, CAST(? AS BIGINT), CAST(? AS BIGINT)
     FROM documents WHERE workspace_id = ? AND knowledge_id = ?`,
    generationId,
    now,
    now,
    workspaceId,
    knowledgeId,
  )
}

/** Puts one document into the queue for a generation. */
export async function addReading(
  transaction: Transaction,
  document: { workspaceId: string; knowledgeId: string; fileId: string },
  generationId: string,
  now: number,
): Promise<void> {
  await transaction.run(
    `INSERT INTO readings (${columns}) VALUES (?, ?, ?, ?, 'queued', 0, 0, 0, 0, 0, 0, ?, ?)`,
    document.workspaceId,
    generationId,
    document.fileId,
    document.knowledgeId,
    now,
    now,
  )
}
