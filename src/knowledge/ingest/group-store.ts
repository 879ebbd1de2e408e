import type { Transaction } from '../../database/database.ts'
import { list, Query, sql, tuples } from '../../database/sql.ts'
import { insertRows, Store } from '../../database/store.ts'
import { as, json } from '../../database/table.ts'
import { AppError } from '../../kernel/app-error.ts'
import { insertVectors } from '../chunk-store.ts'
import type { Chunking } from '../chunking.ts'
import type { Segment } from '../index/segment.ts'
import { blocksPerTransaction, insertBlocks, insertSegment } from '../index/segment-store.ts'
import {
  batches,
  chunks,
  documents,
  generations,
  ingestionJobs,
  manualPassages,
} from '../knowledge-tables.ts'
import type { IngestionJob } from './ingestion-queue.ts'
import { chunkRow, type StagedChunk } from './staging-store.ts'

interface JobNames {
  lease: string
  batchId: string
}

interface GroupClaim {
  workspaceId: string
  now: number
  until: number
  mint(): JobNames
}

export interface ReadDocument {
  job: IngestionJob
  chunks: StagedChunk[]
  /** One vector per chunk, or none at all. */
  vectors: Float32Array[]
}

/** A group takes a thread a fraction of a second, so that others wait no longer than for one document. */
const maxDocuments = 64
const maxBytes = 192 << 10
const maxDocumentBytes = 16 << 10

const candidateColumns = ingestionJobs.columnsOf('r', 'generationId', 'knowledgeId', 'fileId', 'attempts')
const sizeColumns = documents.columnsOf('d', 'size', 'mimeType')
const documentColumns = documents.columns('fileId', 'name', 'mimeType', 'size', 'chunking')
const generationColumns = generations.columns('embeddingModel', 'dimension')
const baseChunking = as('baseChunking', json<Chunking>())
const fileId = ingestionJobs.columns('fileId')
const readyFile = ingestionJobs.columnsOf('readings', 'fileId')
const revision = generations.columns('revision')

/** Files of other formats may take long even if they are small. */
const isSmallText = ({ size, mimeType }: { size: number; mimeType: string }): boolean =>
  size <= maxDocumentBytes && mimeType.startsWith('text/')

/** The rows of a VALUES list that names jobs by their files and leases. */
const jobValues = (jobs: { fileId: string; lease: string; chunkCount: number }[]): Query =>
  new Query(
    jobs.map(() => '(CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT))').join(', '),
    jobs.flatMap(({ fileId, lease, chunkCount }) => [fileId, lease, chunkCount]),
  )

/** Says again which rows a join with `jobValues` changes. For more than 32, SQLite would look at all jobs of the generation. */
const amongJobs = (jobs: readonly { fileId: string }[]): Query =>
  sql`readings.file_id IN ${list(jobs.map(job => job.fileId))}`

/**
 * Small texts of one generation that are ingested together: one claim, one message to a thread, one segment and one
 * transaction for all of them. Only first attempts are grouped, so that a document that breaks its group is tried alone
 * next.
 */
export class GroupStore extends Store {
  /** Claims the jobs that have been due the longest, if they are small texts. A single text is left to the queue. */
  async claim(claim: GroupClaim): Promise<IngestionJob[]> {
    // Reads first: an idle server does not write.
    const candidates = await this.#candidates(claim)
    if (candidates.length < 2) return []
    const { workspaceId, now, until } = claim
    const { generationId, knowledgeId } = candidates[0]!
    const ofGeneration = ingestionJobs.where({ workspaceId, generationId })
    return this.database.transaction(async transaction => {
      const free = await transaction.all(sql`
        SELECT ${fileId} FROM readings WHERE ${ofGeneration} AND attempts = 0 AND due_at <= ${now}
          AND file_id IN ${list(candidates.map(each => each.fileId))} ${this.database.forClaim}`)
      const generation = await transaction.get(sql`
        SELECT ${generationColumns}, chunking ${baseChunking} FROM generations
        WHERE ${generations.where({ workspaceId, id: generationId, gone: false })}`)
      if (free.length === 0 || !generation) return []
      const { baseChunking: inherited, ...settings } = generation
      // Read after the lock: replacing the content later revokes the lease.
      const found = await transaction.all(sql`
        SELECT ${documentColumns} FROM documents WHERE ${documents.where({ workspaceId, knowledgeId })}
          AND file_id IN ${list(free.map(each => each.fileId))}`)
      const jobs = found.filter(isSmallText).map(
        ({ chunking = inherited, ...document }): IngestionJob => ({
          ...{ workspaceId, knowledgeId, generationId, ...document, ...settings, ...claim.mint() },
          ...{ chunking, retries: 0 },
        }),
      )
      if (jobs.length === 0) return []
      const started = ingestionJobs.set({ status: 'parsing', progress: 0, dueAt: until, updatedAt: now })
      await transaction.run(sql`
        WITH taken (file_id, lease, chunk_count) AS (VALUES ${jobValues(jobs.map(job => ({ ...job, chunkCount: 0 })))})
        UPDATE readings SET attempts = attempts + 1, lease = taken.lease, ${started} FROM taken
        WHERE ${ofGeneration} AND readings.file_id = taken.file_id AND ${amongJobs(jobs)}`)
      return jobs
    })
  }

  async #candidates({ workspaceId, now }: GroupClaim) {
    const due = await this.database.all(sql`
      SELECT ${candidateColumns}, ${sizeColumns} FROM (
        SELECT * FROM readings WHERE workspace_id = ${workspaceId} AND due_at IS NOT NULL AND due_at <= ${now}
        ORDER BY priority, due_at LIMIT ${maxDocuments}) AS r
      JOIN documents d ON d.workspace_id = r.workspace_id AND d.knowledge_id = r.knowledge_id AND d.file_id = r.file_id
      WHERE NOT EXISTS (SELECT 1 FROM manual_passages p WHERE p.workspace_id = r.workspace_id
        AND p.knowledge_id = r.knowledge_id AND p.file_id = r.file_id)
      ORDER BY r.priority, r.due_at`)
    const isSmall = ({ attempts, ...document }: (typeof due)[number]): boolean =>
      attempts === 0 && isSmallText(document)
    const [first] = due
    // The job that has waited the longest comes first, even if it is not small.
    if (!first || !isSmall(first)) return []
    let bytes = 0
    return due.filter(each => {
      if (!isSmall(each) || each.generationId !== first.generationId) return false
      bytes += each.size
      return bytes <= maxBytes
    })
  }

  async reportEmbedding(jobs: readonly IngestionJob[], now: number): Promise<void> {
    const { workspaceId, generationId } = jobs[0]!
    const reported = ingestionJobs.set({ status: 'embedding', progress: 0.5, updatedAt: now })
    await this.run(sql`
      UPDATE readings SET ${reported} WHERE ${ingestionJobs.where({ workspaceId, generationId })}
        AND (file_id, lease) IN ${tuples(jobs.map(({ fileId, lease }) => [fileId, lease]))}`)
  }

  /** Makes the documents searchable. Returns those whose lease was still held; the others are left out. */
  finish(
    read: readonly ReadDocument[],
    segment: Segment,
    segmentId: string,
    now: number,
  ): Promise<ReadDocument[]> {
    const { workspaceId, generationId, knowledgeId } = read[0]!.job
    const generation = generations.where({ workspaceId, id: generationId })
    const ready = ingestionJobs.set({
      ...{ status: 'ready', progress: 1, retries: 0, interruptions: 0, error: undefined },
      ...{ lease: undefined, batchId: undefined, dueAt: undefined, indexedAt: now, updatedAt: now },
    })
    const done = jobValues(read.map(({ job, chunks }) => ({ ...job, chunkCount: chunks.length })))
    return this.database.transaction(async transaction => {
      const held = await transaction.all(sql`
        WITH done (file_id, lease, chunk_count) AS (VALUES ${done})
        UPDATE readings SET ${ready}, chunk_count = done.chunk_count FROM done
        WHERE ${ingestionJobs.where({ workspaceId, generationId })} AND readings.file_id = done.file_id
          AND readings.lease = done.lease AND ${amongJobs(read.map(({ job }) => job))}
        RETURNING ${readyFile}`)
      const isHeld = new Set(held.map(each => each.fileId))
      const documents = read.filter(({ job }) => isHeld.has(job.fileId))
      if (documents.length === 0) return []
      const files = list(documents.map(({ job }) => job.fileId))
      const manual = await transaction.get(sql`
        SELECT 1 AS one FROM manual_passages WHERE ${manualPassages.where({ workspaceId, knowledgeId })}
          AND file_id IN ${files} LIMIT 1`)
      if (manual) throw new AppError('unavailable', 'Passages were added by hand meanwhile. Trying again.')
      await transaction.run(sql`
        UPDATE batches SET state = 'gone'
        WHERE ${batches.where({ workspaceId, generationId })} AND file_id IN ${files} AND state = 'live'`)
      const next = await transaction.get(
        sql`UPDATE generations SET revision = revision + 1 WHERE ${generation} RETURNING ${revision}`,
      )
      if (!next) throw new AppError('unavailable', 'The generation of the index was removed meanwhile.')
      await this.#insert(transaction, documents, next.revision, segment, { segmentId, now })
      return documents
    })
  }

  /** Inserts the batches of documents, with their chunks and vectors, and the segment that they share. */
  async #insert(
    transaction: Transaction,
    documents: readonly ReadDocument[],
    revision: number,
    segment: Segment,
    { segmentId, now }: { segmentId: string; now: number },
  ): Promise<void> {
    const { workspaceId, generationId } = documents[0]!.job
    await insertRows(
      transaction,
      batches,
      documents.map(({ job: { batchId: id, fileId }, chunks: { length: chunkCount } }) => ({
        ...{ workspaceId, id, generationId, fileId, state: 'live' as const },
        ...{ chunkCount, revision, manual: false },
      })),
    )
    await insertRows(
      transaction,
      chunks,
      documents.flatMap(({ job, chunks }) => chunks.map(chunk => chunkRow(job, chunk))),
    )
    await insertVectors(
      transaction,
      this.database.dialect,
      { workspaceId, generationId, writtenAt: now },
      documents.flatMap(({ job: { batchId }, chunks, vectors }) =>
        vectors.map((vector, at) => ({ batchId, position: chunks[at]!.position, vector })),
      ),
    )
    // The chunks of a document that was left out are never found, because its batch does not exist.
    const row = { workspaceId, generationId, id: segmentId, state: 'live', createdAt: now } as const
    await insertSegment(transaction, segment, row)
    for (let from = blocksPerTransaction; from < segment.blocks.length; from += blocksPerTransaction)
      await insertBlocks(transaction, segment, row, from)
  }
}
