import { isDeepStrictEqual } from 'node:util'
import type { Page, PageRequest } from '../../contract/paging.ts'
import type { Database, Reader, Transaction } from '../../database/database.ts'
import { marks, searchPattern, searchText } from '../../database/sql.ts'
import type { Chunking } from '../../knowledge/chunking.ts'
import type {
  Generation,
  KnowledgeBase,
  KnowledgeCounts,
  KnowledgeSettings,
  Metadata,
  Retrieval,
} from '../../knowledge/knowledge-base.ts'
import type { KnowledgeRecord, KnowledgeStore, NewKnowledgeBase } from '../../knowledge/knowledge-store.ts'
import { addReadings } from './reading-rows.ts'

interface Row {
  id: string
  name: string
  description: string
  chunking: string
  embedding_model: string | null
  retrieval: string
  metadata: string
  generation_id: string
  next_generation_id: string | null
  created_at: number
  updated_at: number
}

interface GenerationRow {
  id: string
  chunking: string
  embedding_model: string | null
  dimension: number | null
  revision: number
}

const columns =
  'id, name, description, chunking, embedding_model, retrieval, metadata, generation_id, next_generation_id, created_at, updated_at'

const generation = (row: GenerationRow): Generation => ({
  id: row.id,
  chunking: JSON.parse(row.chunking) as Chunking,
  embeddingModel: row.embedding_model,
  dimension: row.dimension,
  revision: row.revision,
})

export class SqlKnowledgeStore implements KnowledgeStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  create(workspaceId: string, base: NewKnowledgeBase): Promise<boolean> {
    return this.#database.transaction(async transaction => {
      const inserted = await transaction.run(
        `INSERT INTO knowledge_bases (workspace_id, ${columns}, search)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, ?) ON CONFLICT DO NOTHING`,
        workspaceId,
        base.id,
        base.name,
        base.description,
        JSON.stringify(base.chunking),
        base.embeddingModel,
        JSON.stringify(base.retrieval),
        JSON.stringify(base.metadata),
        base.generationId,
        base.createdAt,
        base.createdAt,
        searchText(base.name, base.description),
      )
      if (inserted === 0) return false
      await this.#addGeneration(transaction, workspaceId, base.id, base.generationId, base)
      return true
    })
  }

  async #addGeneration(
    transaction: Transaction,
    workspaceId: string,
    knowledgeId: string,
    id: string,
    { chunking, embeddingModel }: Pick<KnowledgeSettings, 'chunking' | 'embeddingModel'>,
  ): Promise<void> {
    await transaction.run(
      `INSERT INTO generations (workspace_id, id, knowledge_id, chunking, embedding_model, revision, gone)
       VALUES (?, ?, ?, ?, ?, 0, 0)`,
      workspaceId,
      id,
      knowledgeId,
      JSON.stringify(chunking),
      embeddingModel,
    )
  }

  find(workspaceId: string, id: string): Promise<KnowledgeBase | undefined> {
    return this.#find(this.#database, workspaceId, id, '')
  }

  async #find(
    reader: Reader,
    workspaceId: string,
    id: string,
    lock: string,
  ): Promise<KnowledgeBase | undefined> {
    const row = await reader.get<Row>(
      `SELECT ${columns} FROM knowledge_bases WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL ${lock}`,
      workspaceId,
      id,
    )
    return row && (await this.#withGenerations(reader, workspaceId, [row]))[0]
  }

  async #withGenerations(reader: Reader, workspaceId: string, rows: Row[]): Promise<KnowledgeBase[]> {
    const ids = rows.flatMap(row => [
      row.generation_id,
      ...(row.next_generation_id ? [row.next_generation_id] : []),
    ])
    if (ids.length === 0) return []
    const found = await reader.all<GenerationRow>(
      `SELECT id, chunking, embedding_model, dimension, revision FROM generations
       WHERE workspace_id = ? AND id IN (${marks(ids.length)})`,
      workspaceId,
      ...ids,
    )
    const generations = new Map(found.map(row => [row.id, generation(row)]))
    return rows.flatMap(row => {
      const live = generations.get(row.generation_id)
      // Swapped between the two reads; only a list can meet that, and the next look shows it.
      if (!live) return []
      return {
        id: row.id,
        name: row.name,
        description: row.description,
        chunking: JSON.parse(row.chunking) as Chunking,
        embeddingModel: row.embedding_model,
        retrieval: JSON.parse(row.retrieval) as Retrieval,
        metadata: JSON.parse(row.metadata) as Metadata,
        generation: live,
        next: row.next_generation_id === null ? undefined : generations.get(row.next_generation_id),
        createdAt: row.created_at,
        updatedAt: row.updated_at,
      }
    })
  }

  async count(workspaceId: string, base: KnowledgeBase): Promise<KnowledgeCounts> {
    const live = await this.#countGeneration(workspaceId, base.generation.id)
    const next = base.next && (await this.#countGeneration(workspaceId, base.next.id))
    return {
      documents: live.total,
      chunks: live.chunks,
      failed: live.failed,
      open: live.open,
      reindexing: next && {
        total: next.total,
        done: next.total - next.open - next.failed,
        failed: next.failed,
      },
    }
  }

  async #countGeneration(
    workspaceId: string,
    generationId: string,
  ): Promise<{ total: number; chunks: number; failed: number; open: number }> {
    const rows = await this.#database.all<{ status: string; total: number; chunks: number }>(
      `SELECT status, COUNT(*) AS total, CAST(SUM(chunk_count) AS BIGINT) AS chunks FROM readings
       WHERE workspace_id = ? AND generation_id = ? GROUP BY status`,
      workspaceId,
      generationId,
    )
    const counts = { total: 0, chunks: 0, failed: 0, open: 0 }
    for (const row of rows) {
      counts.total += row.total
      counts.chunks += row.chunks
      if (row.status === 'failed') counts.failed += row.total
      else if (row.status !== 'ready') counts.open += row.total
    }
    return counts
  }

  async list(
    workspaceId: string,
    filter: { keyword: string; ids: string[] | undefined },
    page: PageRequest,
  ): Promise<Page<KnowledgeRecord>> {
    const where = ['workspace_id = ?', 'deleted_at IS NULL']
    const parameters = [workspaceId]
    if (filter.keyword !== '') {
      where.push(`search LIKE ? ESCAPE '\\'`)
      parameters.push(searchPattern(filter.keyword))
    }
    if (filter.ids) {
      if (filter.ids.length === 0) return { total: 0, items: [] }
      where.push(`id IN (${marks(filter.ids.length)})`)
      parameters.push(...filter.ids)
    }
    const condition = where.join(' AND ')
    const count = await this.#database.get<{ total: number }>(
      `SELECT COUNT(*) AS total FROM knowledge_bases WHERE ${condition}`,
      ...parameters,
    )
    const rows = await this.#database.all<Row>(
      `SELECT ${columns} FROM knowledge_bases WHERE ${condition} ORDER BY updated_at DESC, id LIMIT ? OFFSET ?`,
      ...parameters,
      page.pageSize,
      (page.page - 1) * page.pageSize,
    )
    const bases = await this.#withGenerations(this.#database, workspaceId, rows)
    const items = await Promise.all(
      bases.map(async base => ({ ...base, counts: await this.count(workspaceId, base) })),
    )
    return { total: count?.total ?? 0, items }
  }

  update(
    workspaceId: string,
    id: string,
    change: (base: KnowledgeBase) => Partial<KnowledgeSettings>,
    { nextGenerationId, now }: { nextGenerationId: string; now: number },
  ): Promise<KnowledgeBase | 'name_taken' | undefined> {
    return this.#database.transaction(async transaction => {
      const base = await this.#find(transaction, workspaceId, id, this.#database.forUpdate.text)
      if (!base) return undefined
      const settings = { ...base, ...change(base) }
      if (settings.name !== base.name && (await this.#isTaken(transaction, workspaceId, settings.name)))
        return 'name_taken'
      await transaction.run(
        `UPDATE knowledge_bases SET name = ?, search = ?, description = ?, chunking = ?, embedding_model = ?,
           retrieval = ?, metadata = ?, updated_at = ? WHERE workspace_id = ? AND id = ?`,
        settings.name,
        searchText(settings.name, settings.description),
        settings.description,
        JSON.stringify(settings.chunking),
        settings.embeddingModel,
        JSON.stringify(settings.retrieval),
        JSON.stringify(settings.metadata),
        now,
        workspaceId,
        id,
      )
      await this.#begin(transaction, workspaceId, base, settings, nextGenerationId, now)
      return this.#find(transaction, workspaceId, id, '')
    })
  }

  async #isTaken(transaction: Transaction, workspaceId: string, name: string): Promise<boolean> {
    const other = await transaction.get(
      'SELECT 1 AS one FROM knowledge_bases WHERE workspace_id = ? AND name = ? AND deleted_at IS NULL',
      workspaceId,
      name,
    )
    return other !== undefined
  }

  /** Begins the next generation where the settings ask for another index than the newest one. */
  async #begin(
    transaction: Transaction,
    workspaceId: string,
    base: KnowledgeBase,
    settings: KnowledgeSettings,
    nextGenerationId: string,
    now: number,
  ): Promise<void> {
    const isBuiltFor = (candidate: Generation | undefined): boolean =>
      candidate !== undefined &&
      candidate.embeddingModel === settings.embeddingModel &&
      isDeepStrictEqual(candidate.chunking, settings.chunking)
    if (isBuiltFor(base.next ?? base.generation)) return
    if (base.next)
      await transaction.run(
        'UPDATE generations SET gone = 1 WHERE workspace_id = ? AND id = ?',
        workspaceId,
        base.next.id,
      )
    const isBack = isBuiltFor(base.generation)
    await transaction.run(
      'UPDATE knowledge_bases SET next_generation_id = ? WHERE workspace_id = ? AND id = ?',
      isBack ? null : nextGenerationId,
      workspaceId,
      base.id,
    )
    if (isBack) return
    await this.#addGeneration(transaction, workspaceId, base.id, nextGenerationId, settings)
    await addReadings(transaction, workspaceId, base.id, nextGenerationId, now)
  }

  remove(workspaceId: string, id: string, now: number): Promise<boolean> {
    return this.#database.transaction(async transaction => {
      const removed = await transaction.run(
        'UPDATE knowledge_bases SET deleted_at = ? WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL',
        now,
        workspaceId,
        id,
      )
      if (removed === 0) return false
      await transaction.run(
        'UPDATE generations SET gone = 1 WHERE workspace_id = ? AND knowledge_id = ?',
        workspaceId,
        id,
      )
      return true
    })
  }
}
