import type { Page, PageRequest } from '../contract/paging.ts'
import type { Database, Transaction } from '../database/database.ts'
import { keywordFilter, searchText } from '../database/keyword.ts'
import { Order } from '../database/order.ts'
import { type IndexedFilter, readPage, rowOfEntry } from '../database/page.ts'
import { Columns, list, type Query, type RawSql, raw, sql } from '../database/sql.ts'
import { insertRows, Store } from '../database/store.ts'
import { as, json, optional, text } from '../database/table.ts'
import { type FileUses, files } from '../files/file-store.ts'
import type { Chunking } from './chunking.ts'
import { enqueueDocuments, isSlow } from './ingest/ingestion-queue.ts'
import type { DocumentError, DocumentStatus, KnowledgeBase, Metadata } from './knowledge-base.ts'
import { batches, documents, documentValues, ingestionJobs, manualPassages } from './knowledge-tables.ts'
import { valueRows } from './metadata-filter.ts'
import { removePage } from './web/remove-page.ts'

interface Skipped {
  fileId: string
  reason: 'not_found' | 'already_added' | 'in_progress'
}

export interface AddedDocuments {
  added: KnowledgeDocument[]
  skipped: Skipped[]
}

interface NewDocument {
  chunking: Chunking | undefined
  metadata: Metadata
  now: number
  sourceUrl?: string
}

const documentColumns = documents.columnsOf(
  'd',
  ...documents.keysExcept('workspaceId', 'knowledgeId', 'search'),
)
const jobColumns = ingestionJobs.columnsOf(
  'r',
  'status',
  'progress',
  'chunkCount',
  'attempts',
  'pagesDone',
  'pagesTotal',
  'error',
  'warnings',
  'updatedAt',
  'indexedAt',
)
const fileId = documents.columns('fileId')
const generationId = as('generationId', text())
const nextId = as('nextId', optional(text()))
const asFileId = as('fileId', text())
const fileColumns = files.columns('name', 'size', 'mimeType')
const nextError = as('nextError', optional(json<DocumentError>()))
const listed = new Columns<ListedDocument>(`${documentColumns}, ${jobColumns}, n.error ${nextError}`, [
  ...documentColumns.decoders,
  ...jobColumns.decoders,
  ...nextError.decoders,
])

/** A document shows its job in the live generation; a failure in the next generation shows as its error. */
export type KnowledgeDocument = (typeof documentColumns)['row'] & (typeof jobColumns)['row']

type ListedDocument = KnowledgeDocument & (typeof nextError)['row']

const documentOf = ({ nextError, ...document }: ListedDocument): KnowledgeDocument => ({
  ...document,
  error: document.error ?? nextError,
})

const requeuedAtOnce = 1000
const newestFirst = new Order('d.created_at DESC', 'd.file_id')

/** Documents with their job in the live generation, and in the next one if there is one. */
const withJobs = (base: KnowledgeBase) => sql`
  JOIN readings r ON r.workspace_id = d.workspace_id AND r.generation_id = ${base.generation.id} AND r.file_id = d.file_id
  LEFT JOIN readings n
  ON n.workspace_id = d.workspace_id AND n.generation_id = ${base.next?.id ?? ''} AND n.file_id = d.file_id`

const ofBase = (workspaceId: string, base: KnowledgeBase): Query =>
  sql`d.workspace_id = ${workspaceId} AND d.knowledge_id = ${base.id}`

const inBase = (workspaceId: string, base: KnowledgeBase): Query =>
  sql`${ofBase(workspaceId, base)} AND r.workspace_id = ${workspaceId}`

const withStatus = (
  { dialect }: Database,
  workspaceId: string,
  base: KnowledgeBase,
  status: DocumentStatus,
): IndexedFilter => {
  const jobs = ingestionJobs.where({ workspaceId, generationId: base.generation.id, status })
  return {
    condition: sql`r.status = ${status}`,
    isExact: true,
    entries: sql`(SELECT file_id AS entry FROM readings WHERE ${jobs}) AS entries`,
    row: rowOfEntry(dialect, documents, raw('d'), sql`${ofBase(workspaceId, base)} AND d.file_id = entry`),
  }
}

/** Forgets the pages of earlier attempts: with other content or another model, every page counts as progress again. */
const requeue = (now: number): Query => sql`
  UPDATE readings SET status = 'queued', progress = 0, retries = 0, interruptions = 0, error = NULL,
    pages_done = NULL, pages_total = NULL, due_at = ${now}, updated_at = ${now}`

/** The documents of a base. Each has one ingestion job per generation. */
export class DocumentStore extends Store {
  /** Undefined when the base does not exist. */
  add(
    workspaceId: string,
    knowledgeId: string,
    fileIds: string[],
    options: NewDocument,
  ): Promise<AddedDocuments | undefined> {
    return this.database.transaction(async transaction => {
      // The lock holds off the swap of generations: a new document must get a job in both.
      const base = await transaction.get(sql`
        SELECT generation_id ${generationId}, next_generation_id ${nextId}
        FROM knowledge_bases
        WHERE workspace_id = ${workspaceId} AND id = ${knowledgeId} AND deleted_at IS NULL
        ${this.database.forUpdate}`)
      if (!base) return undefined
      const known = await this.#lockFiles(transaction, workspaceId, [...new Set(fileIds)])
      const added = await this.#insert(transaction, workspaceId, knowledgeId, known, options)
      const ids = [base.generationId, base.nextId ?? []].flat()
      for (const generationId of ids)
        await enqueueDocuments(transaction, { workspaceId, knowledgeId, generationId }, added, options.now)
      const byId = new Map(added.map(document => [document.fileId, document]))
      const isKnown = new Set(known.map(file => file.fileId))
      const requested = [...new Set(fileIds)]
      return {
        added: requested.flatMap(id => byId.get(id) ?? []),
        skipped: requested
          .filter(id => !byId.has(id))
          .map(id => ({ fileId: id, reason: isKnown.has(id) ? 'already_added' : 'not_found' })),
      }
    })
  }

  /** Locks the files, so that none is deleted before its document exists. In id order, so that calls cannot deadlock. */
  async #lockFiles(transaction: Transaction, workspaceId: string, fileIds: string[]) {
    if (fileIds.length === 0) return []
    return transaction.all(sql`
      SELECT id ${asFileId}, ${fileColumns} FROM files WHERE workspace_id = ${workspaceId} AND id IN ${list(fileIds)} ORDER BY id
      ${this.database.forUpdate}`)
  }

  /** Inserts the documents that are not in the base yet. */
  async #insert(
    transaction: Transaction,
    workspaceId: string,
    knowledgeId: string,
    present: { fileId: string; name: string; size: number; mimeType: string }[],
    { chunking, metadata, now, sourceUrl }: NewDocument,
  ): Promise<KnowledgeDocument[]> {
    if (present.length === 0) return []
    const rows = present.map(file => ({
      ...{ workspaceId, knowledgeId, ...file },
      ...{ search: searchText(file.name), chunking, metadata, createdAt: now, sourceUrl },
    }))
    const inserted = await transaction.all(
      sql`${documents.insertAll(rows)} ON CONFLICT DO NOTHING RETURNING ${fileId}`,
    )
    const isNew = new Set(inserted.map(row => row.fileId))
    const added = present.filter(file => isNew.has(file.fileId))
    const values = added.flatMap(file =>
      valueRows({ workspaceId, knowledgeId, fileId: file.fileId }, metadata),
    )
    await insertRows(transaction, documentValues, values)
    return added.map(file => ({
      ...file,
      ...{ status: 'queued', progress: 0, chunkCount: 0, attempts: 0, error: undefined, warnings: undefined },
      ...{ pagesDone: undefined, pagesTotal: undefined },
      ...{ metadata, chunking, sourceUrl, createdAt: now, updatedAt: now, indexedAt: undefined },
    }))
  }

  async find(workspaceId: string, base: KnowledgeBase, id: string): Promise<KnowledgeDocument | undefined> {
    const row = await this.database.get(sql`
      SELECT ${listed} FROM documents d ${withJobs(base)} WHERE ${inBase(workspaceId, base)} AND d.file_id = ${id}`)
    return row && documentOf(row)
  }

  async list(
    workspaceId: string,
    base: KnowledgeBase,
    { status, keyword }: { status: DocumentStatus | undefined; keyword: string },
    page: PageRequest,
  ): Promise<Page<KnowledgeDocument>> {
    const matching = keywordFilter(
      this.database,
      {
        ...{ table: 'documents', alias: 'd', key: 'file_id', scope: base.id },
        inScope: ofBase(workspaceId, base),
      },
      keyword,
    )
    const inStatus = status && withStatus(this.database, workspaceId, base, status)
    const found = await readPage(this.database, {
      workspaceId,
      columns: listed,
      source: raw('documents d'),
      joins: withJobs(base),
      where: inBase(workspaceId, base),
      order: newestFirst,
      page,
      indexedFilter: matching ?? inStatus,
      filter: matching && inStatus?.condition,
      // Every document has one job in the live generation, and jobs are counted by an index alone.
      counted: {
        source: ingestionJobs,
        where: ingestionJobs.where({ workspaceId, generationId: base.generation.id }),
      },
    })
    return { ...found, items: found.items.map(documentOf) }
  }

  /** Queues failed documents, or the named ones, again. A document that waits for its next attempt becomes due now. */
  requeue(
    workspaceId: string,
    base: KnowledgeBase,
    fileIds: string[] | undefined,
    now: number,
  ): Promise<{ accepted: string[]; skipped: Skipped[] }> {
    const generationIds = [base.generation.id, base.next?.id ?? []].flat()
    return fileIds
      ? this.#requeueNamed(workspaceId, generationIds, [...new Set(fileIds)], now)
      : this.#requeueFailed(workspaceId, generationIds, now)
  }

  #requeueNamed(
    workspaceId: string,
    generationIds: string[],
    fileIds: string[],
    now: number,
  ): Promise<{ accepted: string[]; skipped: Skipped[] }> {
    const named = sql`
      workspace_id = ${workspaceId} AND generation_id IN ${list(generationIds)} AND file_id IN ${list(fileIds)}`
    return this.database.transaction(async transaction => {
      const present = await transaction.all(ingestionJobs.select(fileId, named))
      const known = new Set(present.map(row => row.fileId))
      const changed = await transaction.all(sql`
        ${requeue(now)} WHERE ${named} AND (due_at IS NULL OR (status = 'queued' AND due_at > ${now}))
        RETURNING ${fileId}`)
      const accepted = new Set(changed.map(row => row.fileId))
      return {
        accepted: fileIds.filter(id => accepted.has(id)),
        skipped: fileIds
          .filter(id => !accepted.has(id))
          .map(id => ({ fileId: id, reason: known.has(id) ? 'in_progress' : 'not_found' })),
      }
    })
  }

  /** Queues a thousand documents per transaction, since there may be very many. */
  async #requeueFailed(
    workspaceId: string,
    generationIds: string[],
    now: number,
  ): Promise<{ accepted: string[]; skipped: Skipped[] }> {
    const accepted = new Set<string>()
    for (const generationId of generationIds) {
      const failed = ingestionJobs.where({ workspaceId, generationId, status: 'failed' })
      for (let changed = requeuedAtOnce; changed === requeuedAtOnce; ) {
        const rows = await this.database.transaction(transaction =>
          transaction.all(sql`
            ${requeue(now)} WHERE ${failed}
              AND file_id IN (SELECT file_id FROM readings WHERE ${failed} LIMIT ${requeuedAtOnce})
            RETURNING ${fileId}`),
        )
        for (const row of rows) accepted.add(row.fileId)
        changed = rows.length
      }
    }
    return { accepted: [...accepted].sort(), skipped: [] }
  }

  /** The file has another content: its documents are processed again, and found by the previous text until then. */
  replaceContent(
    workspaceId: string,
    id: string,
    file: { name: string; size: number; mimeType: string },
    now: number,
  ): Promise<void> {
    return this.database.transaction(async transaction => {
      const uses = await fileUses.lock(transaction, workspaceId, [id], this.database.forUpdate)
      const bases = uses.map(({ knowledgeId }) => knowledgeId)
      if (bases.length === 0) return
      const changed = sql`${documents.where({ workspaceId, fileId: id })} AND knowledge_id IN ${list(bases)}`
      await transaction.run(documents.update(changed, { ...file, search: searchText(file.name) }))
      // A worker that reads the previous content loses its lease.
      for (const knowledgeId of bases)
        await transaction.run(sql`
          ${requeue(now)}, lease = NULL, ${ingestionJobs.set({ slow: isSlow(file) })} WHERE generation_id IN (SELECT id FROM generations
            WHERE workspace_id = ${workspaceId} AND knowledge_id = ${knowledgeId} AND gone = 0)
          AND ${ingestionJobs.where({ workspaceId, fileId: id })}`)
    })
  }

  /** For a transaction that locks other rows before those of the document. */
  async lockBase(workspaceId: string, knowledgeId: string): Promise<void> {
    const { forUpdate } = this.database
    await this.database.transaction(transaction =>
      holdOffReindex(transaction, forUpdate, workspaceId, [knowledgeId]),
    )
  }

  /** False when there is no such document. No search finds it any more when this resolves. */
  remove(workspaceId: string, knowledgeId: string, id: string): Promise<boolean> {
    const { forUpdate } = this.database
    return this.database.deletion(transaction =>
      removeDocument(transaction, forUpdate, { workspaceId, knowledgeId, fileId: id }),
    )
  }
}

/**
 * Locks the bases: a re-index would queue their documents as they were, in a generation that is not seen here. Bases are
 * locked before other rows, and in this order, so that transactions cannot deadlock.
 */
const holdOffReindex = (
  transaction: Transaction,
  forUpdate: RawSql,
  workspaceId: string,
  knowledgeIds: string[],
): Promise<unknown> =>
  transaction.all(sql`
    SELECT id FROM knowledge_bases WHERE workspace_id = ${workspaceId} AND id IN ${list(knowledgeIds)}
    ORDER BY id ${forUpdate}`)

/** Removes a document from its base: it cannot be found any more, and a worker that processes it loses its lease. */
async function removeDocument(
  transaction: Transaction,
  forUpdate: RawSql,
  document: { workspaceId: string; knowledgeId: string; fileId: string },
): Promise<boolean> {
  const { workspaceId, knowledgeId, fileId } = document
  await holdOffReindex(transaction, forUpdate, workspaceId, [knowledgeId])
  if ((await transaction.run(documents.delete(document))) === 0) return false
  await transaction.run(documentValues.delete(document))
  await removePage(transaction, document)
  const live = await transaction.all(sql`
    SELECT id ${generationId} FROM generations
    WHERE workspace_id = ${workspaceId} AND knowledge_id = ${knowledgeId} AND gone = 0`)
  for (const { generationId } of live) {
    const ofFile = { workspaceId, generationId, fileId }
    await transaction.run(ingestionJobs.delete(ofFile))
    await transaction.run(batches.update(ofFile, { state: 'gone' }))
    await transaction.run(sql`
      UPDATE generations SET revision = revision + 1 WHERE workspace_id = ${workspaceId} AND id = ${generationId}`)
  }
  // After the jobs, whose lock an addition of a passage holds: a passage that is being added now is deleted, too.
  await transaction.run(manualPassages.delete(document))
  return true
}

/** The data about documents that the file store needs. */
export const fileUses: FileUses = {
  async find(reader, workspaceId, fileIds) {
    if (fileIds.length === 0) return []
    // SQLite would look at all documents of the workspace in an index that has every column of this, or has this order.
    // No index has the size.
    const uses = await reader.all(sql`
      SELECT ${documents.columnsOf('d', 'fileId', 'knowledgeId')} FROM documents d CROSS JOIN knowledge_bases k
      WHERE d.workspace_id = ${workspaceId} AND d.file_id IN ${list(fileIds)} AND d.size >= 0
        AND k.workspace_id = d.workspace_id AND k.id = d.knowledge_id AND k.deleted_at IS NULL`)
    // Responses list the bases in this order.
    const key = ({ fileId, knowledgeId }: (typeof uses)[number]): string => `${fileId} ${knowledgeId}`
    return uses.sort((one, other) => (key(one) < key(other) ? -1 : 1))
  },
  async lock(transaction, workspaceId, fileIds, forUpdate) {
    const uses = await fileUses.find(transaction, workspaceId, fileIds)
    const bases = new Set(uses.map(({ knowledgeId }) => knowledgeId))
    if (bases.size > 0) await holdOffReindex(transaction, forUpdate, workspaceId, [...bases])
    return uses
  },
  async remove(transaction, workspaceId, uses, forUpdate) {
    // An ingestion locks its job, then the generation, which the removal of the first document locks, too.
    if (uses.length > 1)
      await transaction.all(sql`
        SELECT file_id FROM readings WHERE workspace_id = ${workspaceId} AND generation_id IN (
            SELECT id FROM generations WHERE workspace_id = ${workspaceId} AND gone = 0
              AND knowledge_id IN ${list([...new Set(uses.map(({ knowledgeId }) => knowledgeId))])})
          AND file_id IN ${list([...new Set(uses.map(use => use.fileId))])}
        ORDER BY generation_id, file_id ${forUpdate}`)
    for (const { knowledgeId, fileId } of uses)
      await removeDocument(transaction, forUpdate, { workspaceId, knowledgeId, fileId })
  },
}
