import type { Page, PageRequest } from '../../contract/paging.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { marks } from '../../database/sql.ts'
import type {
  ChunkAddress,
  ChunkCorrection,
  ChunkStore,
  FoundChunk,
  StoredChunk,
} from '../../knowledge/chunk-store.ts'
import type { KnowledgeBase, Metadata } from '../../knowledge/knowledge-base.ts'
import type { ChunkFilter } from '../../knowledge/metadata-filter.ts'
import { insertVector } from './chunk-rows.ts'
import { filterSql } from './document-values.ts'
import { insertSegment } from './segment-rows.ts'

interface Row {
  batch_id: string
  position: number
  id: string
  content: string
  heading: string
  page: number | null
  sheet: string | null
  from_offset: number
  to_offset: number
  tokens: number
  enabled: number
  edited: number
}

interface FoundRow extends Row {
  file_id: string
  name: string
  metadata: string
}

const columns =
  'c.batch_id, c.position, c.id, c.content, c.heading, c.page, c.sheet, c.from_offset, c.to_offset, c.tokens, c.enabled, c.edited'

function stored(row: Row): StoredChunk {
  return {
    id: row.id,
    position: row.position,
    content: row.content,
    heading: JSON.parse(row.heading) as string[],
    ...(row.page === null ? {} : { page: row.page }),
    ...(row.sheet === null ? {} : { sheet: row.sheet }),
    from: row.from_offset,
    to: row.to_offset,
    tokens: row.tokens,
    enabled: row.enabled === 1,
    edited: row.edited === 1,
  }
}

const found = (row: FoundRow): FoundChunk => ({
  ...stored(row),
  batchId: row.batch_id,
  fileId: row.file_id,
  fileName: row.name,
  metadata: JSON.parse(row.metadata) as Metadata,
})

const liveBatches = `batches b
  JOIN chunks c ON c.workspace_id = b.workspace_id AND c.batch_id = b.id`

export class SqlChunkStore implements ChunkStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async list(
    workspaceId: string,
    base: KnowledgeBase,
    fileId: string,
    page: PageRequest,
  ): Promise<Page<StoredChunk>> {
    const where = `b.workspace_id = ? AND b.generation_id = ? AND b.file_id = ? AND b.state = 'live'`
    const key = [workspaceId, base.generation.id, fileId]
    const count = await this.#database.get<{ total: number }>(
      `SELECT COUNT(*) AS total FROM ${liveBatches} WHERE ${where}`,
      ...key,
    )
    const rows = await this.#database.all<Row>(
      `SELECT ${columns} FROM ${liveBatches} WHERE ${where} ORDER BY c.position LIMIT ? OFFSET ?`,
      ...key,
      page.pageSize,
      (page.page - 1) * page.pageSize,
    )
    return { total: count?.total ?? 0, items: rows.map(stored) }
  }

  async find(
    workspaceId: string,
    base: KnowledgeBase,
    fileId: string,
    chunkId: string,
  ): Promise<FoundChunk | undefined> {
    const position = Number(/_(\d+)$/.exec(chunkId)?.[1] ?? Number.NaN)
    if (!Number.isSafeInteger(position)) return undefined
    const row = await this.#database.get<FoundRow>(
      `SELECT ${columns}, d.file_id, d.name, d.metadata FROM ${liveBatches}
       JOIN documents d ON d.workspace_id = b.workspace_id AND d.knowledge_id = ? AND d.file_id = b.file_id
       WHERE b.workspace_id = ? AND b.generation_id = ? AND b.file_id = ? AND b.state = 'live' AND c.position = ? AND c.id = ?`,
      base.id,
      workspaceId,
      base.generation.id,
      fileId,
      position,
      chunkId,
    )
    return row && found(row)
  }

  async fetch(workspaceId: string, generationId: string, addresses: ChunkAddress[]): Promise<FoundChunk[]> {
    if (addresses.length === 0) return []
    const values = addresses.map(() => '(CAST(? AS TEXT), CAST(? AS BIGINT))').join(', ')
    const rows = await this.#database.all<FoundRow>(
      `WITH wanted (batch_id, position) AS (VALUES ${values})
       SELECT ${columns}, d.file_id, d.name, d.metadata FROM wanted w
       JOIN batches b ON b.workspace_id = ? AND b.id = w.batch_id AND b.state = 'live' AND b.generation_id = ?
       JOIN generations g ON g.workspace_id = b.workspace_id AND g.id = b.generation_id
       JOIN documents d ON d.workspace_id = b.workspace_id AND d.knowledge_id = g.knowledge_id AND d.file_id = b.file_id
       JOIN chunks c ON c.workspace_id = b.workspace_id AND c.batch_id = b.id AND c.position = w.position AND c.enabled = 1`,
      ...addresses.flatMap(({ batchId, position }) => [batchId, position]),
      workspaceId,
      generationId,
    )
    return rows.map(found)
  }

  setEnabled(workspaceId: string, chunk: FoundChunk, enabled: boolean): Promise<boolean> {
    return this.#database.transaction(
      async transaction =>
        (await transaction.run(
          `UPDATE chunks SET enabled = ? WHERE workspace_id = ? AND batch_id = ? AND position = ? AND EXISTS (
             SELECT 1 FROM batches b WHERE b.workspace_id = chunks.workspace_id AND b.id = chunks.batch_id AND b.state = 'live')`,
          enabled ? 1 : 0,
          workspaceId,
          chunk.batchId,
          chunk.position,
        )) === 1,
    )
  }

  correct(
    workspaceId: string,
    base: KnowledgeBase,
    chunk: FoundChunk,
    correction: ChunkCorrection,
  ): Promise<boolean> {
    const { batchId, now } = correction
    return this.#database.transaction(async transaction => {
      // Everybody who replaces or removes the batches of a document touches its reading first.
      const reading = await transaction.get(
        `SELECT 1 AS one FROM readings WHERE workspace_id = ? AND generation_id = ? AND file_id = ? ${this.#database.forUpdate}`,
        workspaceId,
        base.generation.id,
        chunk.fileId,
      )
      const before = await transaction.get(
        `SELECT 1 AS one FROM batches WHERE workspace_id = ? AND id = ? AND state = 'live'`,
        workspaceId,
        chunk.batchId,
      )
      if (!reading || !before) return false
      // The row moves to the new batch; what the old index entries name is no longer there, so they find nothing.
      const moved = await transaction.run(
        `UPDATE chunks SET batch_id = ?, content = ?, tokens = ?, enabled = ?, edited = 1
         WHERE workspace_id = ? AND batch_id = ? AND position = ?`,
        batchId,
        correction.content,
        correction.tokens,
        correction.enabled ? 1 : 0,
        workspaceId,
        chunk.batchId,
        chunk.position,
      )
      if (moved === 0) return false
      await this.#addBatch(transaction, workspaceId, base.generation.id, chunk.fileId, batchId)
      await insertSegment(transaction, {
        workspaceId,
        generationId: base.generation.id,
        id: `${batchId}.0`,
        batchId,
        state: 'live',
        segment: correction.segment,
        now,
      })
      await transaction.run(
        'DELETE FROM vectors WHERE workspace_id = ? AND batch_id = ? AND position = ?',
        workspaceId,
        chunk.batchId,
        chunk.position,
      )
      if (correction.vector)
        await insertVector(transaction, this.#database.dialect, {
          workspaceId,
          generationId: base.generation.id,
          batchId,
          position: chunk.position,
          vector: correction.vector,
        })
      return true
    })
  }

  async #addBatch(
    transaction: Transaction,
    workspaceId: string,
    generationId: string,
    fileId: string,
    batchId: string,
  ): Promise<void> {
    await transaction.run(
      'UPDATE generations SET revision = revision + 1 WHERE workspace_id = ? AND id = ?',
      workspaceId,
      generationId,
    )
    await transaction.run(
      `INSERT INTO batches (workspace_id, id, generation_id, file_id, state, chunk_count, revision)
       SELECT workspace_id, CAST(? AS TEXT), id, CAST(? AS TEXT), 'live', 1, revision FROM generations WHERE workspace_id = ? AND id = ?`,
      batchId,
      fileId,
      workspaceId,
      generationId,
    )
  }

  batchesOf(workspaceId: string, base: KnowledgeBase, filter: ChunkFilter): Promise<Set<string>> {
    return this.#batchesOf(workspaceId, base, filter, '')
  }

  async fewBatchesOf(
    workspaceId: string,
    base: KnowledgeBase,
    filter: ChunkFilter,
    most: number,
  ): Promise<Set<string> | undefined> {
    const found = await this.#batchesOf(workspaceId, base, filter, `LIMIT ${most + 1}`)
    return found.size > most ? undefined : found
  }

  async #batchesOf(
    workspaceId: string,
    base: KnowledgeBase,
    { fileIds, conditions }: ChunkFilter,
    limit: string,
  ): Promise<Set<string>> {
    if (fileIds?.length === 0) return new Set()
    const files = fileIds ? `AND d.file_id IN (${marks(fileIds.length)})` : ''
    const filter = filterSql(conditions)
    const rows = await this.#database.all<{ id: string }>(
      `SELECT b.id FROM documents d
       JOIN batches b ON b.workspace_id = d.workspace_id AND b.generation_id = ? AND b.file_id = d.file_id AND b.state = 'live'
       WHERE d.workspace_id = ? AND d.knowledge_id = ? ${files} ${filter.sql} ${limit}`,
      base.generation.id,
      workspaceId,
      base.id,
      ...(fileIds ?? []),
      ...filter.parameters,
    )
    return new Set(rows.map(row => row.id))
  }
}
