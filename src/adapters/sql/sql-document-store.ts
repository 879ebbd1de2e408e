import type { Page, PageRequest } from '../../contract/paging.ts'
import type { Chunking } from '../../knowledge/chunking.ts'
import type { DocumentError, DocumentStatus, KnowledgeDocument } from '../../knowledge/document.ts'
import type { AddedDocuments, DocumentStore, Skipped } from '../../knowledge/document-store.ts'
import type { KnowledgeBase, Metadata } from '../../knowledge/knowledge-base.ts'
import { type Database, type SqlValue, searchPattern, searchText, type Transaction } from './database.ts'
import { removeDocument } from './document-rows.ts'
import { insertValues } from './document-values.ts'
import { marks } from './marks.ts'
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

const source = `documents d
  JOIN readings r ON r.workspace_id = d.workspace_id AND r.generation_id = ? AND r.file_id = d.file_id
  LEFT JOIN readings n ON n.workspace_id = d.workspace_id AND n.generation_id = ? AND n.file_id = d.file_id`

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
      for (const fileId of new Set(fileIds)) {
        const outcome = await this.#addOne(transaction, { workspaceId, knowledgeId, fileId }, base, options)
        if (typeof outcome === 'string') skipped.push({ fileId, reason: outcome })
        else added.push(outcome)
      }
      return { added, skipped }
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
    const where = ['d.workspace_id = ?', 'd.knowledge_id = ?']
    const parameters: SqlValue[] = [...generationsOf(base), workspaceId, base.id]
    if (filter.status) {
      where.push('r.status = ?')
      parameters.push(filter.status)
    }
    if (filter.keyword !== '') {
      where.push(`d.search LIKE ? ESCAPE '\\'`)
      parameters.push(searchPattern(filter.keyword))
    }
    const condition = where.join(' AND ')
    const count = await this.#database.get<{ total: number }>(
      `SELECT COUNT(*) AS total FROM ${source} WHERE ${condition}`,
      ...parameters,
    )
    const rows = await this.#database.all<Row>(
      `SELECT ${columns} FROM ${source} WHERE ${condition} ORDER BY d.created_at DESC, d.file_id LIMIT ? OFFSET ?`,
      ...parameters,
      page.pageSize,
      (page.page - 1) * page.pageSize,
    )
    return { total: count?.total ?? 0, items: rows.map(document) }
  }

  requeue(
    workspaceId: string,
    base: KnowledgeBase,
    fileIds: string[] | undefined,
    now: number,
  ): Promise<{ accepted: string[]; skipped: Skipped[] }> {
    return this.#database.transaction(async transaction => {
      const accepted = new Set<string>()
      const skipped: Skipped[] = []
      const wanted = fileIds ? [...new Set(fileIds)] : await this.#failed(transaction, workspaceId, base)
      for (const fileId of wanted) {
        const reason = await this.#requeueOne(
          transaction,
          workspaceId,
          base,
          fileId,
          fileIds === undefined,
          now,
        )
        if (reason) skipped.push({ fileId, reason })
        else accepted.add(fileId)
      }
      return { accepted: [...accepted], skipped }
    })
  }

  async #failed(transaction: Transaction, workspaceId: string, base: KnowledgeBase): Promise<string[]> {
    const rows = await transaction.all<{ file_id: string }>(
      `SELECT DISTINCT file_id FROM readings
       WHERE workspace_id = ? AND generation_id IN (?, ?) AND status = 'failed' ORDER BY file_id`,
      workspaceId,
      ...generationsOf(base),
    )
    return rows.map(row => row.file_id)
  }

  /** In every generation where it is settled, or only where it failed. Undefined means that it was accepted. */
  async #requeueOne(
    transaction: Transaction,
    workspaceId: string,
    base: KnowledgeBase,
    fileId: string,
    onlyFailed: boolean,
    now: number,
  ): Promise<Skipped['reason'] | undefined> {
    const changed = await transaction.run(
      `UPDATE readings SET status = 'queued', progress = 0, retries = 0, interruptions = 0, error = NULL, due_at = ?, updated_at = ?
       WHERE workspace_id = ? AND generation_id IN (?, ?) AND file_id = ? AND due_at IS NULL ${onlyFailed ? "AND status = 'failed'" : ''}`,
      now,
      now,
      workspaceId,
      ...generationsOf(base),
      fileId,
    )
    if (changed > 0) return undefined
    const present = await transaction.get(
      `SELECT 1 AS one FROM readings WHERE workspace_id = ? AND generation_id IN (${marks(2)}) AND file_id = ?`,
      workspaceId,
      ...generationsOf(base),
      fileId,
    )
    return present ? 'in_progress' : 'not_found'
  }

  remove(workspaceId: string, knowledgeId: string, fileId: string): Promise<boolean> {
    return this.#database.transaction(transaction =>
      removeDocument(transaction, workspaceId, knowledgeId, fileId),
    )
  }
}
