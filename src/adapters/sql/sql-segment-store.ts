import type { Database } from '../../database/database.ts'
import type { SqlValue } from '../../database/sql.ts'
import { marks } from '../../database/sql.ts'
import type { Segment } from '../../knowledge/index/segment.ts'
import type {
  BlockAddress,
  MergePlan,
  SegmentEntry,
  SegmentStore,
} from '../../knowledge/index/segment-store.ts'
import { insertBlocks, insertSegmentHead } from './segment-rows.ts'

/** A transaction of a merge writes so many blocks, so that other writes come in between. */
const blocksPerTransaction = 16
const crowd = 8
/** From so many on, deleted ones among them may be worth a look. */
const manyChunks = 1000

export class SqlSegmentStore implements SegmentStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async segments(workspaceId: string, generationId: string): Promise<SegmentEntry[]> {
    const rows = await this.#database.all<{ id: string; chunk_count: number; term_total: number }>(
      `SELECT id, chunk_count, term_total FROM segments WHERE workspace_id = ? AND generation_id = ? AND state = 'live'`,
      workspaceId,
      generationId,
    )
    return rows.map(row => ({ id: row.id, chunkCount: row.chunk_count, termTotal: row.term_total }))
  }

  async headers(workspaceId: string, segmentIds: string[]): Promise<Map<string, Uint8Array>> {
    if (segmentIds.length === 0) return new Map()
    const rows = await this.#database.all<{ id: string; header: Uint8Array }>(
      `SELECT id, header FROM segments WHERE workspace_id = ? AND id IN (${marks(segmentIds.length)})`,
      workspaceId,
      ...segmentIds,
    )
    return new Map(rows.map(row => [row.id, row.header]))
  }

  async blocks(workspaceId: string, addresses: BlockAddress[]): Promise<(Uint8Array | undefined)[]> {
    const found = new Map<string, Uint8Array>()
    const most = 256
    for (let start = 0; start < addresses.length; start += most) {
      const some = addresses.slice(start, start + most)
      const values = some.map(() => '(CAST(? AS TEXT), CAST(? AS BIGINT))').join(', ')
      const rows = await this.#database.all<{ segment_id: string; ordinal: number; data: Uint8Array }>(
        `WITH wanted (segment_id, ordinal) AS (VALUES ${values})
         SELECT b.segment_id, b.ordinal, b.data FROM wanted w
         JOIN segment_blocks b ON b.workspace_id = ? AND b.segment_id = w.segment_id AND b.ordinal = w.ordinal`,
        ...some.flatMap(({ segmentId, ordinal }): SqlValue[] => [segmentId, ordinal]),
        workspaceId,
      )
      for (const row of rows) found.set(`${row.segment_id}/${row.ordinal}`, row.data)
    }
    return addresses.map(({ segmentId, ordinal }) => found.get(`${segmentId}/${ordinal}`))
  }

  async liveChunks(workspaceId: string, generationId: string): Promise<number> {
    const row = await this.#database.get<{ total: number | null }>(
      `SELECT CAST(SUM(chunk_count) AS BIGINT) AS total FROM batches
       WHERE workspace_id = ? AND generation_id = ? AND state = 'live'`,
      workspaceId,
      generationId,
    )
    return row?.total ?? 0
  }

  async crowded(): Promise<{ workspaceId: string; generationId: string }[]> {
    const rows = await this.#database.all<{ workspace_id: string; generation_id: string }>(
      `SELECT workspace_id, generation_id FROM segments WHERE state = 'live'
       GROUP BY workspace_id, generation_id HAVING COUNT(*) >= ${crowd} OR SUM(chunk_count) >= ${manyChunks}`,
    )
    return rows.map(row => ({ workspaceId: row.workspace_id, generationId: row.generation_id }))
  }

  async allBlocks(workspaceId: string, segmentId: string): Promise<Uint8Array[]> {
    const rows = await this.#database.all<{ data: Uint8Array }>(
      'SELECT data FROM segment_blocks WHERE workspace_id = ? AND segment_id = ? ORDER BY ordinal',
      workspaceId,
      segmentId,
    )
    return rows.map(row => row.data)
  }

  async liveBatches(workspaceId: string, generationId: string, batchIds: string[]): Promise<Set<string>> {
    const live = new Set<string>()
    const most = 500
    for (let start = 0; start < batchIds.length; start += most) {
      const some = batchIds.slice(start, start + most)
      const rows = await this.#database.all<{ id: string }>(
        `SELECT id FROM batches WHERE workspace_id = ? AND generation_id = ? AND state = 'live' AND id IN (${marks(some.length)})`,
        workspaceId,
        generationId,
        ...some,
      )
      for (const row of rows) live.add(row.id)
    }
    return live
  }

  async replace(plan: MergePlan, merged: Segment, id: string, now: number): Promise<boolean> {
    const { workspaceId, generationId, segmentIds } = plan
    await this.#stage(plan, merged, id, now)
    return this.#database.transaction(async transaction => {
      const live = await transaction.all(
        `SELECT id FROM segments WHERE workspace_id = ? AND generation_id = ? AND state = 'live'
         AND id IN (${marks(segmentIds.length)}) ORDER BY id ${this.#database.forUpdate}`,
        workspaceId,
        generationId,
        ...segmentIds,
      )
      const isWhole = live.length === segmentIds.length
      // The merged one may have been given up as abandoned, if this process stood still for long.
      const staged = await transaction.run(
        `UPDATE segments SET state = ? WHERE workspace_id = ? AND id = ? AND state = 'staged'`,
        isWhole && merged.chunkCount > 0 ? 'live' : 'gone',
        workspaceId,
        id,
      )
      if (!isWhole || staged === 0) return false
      await transaction.run(
        `UPDATE segments SET state = 'gone' WHERE workspace_id = ? AND id IN (${marks(segmentIds.length)})`,
        workspaceId,
        ...segmentIds,
      )
      return true
    })
  }

  /** Blocks first reach the disk out of sight; one that is never finished is swept. */
  async #stage(plan: MergePlan, merged: Segment, id: string, now: number): Promise<void> {
    const { workspaceId, generationId } = plan
    await this.#database.transaction(transaction =>
      insertSegmentHead(transaction, {
        workspaceId,
        generationId,
        id,
        batchId: null,
        state: 'staged',
        segment: merged,
        now,
      }),
    )
    for (let start = 0; start < merged.blocks.length; start += blocksPerTransaction)
      await this.#database.transaction(transaction =>
        insertBlocks(
          transaction,
          workspaceId,
          id,
          merged.blocks.slice(start, start + blocksPerTransaction),
          start,
        ),
      )
  }
}
