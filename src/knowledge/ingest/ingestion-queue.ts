import { LeaseTable } from '../../cluster/lease-table.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { list, type Query, sql } from '../../database/sql.ts'
import { insertRows, Store } from '../../database/store.ts'
import { as, integer, json, optional, type RowOf } from '../../database/table.ts'
import type { Chunking } from '../chunking.ts'
import type { DocumentError, DocumentStatus } from '../knowledge-base.ts'
import { batches, documents, generations, ingestionJobs } from '../knowledge-tables.ts'
import { documentFailures } from './document-failure.ts'

interface Claim {
  workspaceId: string
  lease: string
  batchId: string
  now: number
  until: number
  /** Documents that may take long are skipped. */
  onlyQuick?: boolean
  /** Whether an expired lease may be taken over; if not, it is extended instead. */
  mayTakeOver?(lease: string): boolean
}

/** A document that crashed the process this often in a row fails. */
const maxInterruptions = 3
/** How long a job is left alone whose lease has expired but may not be taken over yet. */
const postponedMilliseconds = 5000
/** Obsolete jobs that one claim removes on its way. */
const claimAttempts = 50

const jobColumns = ingestionJobs.columns(
  'workspaceId',
  'generationId',
  'fileId',
  'knowledgeId',
  'status',
  'retries',
  'interruptions',
  'batchId',
  'lease',
  'pagesDone',
)
type JobRow = (typeof jobColumns)['row']
const documentColumns = documents.columnsOf('d', 'name', 'mimeType', 'size', 'chunking')
const generationColumns = generations.columnsOf('g', 'embeddingModel', 'dimension')

export type JobKey = Pick<JobRow, 'workspaceId' | 'generationId' | 'fileId'>

/** One document that is ingested into one generation, claimed by the holder of the lease. */
export type IngestionJob = Omit<JobRow, 'status' | 'interruptions' | 'batchId' | 'pagesDone'> &
  Omit<(typeof documentColumns)['row'], 'chunking'> &
  (typeof generationColumns)['row'] & {
    chunking: Chunking
    /** Proves the lease; a new one with every claim. */
    lease: string
    /** The batch of this attempt, invisible until it is complete. */
    batchId: string
    /** Pages that earlier attempts recognised. */
    pagesDone?: number | undefined
  }

const baseChunking = as('baseChunking', json<Chunking>())
const workspaceId = ingestionJobs.columns('workspaceId')

const interrupted: DocumentError = {
  code: 'interrupted',
  message:
    'The server stopped three times while it processed this document. Try again; if it happens again, the document may need more memory than the server has.',
  retryable: documentFailures.interrupted.retryable,
}

interface Released {
  dueAt: number
  retries: number
  error: DocumentError | undefined
  /** Pages recognised so far, by this attempt or an earlier one. */
  pagesDone?: number
  now: number
}

/** Matches the job while this lease is valid. */
export const heldBy = ({ workspaceId, generationId, fileId, lease }: IngestionJob): Query =>
  sql`workspace_id = ${workspaceId} AND generation_id = ${generationId} AND file_id = ${fileId} AND lease = ${lease}`

const jobKey = ({ workspaceId, generationId, fileId }: JobKey): Query =>
  ingestionJobs.where({ workspaceId, generationId, fileId })

const largeBytes = 4 << 20
/** Types that LibreOffice converts, and recordings, which a model transcribes. */
const slowTypes = ['application/msword', 'application/vnd.ms-excel', 'application/vnd.ms-powerpoint'] as const
const recordings = 'audio/'

/** Whether a document may take long, even if it is small. */
export const isSlow = ({ size, mimeType }: { size: number; mimeType: string }): boolean =>
  size > largeBytes || slowTypes.some(type => type === mimeType) || mimeType.startsWith(recordings)

/** The same for rows of documents. */
const isSlowRow = sql`(size > ${largeBytes} OR mime_type IN ${list(slowTypes)} OR mime_type LIKE ${`${recordings}%`})`

/** Matches jobs that may be claimed. The index of quick jobs needs a literal. */
const isDue = (now: number, onlyQuick = false): Query => {
  const due = sql`due_at IS NOT NULL AND due_at <= ${now}`
  return onlyQuick ? sql`${due} AND slow = 0` : due
}

/** The queue of ingestion jobs. Every change is a compare-and-set by the lease: false means that the lease is lost. */
export class IngestionQueue extends Store {
  readonly leases: LeaseTable<JobKey>

  constructor(database: Database) {
    super(database)
    const key = { workspaceId: 'workspace_id', generationId: 'generation_id', fileId: 'file_id' }
    this.leases = new LeaseTable(database, { table: ingestionJobs, key })
  }

  /** The next workspace with a job that is due: round robin, in the order of workspace ids. */
  async nextWorkspace(after: string, now: number, onlyQuick?: boolean): Promise<string | undefined> {
    const next = (id: string) => sql`SELECT * FROM (
      SELECT ${workspaceId} FROM readings WHERE workspace_id > ${id} AND ${isDue(now, onlyQuick)}
      ORDER BY workspace_id LIMIT 1) AS next`
    // One round trip: the second part is only read if the first one is empty.
    const either = sql`${next(after)} UNION ALL ${next('')} LIMIT 1` as Query<{ workspaceId: string }>
    return (await this.database.get(either))?.workspaceId
  }

  /** Claims the job that has been due the longest. The third interruption in a row marks a job as failed. */
  claim(claim: Claim): Promise<IngestionJob | undefined> {
    const { workspaceId, now, onlyQuick } = claim
    return this.database.transaction(async transaction => {
      for (let attempt = 0; attempt < claimAttempts; attempt++) {
        const row = await transaction.get(sql`
          SELECT ${jobColumns} FROM readings WHERE workspace_id = ${workspaceId} AND ${isDue(now, onlyQuick)}
          ORDER BY priority, due_at LIMIT 1 ${this.database.forClaim}`)
        if (!row) return undefined
        if (row.lease !== undefined && claim.mayTakeOver?.(row.lease) === false) {
          await transaction.run(ingestionJobs.update(jobKey(row), { dueAt: now + postponedMilliseconds }))
          continue
        }
        const job = await this.#take(transaction, row, claim)
        if (job) return job
      }
      return undefined
    })
  }

  /** Undefined when the base or the document was deleted, or the job was interrupted too often. */
  async #take(transaction: Transaction, row: JobRow, claim: Claim): Promise<IngestionJob | undefined> {
    const { workspaceId, knowledgeId, generationId, fileId, retries, pagesDone } = row
    const subject = await transaction.get(sql`
      SELECT ${documentColumns}, ${generationColumns}, g.chunking ${baseChunking}
      FROM generations g
      JOIN documents d ON d.workspace_id = g.workspace_id AND d.knowledge_id = g.knowledge_id AND d.file_id = ${fileId}
      WHERE g.workspace_id = ${workspaceId} AND g.id = ${generationId} AND g.gone = 0`)
    await this.#dropBatch(transaction, workspaceId, row.batchId)
    if (!subject) {
      await transaction.run(ingestionJobs.delete(jobKey(row)))
      return undefined
    }
    const interruptions = row.interruptions + (row.status === 'queued' ? 0 : 1)
    if (interruptions >= maxInterruptions) {
      const failed = { status: 'failed', error: interrupted, interruptions, updatedAt: claim.now } as const
      const left = { lease: undefined, batchId: undefined, dueAt: undefined }
      await transaction.run(ingestionJobs.update(jobKey(row), { ...failed, ...left }))
      return undefined
    }
    const { lease, batchId, until, now } = claim
    const cleared = { error: undefined, warnings: undefined, pagesDone: undefined, pagesTotal: undefined }
    const started = { status: 'parsing', progress: 0, interruptions, ...cleared } as const
    await transaction.run(sql`
      UPDATE readings SET attempts = attempts + 1,
        ${ingestionJobs.set({ ...started, lease, batchId, dueAt: until, updatedAt: now })}
      WHERE ${jobKey(row)}`)
    const batch = { workspaceId, id: batchId, generationId, fileId, state: 'staged' } as const
    await transaction.run(batches.insert({ ...batch, chunkCount: 0, revision: 0, manual: false }))
    const { baseChunking: inherited, chunking = inherited, ...document } = subject
    const names = { workspaceId, knowledgeId, generationId, fileId, lease, batchId }
    return { ...names, ...document, chunking, retries, pagesDone }
  }

  async #dropBatch(transaction: Transaction, workspaceId: string, id: string | undefined): Promise<void> {
    if (id === undefined) return
    await transaction.run(sql`
      UPDATE batches SET state = 'gone' WHERE ${batches.where({ workspaceId, id })} AND state = 'staged'`)
  }

  /** Stores how far the job is, and renews its lease. */
  async renew(
    job: IngestionJob,
    status: DocumentStatus,
    progress: number,
    now: number,
    until: number,
    pages?: { done: number; total: number },
  ): Promise<boolean> {
    const recognised = pages && { pagesDone: pages.done, pagesTotal: pages.total }
    const renewed = { status, progress, ...recognised, dueAt: until, updatedAt: now }
    return (await this.run(ingestionJobs.update(heldBy(job), renewed))) === 1
  }

  fail(job: IngestionJob, error: DocumentError, now: number): Promise<boolean> {
    return this.#leave(job, { status: 'failed', dueAt: undefined, error, updatedAt: now })
  }

  /** Queues the job again: after a failure that may not repeat, or because the server stops. */
  release(job: IngestionJob, { now, ...change }: Released): Promise<boolean> {
    const queued = { status: 'queued', progress: 0, interruptions: 0 } as const
    return this.#leave(job, { ...queued, ...change, updatedAt: now })
  }

  #leave(job: IngestionJob, change: Partial<RowOf<typeof ingestionJobs>>): Promise<boolean> {
    const left = { ...change, lease: undefined, batchId: undefined }
    return this.database.transaction(async transaction => {
      const changed = await transaction.run(ingestionJobs.update(heldBy(job), left))
      if (changed === 0) return false
      await this.#dropBatch(transaction, job.workspaceId, job.batchId)
      return true
    })
  }

  async nextDue(): Promise<number | undefined> {
    const row = await this.database.get(sql`
      SELECT MIN(due_at) ${as('dueAt', optional(integer()))} FROM (
        SELECT MIN(due_at) AS due_at FROM readings WHERE priority = 0 AND due_at IS NOT NULL
        UNION ALL SELECT MIN(due_at) FROM readings WHERE priority = 1 AND due_at IS NOT NULL) AS either`)
    return row?.dueAt
  }
}

const newJob = {
  status: 'queued',
  progress: 0,
  chunkCount: 0,
  attempts: 0,
  retries: 0,
  interruptions: 0,
  priority: 0,
} as const

export const enqueueDocuments = (
  transaction: Transaction,
  generation: { workspaceId: string; knowledgeId: string; generationId: string },
  added: { fileId: string; size: number; mimeType: string }[],
  now: number,
): Promise<void> =>
  insertRows(
    transaction,
    ingestionJobs,
    added.map(file => ({
      ...{ ...generation, fileId: file.fileId, ...newJob },
      ...{ slow: isSlow(file), dueAt: now, updatedAt: now },
    })),
  )

/** Adds jobs for all documents of a base, with a lower priority than documents that users add meanwhile. */
export async function enqueueBase(
  transaction: Transaction,
  workspaceId: string,
  knowledgeId: string,
  generationId: string,
  now: number,
): Promise<void> {
  await transaction.run(sql`
    INSERT INTO readings (workspace_id, generation_id, file_id, knowledge_id, status, progress, chunk_count, attempts,
      retries, interruptions, priority, slow, due_at, updated_at)
    SELECT workspace_id, CAST(${generationId} AS TEXT), file_id, knowledge_id, 'queued', 0, 0, 0, 0, 0, 1,
      CASE WHEN ${isSlowRow} THEN 1 ELSE 0 END, CAST(${now} AS BIGINT), CAST(${now} AS BIGINT)
    FROM documents WHERE workspace_id = ${workspaceId} AND knowledge_id = ${knowledgeId}`)
}
