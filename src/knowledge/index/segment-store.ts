import type { Transaction } from '../../database/database.ts'
import { list, type Query, sql } from '../../database/sql.ts'
import { insertRows, Store } from '../../database/store.ts'
import { as, integer, optional } from '../../database/table.ts'
import { groupsOf } from '../../kernel/groups-of.ts'
import { nextTurn } from '../../kernel/pause.ts'
import { addressValues, batches, type RowState, segmentBlocks, segments } from '../knowledge-tables.ts'
import type { Segment } from './segment.ts'

export interface SegmentEntry {
  id: string
  chunkCount: number
  termTotal: number
}

export interface BlockAddress {
  segmentId: string
  ordinal: number
}

export interface MergePlan {
  workspaceId: string
  generationId: string
  segmentIds: string[]
}

/** The public part of the store. Tests implement it in memory. */
export type SegmentStorage = Pick<SegmentStore, keyof SegmentStore>
export type SegmentSource = Pick<SegmentStore, 'segments' | 'headers' | 'blocks'>

interface NewSegment {
  workspaceId: string
  generationId: string
  id: string
  /** The batch that it belongs to; none for a merged segment. */
  batchId?: string
  state: RowState
  createdAt: number
}

/** Blocks have about 24 KB, so a statement reads or writes fewer of them than of other rows. */
const blocksPerStatement = 16
const addressesPerQuery = 256
const batchesPerQuery = 500
/** A generation with this many segments or chunks is checked for a merge. */
const manySegments = 8
const manyChunks = 1000

const entry = segments.columns('id', 'chunkCount', 'termTotal')
const header = segments.columns('id', 'header')
const generation = segments.columns('workspaceId', 'generationId')
const block = segmentBlocks.columnsOf('b', 'segmentId', 'ordinal', 'data')
const data = segmentBlocks.columns('data')
const batchId = batches.columns('id')

export class SegmentStore extends Store {
  /** The segments that together cover every searchable chunk of the generation. */
  segments(workspaceId: string, generationId: string): Promise<SegmentEntry[]> {
    return this.database.all(sql`
      SELECT ${entry} FROM segments
      WHERE workspace_id = ${workspaceId} AND generation_id = ${generationId} AND state = 'live'`)
  }

  /** Headers by segment id. A segment that was merged meanwhile is missing. */
  async headers(workspaceId: string, segmentIds: string[]): Promise<Map<string, Uint8Array>> {
    if (segmentIds.length === 0) return new Map()
    const rows = await this.database.all(
      sql`SELECT ${header} FROM segments WHERE workspace_id = ${workspaceId} AND id IN ${list(segmentIds)}`,
    )
    return new Map(rows.map(row => [row.id, row.header]))
  }

  /** In the order of the addresses; undefined for a segment that was merged meanwhile. */
  async blocks(workspaceId: string, addresses: BlockAddress[]): Promise<(Uint8Array | undefined)[]> {
    const found = new Map<string, Uint8Array>()
    for (const some of groupsOf(addresses, addressesPerQuery)) {
      const wanted = addressValues(some.map(({ segmentId, ordinal }) => [segmentId, ordinal]))
      // CROSS JOIN makes SQLite begin with the addresses. For more than 32 it would look at every block of the workspace.
      const rows = await this.database.all(sql`
        WITH wanted (segment_id, ordinal) AS (VALUES ${wanted})
        SELECT ${block} FROM wanted w CROSS JOIN segment_blocks b
        WHERE b.workspace_id = ${workspaceId} AND b.segment_id = w.segment_id AND b.ordinal = w.ordinal`)
      for (const row of rows) found.set(`${row.segmentId}/${row.ordinal}`, row.data)
    }
    return addresses.map(({ segmentId, ordinal }) => found.get(`${segmentId}/${ordinal}`))
  }

  /** Read after every document, so it counts no rows. */
  async liveChunks(workspaceId: string, generationId: string): Promise<number> {
    const row = await this.database.get(sql`
      SELECT CAST(SUM(chunks) AS BIGINT) ${as('total', optional(integer()))} FROM generation_counts
      WHERE workspace_id = ${workspaceId} AND generation_id = ${generationId}`)
    return row?.total ?? 0
  }

  /** Generations that may have too many segments, or many deleted chunks. */
  crowded(): Promise<{ workspaceId: string; generationId: string }[]> {
    return this.database.all(sql`
      SELECT ${generation} FROM segments WHERE state = 'live' GROUP BY workspace_id, generation_id
      HAVING COUNT(*) >= ${manySegments} OR SUM(chunk_count) >= ${manyChunks}`)
  }

  /** All blocks of a segment in order. There may be thousands, so other work comes in between. */
  async allBlocks(workspaceId: string, segmentId: string): Promise<Uint8Array[]> {
    const blocks: Uint8Array[] = []
    for (;;) {
      const from = blocks.length
      const rows = await this.database.all(sql`
        SELECT ${data} FROM segment_blocks WHERE workspace_id = ${workspaceId} AND segment_id = ${segmentId}
          AND ordinal >= ${from} AND ordinal < ${from + blocksPerStatement}
        ORDER BY ordinal`)
      for (const row of rows) blocks.push(row.data)
      if (rows.length < blocksPerStatement) return blocks
      await nextTurn()
    }
  }

  async liveBatches(workspaceId: string, generationId: string, batchIds: string[]): Promise<Set<string>> {
    const live = new Set<string>()
    for (const ids of groupsOf(batchIds, batchesPerQuery)) {
      const rows = await this.database.all(sql`
        SELECT ${batchId} FROM batches
        WHERE workspace_id = ${workspaceId} AND generation_id = ${generationId} AND state = 'live'
          AND id IN ${list(ids)}`)
      for (const { id } of rows) live.add(id)
    }
    return live
  }

  /** Replaces the planned segments by `merged`; false when one of them was replaced meanwhile. */
  async replace(plan: MergePlan, merged: Segment, id: string, now: number): Promise<boolean> {
    const { workspaceId, generationId } = plan
    await this.#stage(merged, { workspaceId, generationId, id, state: 'staged', createdAt: now })
    const planned = sql`workspace_id = ${workspaceId} AND id IN ${list(plan.segmentIds)}`
    return this.database.transaction(async transaction => {
      const live = await transaction.all(sql`
        SELECT id FROM segments WHERE ${planned} AND generation_id = ${generationId} AND state = 'live'
        ORDER BY id ${this.database.forUpdate}`)
      const isComplete = live.length === plan.segmentIds.length
      const state = isComplete && merged.chunkCount > 0 ? 'live' : 'gone'
      // The merged segment may have been swept as abandoned, if this process was suspended for long.
      const staged = await transaction.run(sql`
        UPDATE segments SET ${segments.set({ state })} WHERE ${segments.where({ workspaceId, id })} AND state = 'staged'`)
      if (!isComplete || staged === 0) return false
      await transaction.run(sql`UPDATE segments SET state = 'gone' WHERE ${planned}`)
      return true
    })
  }

  /** Writes the blocks before they become visible. A merge that is never finished is swept. */
  async #stage(merged: Segment, row: NewSegment): Promise<void> {
    await this.run(headerRow(row, merged))
    const blocks = blockRows(row, merged)
    // One transaction for each statement, so that other writes come in between.
    for (const some of groupsOf(blocks, blocksPerStatement)) await this.run(segmentBlocks.insertAll(some))
  }
}

const headerRow = (row: NewSegment, { chunkCount, termTotal, header }: Segment): Query =>
  segments.insert({ ...row, chunkCount, termTotal, header })

const blockRows = (
  { workspaceId, id: segmentId }: Pick<NewSegment, 'workspaceId' | 'id'>,
  { blocks }: Segment,
) => blocks.map((data, ordinal) => ({ workspaceId, segmentId, ordinal, data }))

/** About 1.5 MB, as much as one transaction should write, since SQLite writes on the main thread. */
export const blocksPerTransaction = 64

/** The header and the first blocks; `insertBlocks` adds the others. */
export async function insertSegment(transaction: Transaction, segment: Segment, row: NewSegment) {
  await transaction.run(headerRow(row, segment))
  await insertBlocks(transaction, segment, row, 0)
}

export const insertBlocks = (
  transaction: Transaction,
  segment: Segment,
  row: Pick<NewSegment, 'workspaceId' | 'id'>,
  from: number,
): Promise<void> =>
  insertRows(
    transaction,
    segmentBlocks,
    blockRows(row, segment).slice(from, from + blocksPerTransaction),
    blocksPerStatement,
  )
