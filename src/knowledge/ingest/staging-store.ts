import type { Transaction } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import { insertRows, Store } from '../../database/store.ts'
import { insertVectors } from '../chunk-store.ts'
import type { Segment } from '../index/segment.ts'
import { blocksPerTransaction, insertBlocks, insertSegment } from '../index/segment-store.ts'
import { batches, chunks, generations, ingestionJobs, segments } from '../knowledge-tables.ts'
import { checkPassages, type IndexedPassages, insertPassages } from '../manual-passage-store.ts'
import type { Chunk } from './chunking/chunk.ts'
import type { DocumentWarning } from './document-warning.ts'
import { heldBy, type IngestionJob } from './ingestion-queue.ts'

export interface StagedChunk extends Chunk {
  id: string
}

export interface StagedPart {
  chunks: StagedChunk[]
  segment: Segment | undefined
  /** Numbers the segments of the document. */
  segmentOrdinal: number
  /** One vector per chunk, or none at all. */
  vectors: Float32Array[]
}

const segmentId = ({ batchId }: IngestionJob, { segmentOrdinal }: StagedPart): string =>
  `${batchId}.${segmentOrdinal}`

export const chunkRow = (
  { workspaceId, batchId }: IngestionJob,
  { position, id, content, heading, page, lastPage, sheet, boxes, from, to, tokens }: StagedChunk,
) => ({
  ...{ workspaceId, batchId, position, id, content, heading, page, lastPage, sheet, boxes },
  ...{ fromOffset: from, toOffset: to, tokens, enabled: true, edited: false },
})

const dimensionColumn = generations.columns('dimension')

/** Writes the parts of a document invisibly, and publishes them together. False means that the lease is lost. */
export class StagingStore extends Store {
  /** A document with a huge vocabulary takes several transactions, so that other writes come in between. */
  async stage(job: IngestionJob, part: StagedPart, now: number): Promise<boolean> {
    if (!(await this.#whileHeld(job, transaction => this.#insert(transaction, job, part, now)))) return false
    const { segment } = part
    if (!segment) return true
    const row = { workspaceId: job.workspaceId, id: segmentId(job, part) }
    for (let from = blocksPerTransaction; from < segment.blocks.length; from += blocksPerTransaction)
      if (!(await this.#whileHeld(job, transaction => insertBlocks(transaction, segment, row, from))))
        return false
    return true
  }

  #whileHeld(job: IngestionJob, work: (transaction: Transaction) => Promise<void>): Promise<boolean> {
    return this.database.transaction(async transaction => {
      const held = await transaction.get(
        sql`SELECT 1 AS one FROM readings WHERE ${heldBy(job)} ${this.database.forUpdate}`,
      )
      if (held) await work(transaction)
      return held !== undefined
    })
  }

  async #insert(transaction: Transaction, job: IngestionJob, part: StagedPart, now: number): Promise<void> {
    const { workspaceId, generationId, batchId } = job
    await insertRows(
      transaction,
      chunks,
      part.chunks.map(chunk => chunkRow(job, chunk)),
    )
    if (part.segment)
      await insertSegment(transaction, part.segment, {
        ...{ workspaceId, generationId, id: segmentId(job, part), batchId },
        ...{ state: 'staged', createdAt: now },
      })
    await insertVectors(
      transaction,
      this.database.dialect,
      { workspaceId, generationId, writtenAt: now },
      part.vectors.map((vector, index) => ({ batchId, position: part.chunks[index]!.position, vector })),
    )
  }

  /** Adds the last part and the passages that users added, replaces the previous batch, and ends the job. */
  async finish(
    job: IngestionJob,
    last: StagedPart,
    ownCount: number,
    now: number,
    { manual, warnings = [] }: { manual?: IndexedPassages; warnings?: DocumentWarning[] } = {},
  ): Promise<boolean> {
    const { workspaceId, generationId, fileId, batchId } = job
    const chunkCount = ownCount + (manual?.passages.length ?? 0)
    const ready = ingestionJobs.set({
      ...{ status: 'ready', progress: 1, chunkCount, retries: 0, interruptions: 0, error: undefined },
      warnings: warnings.length > 0 ? warnings : undefined,
      ...{ lease: undefined, batchId: undefined, dueAt: undefined, indexedAt: now, updatedAt: now },
    })
    const generation = generations.where({ workspaceId, id: generationId })
    const isLarge = (last.segment?.blocks.length ?? 0) > blocksPerTransaction
    if (isLarge && !(await this.stage(job, last, now))) return false
    return this.database.transaction(async transaction => {
      if ((await transaction.run(sql`UPDATE readings SET ${ready} WHERE ${heldBy(job)}`)) === 0) return false
      if (!isLarge) await this.#insert(transaction, job, last, now)
      await transaction.run(sql`
        UPDATE batches SET state = 'gone'
        WHERE ${batches.where({ workspaceId, generationId, fileId })} AND state = 'live'`)
      await transaction.run(sql`UPDATE generations SET revision = revision + 1 WHERE ${generation}`)
      await transaction.run(sql`
        UPDATE batches SET ${batches.set({ state: 'live', chunkCount: ownCount })},
          revision = (SELECT revision FROM generations WHERE ${generation})
        WHERE ${batches.where({ workspaceId, id: batchId })}`)
      await transaction.run(
        sql`UPDATE segments SET state = 'live' WHERE ${segments.where({ workspaceId, batchId })}`,
      )
      await checkPassages(transaction, job, manual?.passages ?? [])
      const of = { workspaceId, generationId, fileId, now }
      if (manual) await insertPassages(transaction, this.database.dialect, of, manual)
      return true
    })
  }

  /** All vectors of a generation have the dimension of the first one; false if this is another dimension. */
  agreeOnDimension(workspaceId: string, generationId: string, dimension: number): Promise<boolean> {
    const generation = generations.where({ workspaceId, id: generationId })
    return this.database.transaction(async transaction => {
      await transaction.run(
        sql`UPDATE generations SET dimension = ${dimension} WHERE ${generation} AND dimension IS NULL`,
      )
      const row = await transaction.get(generations.select(dimensionColumn, generation))
      return row?.dimension === dimension
    })
  }
}
