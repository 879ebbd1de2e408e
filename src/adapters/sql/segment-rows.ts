import type { Transaction } from '../../database/database.ts'
import type { Segment } from '../../knowledge/index/segment.ts'

export interface SegmentRow {
  workspaceId: string
  generationId: string
  id: string
  /** The batch that it belongs to; null for one that was merged out of several. */
  batchId: string | null
  state: 'staged' | 'live'
  segment: Segment
  now: number
}

export async function insertSegmentHead(transaction: Transaction, row: SegmentRow): Promise<void> {
  await transaction.run(
    `INSERT INTO segments (workspace_id, generation_id, id, batch_id, state, chunk_count, term_total, created_at, header)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.workspaceId,
    row.generationId,
    row.id,
    row.batchId,
    row.state,
    row.segment.chunkCount,
    row.segment.termTotal,
    row.now,
    row.segment.header,
  )
}

export async function insertBlocks(
  transaction: Transaction,
  workspaceId: string,
  segmentId: string,
  blocks: Uint8Array[],
  firstOrdinal: number,
): Promise<void> {
  for (const [index, data] of blocks.entries())
    await transaction.run(
      'INSERT INTO segment_blocks (workspace_id, segment_id, ordinal, data) VALUES (?, ?, ?, ?)',
      workspaceId,
      segmentId,
      firstOrdinal + index,
      data,
    )
}

export async function insertSegment(transaction: Transaction, row: SegmentRow): Promise<void> {
  await insertSegmentHead(transaction, row)
  await insertBlocks(transaction, row.workspaceId, row.id, row.segment.blocks, 0)
}
