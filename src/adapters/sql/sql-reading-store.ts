import type { Database, Reader, Transaction } from '../../database/database.ts'
import type { SqlValue } from '../../database/sql.ts'
import type { Chunking } from '../../knowledge/chunking.ts'
import type { DocumentError, DocumentStatus } from '../../knowledge/document.ts'
import { documentFailures } from '../../knowledge/ingest/document-failure.ts'
import type { Claim, Reading, ReadingStore, StagedPart } from '../../knowledge/ingest/reading-store.ts'
import { insertChunks, insertVector } from './chunk-rows.ts'
import { insertSegment } from './segment-rows.ts'

interface Row {
  workspace_id: string
  generation_id: string
  file_id: string
  knowledge_id: string
  status: DocumentStatus
  retries: number
  interruptions: number
  batch_id: string | null
}

interface Reindexed {
  workspace_id: string
  id: string
  generation_id: string
  next_generation_id: string
}

interface Subject {
  name: string
  mime_type: string
  size: number
  chunking: string
  own_chunking: string | null
  embedding_model: string | null
  dimension: number | null
}

/** So often in a row may the process die over a document. */
const mostInterruptions = 3
/** Rows that turn out to be void are passed over, so many in one go. */
const claimTries = 50
const rowsPerInsert = 64

const isMine = 'workspace_id = ? AND generation_id = ? AND file_id = ? AND lease = ?'
const mine = (reading: Reading): SqlValue[] => [
  reading.workspaceId,
  reading.generationId,
  reading.fileId,
  reading.lease,
]

const interrupted: DocumentError = {
  code: 'interrupted',
  message:
    'The server stopped three times while it read this document. Try again; if it happens again, the document may be too large for the memory of the server.',
  retryable: documentFailures.interrupted.retryable,
}

export class SqlReadingStore implements ReadingStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  claim(options: Claim): Promise<Reading | undefined> {
    return this.#database.transaction(async transaction => {
      for (let tries = 0; tries < claimTries; tries++) {
        const row = await transaction.get<Row>(
          `SELECT workspace_id, generation_id, file_id, knowledge_id, status, retries, interruptions, batch_id
           FROM readings r WHERE due_at <= ? AND NOT EXISTS (SELECT 1 FROM documents d
             WHERE d.workspace_id = r.workspace_id AND d.knowledge_id = r.knowledge_id AND d.file_id = r.file_id AND d.size > ?)
           ORDER BY priority, due_at LIMIT 1 ${this.#database.forClaim}`,
          options.now,
          options.mostBytes ?? Number.MAX_SAFE_INTEGER,
        )
        if (!row) return undefined
        const reading = await this.#take(transaction, row, options)
        if (reading) return reading
      }
      return undefined
    })
  }

  /** Undefined where there is nothing to read: the base or the document is gone, or it was interrupted too often. */
  async #take(
    transaction: Transaction,
    row: Row,
    { lease, batchId, now, until }: Claim,
  ): Promise<Reading | undefined> {
    const key = [row.workspace_id, row.generation_id, row.file_id]
    const subject = await transaction.get<Subject>(
      `SELECT d.name, d.mime_type, d.size, d.chunking AS own_chunking, g.chunking, g.embedding_model, g.dimension FROM generations g
       JOIN documents d ON d.workspace_id = g.workspace_id AND d.knowledge_id = g.knowledge_id AND d.file_id = ?
       WHERE g.workspace_id = ? AND g.id = ? AND g.gone = 0`,
      row.file_id,
      row.workspace_id,
      row.generation_id,
    )
    await this.#drop(transaction, row.workspace_id, row.batch_id)
    if (!subject) {
      await transaction.run(
        'DELETE FROM readings WHERE workspace_id = ? AND generation_id = ? AND file_id = ?',
        ...key,
      )
      return undefined
    }
    const interruptions = row.interruptions + (row.status === 'queued' ? 0 : 1)
    if (interruptions >= mostInterruptions) {
      await transaction.run(
        `UPDATE readings SET status = 'failed', error = ?, interruptions = ?, lease = NULL, batch_id = NULL, due_at = NULL, updated_at = ?
         WHERE workspace_id = ? AND generation_id = ? AND file_id = ?`,
        JSON.stringify(interrupted),
        interruptions,
        now,
        ...key,
      )
      return undefined
    }
    await transaction.run(
      `UPDATE readings SET status = 'parsing', progress = 0, attempts = attempts + 1, interruptions = ?, error = NULL,
         lease = ?, batch_id = ?, due_at = ?, updated_at = ?
       WHERE workspace_id = ? AND generation_id = ? AND file_id = ?`,
      interruptions,
      lease,
      batchId,
      until,
      now,
      ...key,
    )
    await transaction.run(
      `INSERT INTO batches (workspace_id, id, generation_id, file_id, state, chunk_count, revision)
       VALUES (?, ?, ?, ?, 'staged', 0, 0)`,
      row.workspace_id,
      batchId,
      row.generation_id,
      row.file_id,
    )
    return {
      workspaceId: row.workspace_id,
      knowledgeId: row.knowledge_id,
      generationId: row.generation_id,
      fileId: row.file_id,
      name: subject.name,
      mimeType: subject.mime_type,
      size: subject.size,
      chunking: JSON.parse(subject.own_chunking ?? subject.chunking) as Chunking,
      embeddingModel: subject.embedding_model,
      dimension: subject.dimension,
      lease,
      batchId,
      retries: row.retries,
    }
  }

  async #drop(transaction: Transaction, workspaceId: string, batchId: string | null): Promise<void> {
    if (batchId === null) return
    await transaction.run(
      `UPDATE batches SET state = 'gone' WHERE workspace_id = ? AND id = ? AND state = 'staged'`,
      workspaceId,
      batchId,
    )
  }

  renew(
    reading: Reading,
    status: DocumentStatus,
    progress: number,
    now: number,
    until: number,
  ): Promise<boolean> {
    return this.#database.transaction(
      async transaction =>
        (await transaction.run(
          `UPDATE readings SET status = ?, progress = ?, due_at = ?, updated_at = ? WHERE ${isMine}`,
          status,
          progress,
          until,
          now,
          ...mine(reading),
        )) === 1,
    )
  }

  stage(reading: Reading, part: StagedPart, now: number): Promise<boolean> {
    return this.#database.transaction(async transaction => {
      const held = await transaction.get(
        `SELECT 1 AS one FROM readings WHERE ${isMine} ${this.#database.forUpdate}`,
        ...mine(reading),
      )
      if (!held) return false
      await this.#insert(transaction, reading, part, now)
      return true
    })
  }

  async #insert(transaction: Transaction, reading: Reading, part: StagedPart, now: number): Promise<void> {
    for (let start = 0; start < part.chunks.length; start += rowsPerInsert)
      await insertChunks(transaction, reading, part.chunks.slice(start, start + rowsPerInsert))
    if (part.segment)
      await insertSegment(transaction, {
        workspaceId: reading.workspaceId,
        generationId: reading.generationId,
        id: `${reading.batchId}.${part.segmentOrdinal}`,
        batchId: reading.batchId,
        state: 'staged',
        segment: part.segment,
        now,
      })
    for (const [index, vector] of part.vectors.entries())
      await insertVector(transaction, this.#database.dialect, {
        workspaceId: reading.workspaceId,
        generationId: reading.generationId,
        batchId: reading.batchId,
        position: part.chunks[index]!.position,
        vector,
      })
  }

  finish(reading: Reading, last: StagedPart, chunkCount: number, now: number): Promise<boolean> {
    const { workspaceId, generationId, fileId, batchId } = reading
    return this.#database.transaction(async transaction => {
      const settled = await transaction.run(
        `UPDATE readings SET status = 'ready', progress = 1, chunk_count = ?, retries = 0, interruptions = 0, error = NULL,
           lease = NULL, batch_id = NULL, due_at = NULL, indexed_at = ?, updated_at = ? WHERE ${isMine}`,
        chunkCount,
        now,
        now,
        ...mine(reading),
      )
      if (settled === 0) return false
      await this.#insert(transaction, reading, last, now)
      await transaction.run(
        `UPDATE batches SET state = 'gone' WHERE workspace_id = ? AND generation_id = ? AND file_id = ? AND state = 'live'`,
        workspaceId,
        generationId,
        fileId,
      )
      await transaction.run(
        'UPDATE generations SET revision = revision + 1 WHERE workspace_id = ? AND id = ?',
        workspaceId,
        generationId,
      )
      await transaction.run(
        `UPDATE batches SET state = 'live', chunk_count = ?,
           revision = (SELECT revision FROM generations WHERE workspace_id = ? AND id = ?)
         WHERE workspace_id = ? AND id = ?`,
        chunkCount,
        workspaceId,
        generationId,
        workspaceId,
        batchId,
      )
      await transaction.run(
        `UPDATE segments SET state = 'live' WHERE workspace_id = ? AND batch_id = ?`,
        workspaceId,
        batchId,
      )
      return true
    })
  }

  fail(reading: Reading, error: DocumentError, now: number): Promise<boolean> {
    return this.#leave(reading, `status = 'failed', due_at = NULL, error = ?, updated_at = ?`, [
      JSON.stringify(error),
      now,
    ])
  }

  release(
    reading: Reading,
    options: { dueAt: number; retries: number; error: DocumentError | undefined; now: number },
  ): Promise<boolean> {
    return this.#leave(
      reading,
      `status = 'queued', progress = 0, interruptions = 0, due_at = ?, retries = ?, error = ?, updated_at = ?`,
      [options.dueAt, options.retries, options.error ? JSON.stringify(options.error) : null, options.now],
    )
  }

  #leave(reading: Reading, change: string, parameters: SqlValue[]): Promise<boolean> {
    return this.#database.transaction(async transaction => {
      const changed = await transaction.run(
        `UPDATE readings SET ${change}, lease = NULL, batch_id = NULL WHERE ${isMine}`,
        ...parameters,
        ...mine(reading),
      )
      if (changed === 0) return false
      await this.#drop(transaction, reading.workspaceId, reading.batchId)
      return true
    })
  }

  async nextDue(): Promise<number | undefined> {
    const row = await this.#database.get<{ due_at: number | null }>(
      `SELECT MIN(due_at) AS due_at FROM (
         SELECT MIN(due_at) AS due_at FROM readings WHERE priority = 0 AND due_at IS NOT NULL
         UNION ALL SELECT MIN(due_at) FROM readings WHERE priority = 1 AND due_at IS NOT NULL) AS either`,
    )
    return row?.due_at ?? undefined
  }

  async leases(): Promise<string[]> {
    const rows = await this.#database.all<{ lease: string }>(
      'SELECT lease FROM readings WHERE due_at IS NOT NULL AND lease IS NOT NULL',
    )
    return rows.map(row => row.lease)
  }

  async expire(leases: string[], now: number): Promise<void> {
    await this.#database.transaction(async transaction => {
      for (const lease of leases)
        await transaction.run(
          'UPDATE readings SET due_at = ? WHERE due_at IS NOT NULL AND lease = ?',
          now,
          lease,
        )
    })
  }

  async swapWhole(now: number): Promise<number> {
    const bases = await this.#database.all<Reindexed>(
      `SELECT workspace_id, id, generation_id, next_generation_id FROM knowledge_bases
       WHERE next_generation_id IS NOT NULL AND deleted_at IS NULL`,
    )
    let swapped = 0
    for (const base of bases) {
      // Looked at first: a base may be held back for long, and looking must not write each time.
      const isWhole = !(await this.#isHeldBack(this.#database, base))
      if (isWhole && (await this.#swapIfWhole(base.workspace_id, base.id, now))) swapped++
    }
    return swapped
  }

  /**
   * A document that can be found today must not be lost by the swap: while one of those failed in the next
   * generation, or any is still open, the live one stays.
   */
  async #isHeldBack(reader: Reader, base: Reindexed): Promise<boolean> {
    const missing = await reader.get(
      `SELECT 1 AS one FROM readings n WHERE n.workspace_id = ? AND n.generation_id = ?
         AND n.status IN ('queued', 'parsing', 'chunking', 'embedding')
       UNION ALL
       SELECT 1 AS one FROM readings n
       JOIN batches b ON b.workspace_id = n.workspace_id AND b.generation_id = ? AND b.file_id = n.file_id AND b.state = 'live'
       WHERE n.workspace_id = ? AND n.generation_id = ? AND n.status = 'failed' LIMIT 1`,
      base.workspace_id,
      base.next_generation_id,
      base.generation_id,
      base.workspace_id,
      base.next_generation_id,
    )
    return missing !== undefined
  }

  #swapIfWhole(workspaceId: string, knowledgeId: string, now: number): Promise<boolean> {
    return this.#database.transaction(async transaction => {
      const base = await transaction.get<Reindexed>(
        `SELECT workspace_id, id, generation_id, next_generation_id FROM knowledge_bases
         WHERE workspace_id = ? AND id = ? AND next_generation_id IS NOT NULL AND deleted_at IS NULL ${this.#database.forUpdate}`,
        workspaceId,
        knowledgeId,
      )
      if (!base || (await this.#isHeldBack(transaction, base))) return false
      await transaction.run(
        `UPDATE knowledge_bases SET generation_id = next_generation_id, next_generation_id = NULL, updated_at = ?
         WHERE workspace_id = ? AND id = ?`,
        now,
        workspaceId,
        knowledgeId,
      )
      await transaction.run(
        'UPDATE generations SET gone = 1 WHERE workspace_id = ? AND id = ?',
        workspaceId,
        base.generation_id,
      )
      return true
    })
  }

  agreeOnDimension(workspaceId: string, generationId: string, dimension: number): Promise<boolean> {
    return this.#database.transaction(async transaction => {
      await transaction.run(
        'UPDATE generations SET dimension = ? WHERE workspace_id = ? AND id = ? AND dimension IS NULL',
        dimension,
        workspaceId,
        generationId,
      )
      const row = await transaction.get<{ dimension: number | null }>(
        'SELECT dimension FROM generations WHERE workspace_id = ? AND id = ?',
        workspaceId,
        generationId,
      )
      return row?.dimension === dimension
    })
  }
}
