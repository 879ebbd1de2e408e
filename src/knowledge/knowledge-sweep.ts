import type { Transaction } from '../database/database.ts'
import { type Query, type RawSql, raw, sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { goldenQuestions, goldenRuns } from './golden/golden-tables.ts'
import {
  batches,
  chunks,
  documents,
  documentValues,
  generations,
  ingestionJobs,
  knowledgeBases,
  manualPassages,
  segmentBlocks,
  segments,
  vectors,
} from './knowledge-tables.ts'

/** Rows per transaction, so that other writes do not wait long. */
const maxRows = 500
const maxBlocks = 100
/** Small documents leave many small segments, which are deleted together. */
const maxSegments = 50
/** A merge that takes longer was abandoned. */
const abandonedMilliseconds = 600_000

const key = segments.columns('workspaceId', 'id')

const doomed = (from: RawSql, where: Query, limit = 1) => {
  const some = raw(String(limit))
  return (lock: RawSql) => sql`SELECT ${key} FROM ${from} WHERE ${where} LIMIT ${some} ${lock}`
}
// `state <> 'live'` is the condition of the partial index that these two use.
const goneSegments = doomed(segments, sql`state = 'gone' AND state <> 'live'`, maxSegments)
const abandonedSegment = (now: number) =>
  doomed(
    segments,
    sql`state = 'staged' AND state <> 'live' AND batch_id IS NULL AND created_at < ${now - abandonedMilliseconds}`,
  )
const goneBatch = doomed(batches, sql`state = 'gone'`)
const goneGeneration = doomed(generations, sql`gone = 1`)
/** The web pages of a base are deleted first, with their files. */
const deletedBase = doomed(
  knowledgeBases,
  sql`deleted_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM web_pages p
    WHERE p.workspace_id = knowledge_bases.workspace_id AND p.knowledge_id = knowledge_bases.id)`,
)

/** Deletes rows that are no longer visible, from the leaves to the root, so that a crash leaves no orphans. */
export class KnowledgeSweep extends Store {
  /** Deletes a bounded number of rows; true when there may be more. */
  async sweep(now: number): Promise<boolean> {
    // Checked with reads first: an idle server does not write.
    if (!(await this.#hasWork(now))) return false
    return this.database.deletion(
      async transaction =>
        (await this.#sweepSegment(transaction, now)) ||
        (await this.#sweepBatch(transaction)) ||
        (await this.#sweepGeneration(transaction)) ||
        (await this.#sweepBase(transaction)),
    )
  }

  async #hasWork(now: number): Promise<boolean> {
    for (const query of [goneSegments, goneBatch, goneGeneration, deletedBase, abandonedSegment(now)])
      if (await this.database.get(query(raw('')))) return true
    return false
  }

  async #sweepSegment(transaction: Transaction, now: number): Promise<boolean> {
    const { forClaim } = this.database
    const abandoned = await transaction.get(abandonedSegment(now)(forClaim))
    // Marked in a transaction of its own, so that a merge that is still running notices it.
    if (abandoned)
      return (
        (await transaction.run(sql`
          UPDATE segments SET state = 'gone' WHERE ${segments.where(abandoned)} AND state = 'staged'`)) > 0
      )
    const gone = await transaction.all(goneSegments(forClaim))
    let blocks = 0
    for (const segment of gone) {
      const ofSegment = segmentBlocks.where({ workspaceId: segment.workspaceId, segmentId: segment.id })
      const room = maxBlocks - blocks
      const deleted = await this.deleteSome(transaction, segmentBlocks, ofSegment, room)
      // The segment may have more blocks.
      if (deleted === room) break
      await transaction.run(segments.delete(segment))
      blocks += deleted
    }
    return gone.length > 0
  }

  async #sweepBatch(transaction: Transaction): Promise<boolean> {
    const batch = await transaction.get(goneBatch(this.database.forClaim))
    if (!batch) return false
    const ofBatch = chunks.where({ workspaceId: batch.workspaceId, batchId: batch.id })
    for (const table of [chunks, vectors])
      if ((await this.deleteSome(transaction, table, ofBatch, maxRows)) > 0) return true
    await transaction.run(sql`UPDATE segments SET state = 'gone' WHERE ${ofBatch}`)
    await transaction.run(batches.delete(batch))
    return true
  }

  async #sweepGeneration(transaction: Transaction): Promise<boolean> {
    const { rowName, forClaim } = this.database
    const generation = await transaction.get(goneGeneration(forClaim))
    if (!generation) return false
    const inside = batches.where({ workspaceId: generation.workspaceId, generationId: generation.id })
    if ((await this.deleteSome(transaction, ingestionJobs, inside, maxRows)) > 0) return true
    for (const table of [batches, segments]) {
      const marked = await transaction.run(sql`
        UPDATE ${table} SET state = 'gone' WHERE ${rowName} IN (
          SELECT ${rowName} FROM ${table} WHERE ${inside} AND state <> 'gone' LIMIT ${raw(String(maxRows))})`)
      if (marked > 0) return true
    }
    // A job whose lease was being renewed was skipped, and is deleted next time.
    await transaction.run(sql`
      DELETE FROM generations WHERE ${generations.where(generation)}
        AND NOT EXISTS (SELECT 1 FROM readings WHERE ${inside})`)
    return true
  }

  async #sweepBase(transaction: Transaction): Promise<boolean> {
    const base = await transaction.get(deletedBase(this.database.forClaim))
    if (!base) return false
    const inside = documents.where({ workspaceId: base.workspaceId, knowledgeId: base.id })
    for (const table of [documentValues, manualPassages, documents, goldenQuestions, goldenRuns])
      if ((await this.deleteSome(transaction, table, inside, maxRows)) > 0) return true
    await transaction.run(knowledgeBases.delete(base))
    return true
  }
}
