import type { Database, Transaction } from '../../database/database.ts'
import { vectorMark, vectorParameter } from '../../database/vector.ts'
import type { Reading, StagedChunk } from '../../knowledge/ingest/reading-store.ts'

export async function insertChunks(
  transaction: Transaction,
  reading: Reading,
  chunks: StagedChunk[],
): Promise<void> {
  await transaction.run(
    `INSERT INTO chunks (workspace_id, batch_id, position, id, content, heading, page, sheet, from_offset, to_offset, tokens, enabled, edited)
     VALUES ${chunks.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 0)').join(', ')}`,
    ...chunks.flatMap(chunk => [
      reading.workspaceId,
      reading.batchId,
      chunk.position,
      chunk.id,
      chunk.content,
      JSON.stringify(chunk.heading),
      chunk.page ?? null,
      chunk.sheet ?? null,
      chunk.from,
      chunk.to,
      chunk.tokens,
    ]),
  )
}

export async function insertVector(
  transaction: Transaction,
  dialect: Database['dialect'],
  row: { workspaceId: string; generationId: string; batchId: string; position: number; vector: Float32Array },
): Promise<void> {
  await transaction.run(
    `INSERT INTO vectors (workspace_id, generation_id, batch_id, position, vector) VALUES (?, ?, ?, ?, ${vectorMark(dialect)})`,
    row.workspaceId,
    row.generationId,
    row.batchId,
    row.position,
    vectorParameter(dialect, row.vector),
  )
}
