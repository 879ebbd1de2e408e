import type { PageRequest } from '../contract/paging.ts'
import type { Database, Transaction } from '../database/database.ts'
import { Order } from '../database/order.ts'
import { readNumbered } from '../database/page.ts'
import { list, raw, sql } from '../database/sql.ts'
import { insertRows, Store } from '../database/store.ts'
import { vectorOf, vectorParameter } from '../database/vector.ts'
import type { Segment } from './index/segment.ts'
import { insertSegment } from './index/segment-store.ts'
import type { PageBoxes } from './ingest/block.ts'
import type { Chunk } from './ingest/chunking/chunk.ts'
import type { KnowledgeBase, Metadata } from './knowledge-base.ts'
import { addressValues, batches, chunks, documents, generations, vectors } from './knowledge-tables.ts'
import { type ChunkFilter, filterSql } from './metadata-filter.ts'

/** Boxes are read on their own: lists and searches do not need them. */
export interface StoredChunk extends Omit<Chunk, 'boxes'> {
  id: string
  enabled: boolean
  /** Corrected by a user. */
  edited: boolean
}

export interface ChunkAddress {
  batchId: string
  position: number
}

export interface FoundChunk extends StoredChunk, ChunkAddress {
  fileId: string
  fileName: string
  /** The address of a web page; undefined for other documents. */
  sourceUrl?: string | undefined
  metadata: Metadata
}

/** A corrected chunk, with everything that is derived from its text. */
interface ChunkCorrection {
  batchId: string
  content: string
  tokens: number
  enabled: boolean
  segment: Segment
  vector: Float32Array | undefined
  now: number
}

const listedColumns = chunks.columnsOf('c', ...chunks.keysExcept('workspaceId', 'batchId', 'boxes'))
const columns = chunks.columnsOf('c', ...chunks.keysExcept('workspaceId', 'boxes'))
const documentColumns = documents.columnsOf('d', 'fileId', 'name', 'metadata', 'sourceUrl')
const boxColumn = chunks.columns('boxes')
const batchId = batches.columnsOf('b', 'id')
const liveBatch = batches.columns('id', 'chunkCount', 'manual')
const vectorColumn = vectors.columnsOf('v', 'vector')

const storedChunk = <Row extends (typeof listedColumns)['row']>(stored: Row) => {
  const { page, lastPage = page, sheet, fromOffset: from, toOffset: to, ...row } = stored
  const pages = page !== undefined && { page, lastPage }
  return { ...row, ...pages, ...(sheet !== undefined && { sheet }), from, to }
}

const foundChunk = ({
  name: fileName,
  ...row
}: (typeof columns)['row'] & (typeof documentColumns)['row']): FoundChunk => ({
  ...storedChunk(row),
  fileName,
})

const byPosition = new Order('c.position')

export class ChunkStore extends Store {
  async list(workspaceId: string, base: KnowledgeBase, fileId: string, page: PageRequest) {
    const ofFile = batches.where({ workspaceId, generationId: base.generation.id, fileId })
    const live = await this.database.all(
      sql`SELECT ${liveBatch} FROM batches WHERE ${ofFile} AND state = 'live'`,
    )
    // A corrected chunk has a batch of its own, but the batch of the whole document still counts it.
    const counts = (manual: boolean) => live.filter(batch => batch.manual === manual).map(b => b.chunkCount)
    const total = Math.max(0, ...counts(false)) + Math.max(0, ...counts(true))
    // An empty list would not be valid SQL.
    const ids = live.length === 0 ? [''] : live.map(({ id }) => id)
    const where = sql`c.workspace_id = ${workspaceId} AND c.batch_id IN ${list(ids)}`
    const rows = { columns: listedColumns, source: raw('chunks c'), where, order: byPosition, page }
    const found = await readNumbered(this.database, rows, total)
    return { ...found, items: found.items.map(storedChunk) }
  }

  async find(workspaceId: string, base: KnowledgeBase, fileId: string, chunkId: string) {
    // The id of a passage that was added by hand does not contain its position, but there are few such passages.
    const number = /_(\d+)$/.exec(chunkId)?.[1]
    const place = number === undefined ? sql`b.manual = 1` : sql`c.position = ${Number(number)}`
    if (number !== undefined && !Number.isSafeInteger(Number(number))) return undefined
    // CROSS JOIN makes SQLite begin with the batches. Without a position it would read every chunk of the workspace.
    const row = await this.database.get(sql`
      SELECT ${columns}, ${documentColumns} FROM batches b CROSS JOIN chunks c CROSS JOIN documents d
      WHERE b.workspace_id = ${workspaceId} AND b.generation_id = ${base.generation.id} AND b.file_id = ${fileId}
        AND b.state = 'live' AND ${place}
        AND c.workspace_id = b.workspace_id AND c.batch_id = b.id AND c.id = ${chunkId}
        AND d.workspace_id = b.workspace_id AND d.knowledge_id = ${base.id} AND d.file_id = b.file_id`)
    return row && foundChunk(row)
  }

  async boxes(workspaceId: string, { batchId, position }: ChunkAddress): Promise<PageBoxes[]> {
    const row = await this.database.get(chunks.select(boxColumn, { workspaceId, batchId, position }))
    return row?.boxes ?? []
  }

  /** The enabled chunks of live batches at these addresses, in any order. */
  async fetch(workspaceId: string, generationId: string, addresses: ChunkAddress[]): Promise<FoundChunk[]> {
    if (addresses.length === 0) return []
    const wanted = addressValues(addresses.map(({ batchId, position }) => [batchId, position]))
    // CROSS JOIN makes SQLite begin with the addresses. Otherwise, for 31 to 100 addresses, it would read every chunk
    // of the workspace.
    const rows = await this.database.all(sql`
      WITH wanted (batch_id, position) AS (VALUES ${wanted})
      SELECT ${columns}, ${documentColumns}
      FROM wanted w CROSS JOIN batches b CROSS JOIN generations g CROSS JOIN documents d CROSS JOIN chunks c
      WHERE b.workspace_id = ${workspaceId} AND b.id = w.batch_id AND b.state = 'live'
        AND b.generation_id = ${generationId} AND g.workspace_id = b.workspace_id AND g.id = b.generation_id
        AND d.workspace_id = b.workspace_id AND d.knowledge_id = g.knowledge_id AND d.file_id = b.file_id
        AND c.workspace_id = b.workspace_id AND c.batch_id = b.id AND c.position = w.position AND c.enabled = 1`)
    return rows.map(foundChunk)
  }

  /** Vectors of up to `count` passages, spread over documents: file ids are random, and so is their order. */
  async sampleVectors(workspaceId: string, generationId: string, count: number): Promise<Float32Array[]> {
    const live = await this.database.all(sql`
      SELECT ${liveBatch} FROM batches
      WHERE workspace_id = ${workspaceId} AND generation_id = ${generationId} AND state = 'live'
      ORDER BY file_id LIMIT ${count}`)
    const each = Math.ceil(count / Math.max(1, live.length))
    const addresses = live.flatMap(({ id, chunkCount }) => {
      const taken = Math.min(each, chunkCount)
      return Array.from({ length: taken }, (_, at): [string, number] => [
        id,
        Math.floor((at * chunkCount) / taken),
      ])
    })
    if (addresses.length === 0) return []
    // CROSS JOIN, as in `fetch`.
    const rows = await this.database.all(sql`
      WITH wanted (batch_id, position) AS (VALUES ${addressValues(addresses.slice(0, count))})
      SELECT ${vectorColumn} FROM wanted w CROSS JOIN vectors v
      WHERE v.workspace_id = ${workspaceId} AND v.batch_id = w.batch_id AND v.position = w.position`)
    return rows.map(({ vector }) => vectorOf(vector))
  }

  async setEnabled(workspaceId: string, { batchId, position }: ChunkAddress, enabled: boolean) {
    const changed = await this.run(sql`
      UPDATE chunks SET ${chunks.set({ enabled })} WHERE ${chunks.where({ workspaceId, batchId, position })}
        AND EXISTS (SELECT 1 FROM batches b
          WHERE b.workspace_id = chunks.workspace_id AND b.id = chunks.batch_id AND b.state = 'live')`)
    return changed === 1
  }

  /** Moves the corrected chunk into a batch of its own. False when it was changed or removed meanwhile. */
  correct(
    workspaceId: string,
    base: KnowledgeBase,
    chunk: FoundChunk,
    { batchId, content, tokens, enabled, segment, vector, now }: ChunkCorrection,
  ): Promise<boolean> {
    const generationId = base.generation.id
    const { fileId, position } = chunk
    const address = chunks.where({ workspaceId, batchId: chunk.batchId, position })
    return this.database.transaction(async transaction => {
      // Every transaction that replaces or removes the batches of a document locks its job first.
      const job = await transaction.get(sql`
        SELECT 1 AS one FROM readings
        WHERE workspace_id = ${workspaceId} AND generation_id = ${generationId} AND file_id = ${fileId}
        ${this.database.forUpdate}`)
      const before = batches.where({ workspaceId, id: chunk.batchId, state: 'live' })
      if (!job || !(await transaction.get(sql`SELECT 1 AS one FROM batches WHERE ${before}`))) return false
      // The row moves to the new batch, so the old index entries point to nothing.
      const corrected = { batchId, content, tokens, enabled, edited: true }
      if ((await transaction.run(chunks.update(address, corrected))) === 0) return false
      const generation = generations.where({ workspaceId, id: generationId })
      await transaction.run(sql`UPDATE generations SET revision = revision + 1 WHERE ${generation}`)
      await insertLiveBatch(transaction, { workspaceId, generationId, fileId, batchId }, 1, false)
      await insertSegment(transaction, segment, {
        ...{ workspaceId, generationId, id: `${batchId}.0`, batchId },
        ...{ state: 'live', createdAt: now },
      })
      await transaction.run(vectors.delete(address))
      const of = { workspaceId, generationId, writtenAt: now }
      if (vector) await insertVectors(transaction, this.database.dialect, of, [{ batchId, position, vector }])
      return true
    })
  }

  async batchesOf(workspaceId: string, base: KnowledgeBase, filter: ChunkFilter): Promise<Set<string>> {
    return new Set(await this.#matching(workspaceId, base, filter, Number.MAX_SAFE_INTEGER))
  }

  /** Like `batchesOf`, but undefined when there may be more than `limit`. */
  async fewBatchesOf(workspaceId: string, base: KnowledgeBase, filter: ChunkFilter, limit: number) {
    const found = await this.#matching(workspaceId, base, filter, limit + 1)
    return found.length > limit ? undefined : new Set(found)
  }

  async #matching(
    workspaceId: string,
    base: KnowledgeBase,
    filter: ChunkFilter,
    limit: number,
  ): Promise<string[]> {
    if (filter.fileIds?.length === 0) return []
    const { from, where } = filterSql({ workspaceId, knowledgeId: base.id }, filter)
    const rows = await this.database.all(sql`
      SELECT ${batchId} FROM ${from}
      WHERE b.workspace_id = ${workspaceId} AND b.generation_id = ${base.generation.id} AND b.state = 'live'
        ${where}
      LIMIT ${limit}`)
    return rows.map(row => row.id)
  }
}

export const insertVectors = (
  transaction: Transaction,
  dialect: Database['dialect'],
  generation: { workspaceId: string; generationId: string; writtenAt: number },
  added: (ChunkAddress & { vector: Float32Array })[],
): Promise<void> =>
  insertRows(
    transaction,
    vectors,
    added.map(({ vector, ...address }) => ({
      ...{ ...generation, ...address, vector: vectorParameter(dialect, vector) },
    })),
  )

/** Adds a live batch to a generation, with the current revision. */
export const insertLiveBatch = (
  transaction: Transaction,
  {
    workspaceId,
    generationId,
    fileId,
    batchId,
  }: Record<'workspaceId' | 'generationId' | 'fileId' | 'batchId', string>,
  chunkCount: number,
  manual: boolean,
): Promise<number> =>
  transaction.run(sql`
    INSERT INTO batches (workspace_id, id, generation_id, file_id, state, chunk_count, revision, manual)
    SELECT workspace_id, CAST(${batchId} AS TEXT), id, CAST(${fileId} AS TEXT), 'live',
      CAST(${chunkCount} AS BIGINT), revision, CAST(${manual ? 1 : 0} AS BIGINT)
    FROM generations WHERE ${generations.where({ workspaceId, id: generationId })}`)
