import type { Page, PageRequest } from '../../contract/paging.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { marks, type SqlValue, searchPattern, searchText } from '../../database/sql.ts'
import type { Chunking } from '../../knowledge/chunking.ts'
import type { DocumentError, DocumentStatus, KnowledgeDocument } from '../../knowledge/document.ts'
import type { AddedDocuments, DocumentStore, Skipped } from '../../knowledge/document-store.ts'
import type { KnowledgeBase, Metadata } from '../../knowledge/knowledge-base.ts'
import { removeDocument } from './document-rows.ts'
import { insertValues } from './document-values.ts'
import { addReading } from './reading-rows.ts'

interface Row {
  file_id: string
  name: string
  mime_type: string
  size: number
  chunking: string | null
  metadata: string
  created_at: number
  status: DocumentStatus
  progress: number
  chunk_count: number
  attempts: number
  error: string | null
  updated_at: number
  indexed_at: number | null
  next_error?: string | null
}

/** A document shows the state of its reading in the live generation; a failure in the next one shows as its error. */
const columns = `d.file_id, d.name, d.mime_type, d.size, d.chunking, d.metadata, d.created_at, r.status, r.progress,
  r.chunk_count, r.attempts, r.error, r.updated_at, r.indexed_at, n.error AS next_error`

const joined = `ON r.workspace_id = d.workspace_id AND r.generation_id = ? AND r.file_id = d.file_id
  LEFT JOIN readings n ON n.workspace_id = d.workspace_id AND n.generation_id = ? AND n.file_id = d.file_id`
const source = `documents d JOIN readings r ${joined}`
/** SQLite takes the tables of a CROSS JOIN in the order they are written; PostgreSQL finds the better one itself. */
const sourceByStatus = `readings r CROSS JOIN documents d ${joined}`
const few = 2000

const requeued =
  "status = 'queued', progress = 0, retries = 0, interruptions = 0, error = NULL, due_at = ?, updated_at = ?"
const requeuedAtOnce = 1000

const generationsOf = (base: KnowledgeBase): [string, string] => [base.generation.id, base.next?.id ?? '']

function document(row: Row): KnowledgeDocument {
  const error = row.error ?? row.next_error
  return {
    fileId: row.file_id,
    name: row.name,
    mimeType: row.mime_type,
    size: row.size,
    status: row.status,
    progress: row.progress,
    chunkCount: row.chunk_count,
    attempts: row.attempts,
    error: error ? (JSON.parse(error) as DocumentError) : undefined,
    metadata: JSON.parse(row.metadata) as Metadata,
    chunking: row.chunking === null ? undefined : (JSON.parse(row.chunking) as Chunking),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    indexedAt: row.indexed_at ?? undefined,
  }
}

export class SqlDocumentStore implements DocumentStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  add(
    workspaceId: string,
    knowledgeId: string,
    fileIds: string[],
    options: { chunking: Chunking | undefined; metadata: Metadata; now: number },
  ): Promise<AddedDocuments | undefined> {
    return this.#database.transaction(async transaction => {
      // The lock holds off the swap of generations: a document must be on its way into both.
      const base = await transaction.get<{ generation_id: string; next_generation_id: string | null }>(
        `SELECT generation_id, next_generation_id FROM knowledge_bases
         WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL ${this.#database.forUpdate}`,
        workspaceId,
        knowledgeId,
      )
      if (!base) return undefined
      const added: KnowledgeDocument[] = []
      const skipped: Skipped[] = []
      // In one order everywhere, so that two of them cannot wait for each other's files.
      for (const fileId of [...new Set(fileIds)].sort()) {
        const outcome = await this.#addOne(transaction, { workspaceId, knowledgeId, fileId }, base, options)
        if (typeof outcome === 'string') skipped.push({ fileId, reason: outcome })
        else added.push(outcome)
      }
      const place = new Map(fileIds.map((fileId, index) => [fileId, index]))
      const byPlace = (left: { fileId: string }, right: { fileId: string }): number =>
        place.get(left.fileId)! - place.get(right.fileId)!
      return { added: added.sort(byPlace), skipped: skipped.sort(byPlace) }
    })
  }

  async #addOne(
    transaction: Transaction,
    key: { workspaceId: string; knowledgeId: string; fileId: string },
    base: { generation_id: string; next_generation_id: string | null },
    { chunking, metadata, now }: { chunking: Chunking | undefined; metadata: Metadata; now: number },
  ): Promise<KnowledgeDocument | Skipped['reason']> {
    // Locked, so that the file cannot be deleted between this look and the document's row.
    const file = await transaction.get<{ name: string; size: number; mime_type: string }>(
      `SELECT name, size, mime_type FROM files WHERE workspace_id = ? AND id = ? ${this.#database.forUpdate}`,
      key.workspaceId,
      key.fileId,
    )
    if (!file) return 'not_found'
    const row: Row = {
      file_id: key.fileId,
      ...file,
      chunking: chunking ? JSON.stringify(chunking) : null,
      metadata: JSON.stringify(metadata),
      created_at: now,
      status: 'queued',
      progress: 0,
      chunk_count: 0,
      attempts: 0,
      error: null,
      updated_at: now,
      indexed_at: null,
    }
    const inserted = await transaction.run(
      `INSERT INTO documents (workspace_id, knowledge_id, file_id, name, search, mime_type, size, chunking, metadata, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      key.workspaceId,
      key.knowledgeId,
      key.fileId,
      row.name,
      searchText(row.name),
      row.mime_type,
      row.size,
      row.chunking,
      row.metadata,
      now,
    )
    if (inserted === 0) return 'already_added'
    await insertValues(transaction, key, metadata)
    await addReading(transaction, key, base.generation_id, now)
    if (base.next_generation_id) await addReading(transaction, key, base.next_generation_id, now)
    return document(row)
  }

  async find(
    workspaceId: string,
    base: KnowledgeBase,
    fileId: string,
  ): Promise<KnowledgeDocument | undefined> {
    const row = await this.#database.get<Row>(
      `SELECT ${columns} FROM ${source} WHERE d.workspace_id = ? AND d.knowledge_id = ? AND d.file_id = ?`,
      ...generationsOf(base),
      workspaceId,
      base.id,
      fileId,
    )
    return row && document(row)
  }

  async list(
    workspaceId: string,
    base: KnowledgeBase,
    filter: { status: DocumentStatus | undefined; keyword: string },
    page: PageRequest,
  ): Promise<Page<KnowledgeDocument>> {
    const where = ['d.workspace_id = ?', 'd.knowledge_id = ?', 'r.workspace_id = ?']
    const parameters: SqlValue[] = [...generationsOf(base), workspaceId, base.id, workspaceId]
    if (filter.status) {
      where.push('r.status = ?')
      parameters.push(filter.status)
    }
    if (filter.keyword !== '') {
      where.push(`d.search LIKE ? ESCAPE '\\'`)
      parameters.push(searchPattern(filter.keyword))
    }
    const condition = where.join(' AND ')
    const total = await (filter.keyword === ''
      ? this.#countReadings(workspaceId, base, filter.status)
      : this.#count(`SELECT COUNT(*) AS total FROM ${source} WHERE ${condition}`, parameters))
    if (total === 0) return { total, items: [] }
    // Few of one status are looked up by it. Otherwise the newest are walked through, of which most fit.
    const isFew = filter.status !== undefined && total <= few && this.#database.dialect === 'sqlite'
    const rows = await this.#database.all<Row>(
      `SELECT ${columns} FROM ${isFew ? sourceByStatus : source} WHERE ${condition} ORDER BY d.created_at DESC, d.file_id LIMIT ? OFFSET ?`,
      ...parameters,
      page.pageSize,
      (page.page - 1) * page.pageSize,
    )
    return { total, items: rows.map(document) }
  }

  /** Every document has one reading in the live generation, and readings are counted by an index alone. */
  #countReadings(
    workspaceId: string,
    base: KnowledgeBase,
    status: DocumentStatus | undefined,
  ): Promise<number> {
    return this.#count(
      `SELECT COUNT(*) AS total FROM readings WHERE workspace_id = ? AND generation_id = ? ${status ? 'AND status = ?' : ''}`,
      [workspaceId, base.generation.id, ...(status ? [status] : [])],
    )
  }

  async #count(sql: string, parameters: SqlValue[]): Promise<number> {
    return (await this.#database.get<{ total: number }>(sql, ...parameters))?.total ?? 0
  }

  requeue(
    workspaceId: string,
    base: KnowledgeBase,
    fileIds: string[] | undefined,
    now: number,
  ): Promise<{ accepted: string[]; skipped: Skipped[] }> {
    return fileIds
      ? this.#requeueNamed(workspaceId, base, [...new Set(fileIds)], now)
      : this.#requeueFailed(workspaceId, base, now)
  }

  #requeueNamed(
    workspaceId: string,
    base: KnowledgeBase,
    fileIds: string[],
    now: number,
  ): Promise<{ accepted: string[]; skipped: Skipped[] }> {
    const isNamed = `workspace_id = ? AND generation_id IN (?, ?) AND file_id IN (${marks(fileIds.length)})`
    const key = [workspaceId, ...generationsOf(base), ...fileIds]
    return this.#database.transaction(async transaction => {
      const present = await transaction.all<{ file_id: string }>(
        `SELECT file_id FROM readings WHERE ${isNamed}`,
        ...key,
      )
      const known = new Set(present.map(row => row.file_id))
      const changed = await transaction.all<{ file_id: string }>(
        `UPDATE readings SET ${requeued}
         WHERE ${isNamed} AND (due_at IS NULL OR (status = 'queued' AND due_at > ?)) RETURNING file_id`,
        now,
        now,
        ...key,
        now,
      )
      const accepted = new Set(changed.map(row => row.file_id))
      return {
        accepted: fileIds.filter(fileId => accepted.has(fileId)),
        skipped: fileIds
          .filter(fileId => !accepted.has(fileId))
          .map((fileId): Skipped => ({ fileId, reason: known.has(fileId) ? 'in_progress' : 'not_found' })),
      }
    })
  }

  /** A thousand at a time, since there may be very many. */
  async #requeueFailed(
    workspaceId: string,
    base: KnowledgeBase,
    now: number,
  ): Promise<{ accepted: string[]; skipped: Skipped[] }> {
    const accepted = new Set<string>()
    for (const generationId of generationsOf(base))
      for (let changed = requeuedAtOnce; changed === requeuedAtOnce; ) {
        const rows = await this.#database.transaction(transaction =>
          transaction.all<{ file_id: string }>(
            `UPDATE readings SET ${requeued} WHERE workspace_id = ? AND generation_id = ? AND status = 'failed'
               AND file_id IN (SELECT file_id FROM readings
                 WHERE workspace_id = ? AND generation_id = ? AND status = 'failed' LIMIT ${requeuedAtOnce})
             RETURNING file_id`,
            now,
            now,
            workspaceId,
            generationId,
            workspaceId,
            generationId,
          ),
        )
        for (const row of rows) accepted.add(row.file_id)
        changed = rows.length
      }
    return { accepted: [...accepted].sort(), skipped: [] }
  }

  remove(workspaceId: string, knowledgeId: string, fileId: string): Promise<boolean> {
    return this.#database.transaction(transaction =>
      removeDocument(transaction, workspaceId, knowledgeId, fileId),
    )
  }
}
