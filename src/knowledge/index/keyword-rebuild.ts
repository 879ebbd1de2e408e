import type { Database } from '../../database/database.ts'
import { list, type Query, raw, sql } from '../../database/sql.ts'
import { Store } from '../../database/store.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import { groupsOf } from '../../kernel/groups-of.ts'
import { mintId } from '../../kernel/ids.ts'
import { batches, chunks, documents, generations, type RowState, segments } from '../knowledge-tables.ts'
import { isMenu } from '../text/menu-mark.ts'
import { chunkTerms } from '../text/text-terms.ts'
import { SegmentBuilder } from './segment-builder.ts'
import { blocksPerTransaction, insertBlocks, insertSegment } from './segment-store.ts'

/** Chunks of one segment: as many as ingestion puts into one. */
const maxChunks = 2000
const chunksPerQuery = 500
const idsPerQuery = 500

const liveBatch = batches.columnsOf('b', 'id', 'fileId')
const documentName = documents.columnsOf('d', 'name')
const revisionColumn = generations.columns('revision')
const chunkText = chunks.columns('position', 'content', 'heading')

interface SourceBatch {
  id: string
  name: string
}

/** Builds the keyword index of a generation again from its chunks, and replaces the old one in one transaction. */
export class KeywordRebuild extends Store {
  readonly #clock: Clock

  constructor(database: Database, clock: Clock) {
    super(database)
    this.#clock = clock
  }

  async rebuild(workspaceId: string, generationId: string, signal: AbortSignal): Promise<void> {
    const inside = sql`workspace_id = ${workspaceId} AND generation_id = ${generationId}`
    // An interrupted rebuild left these: an ingestion stages segments only of batches that are not live yet.
    await this.run(sql`
      UPDATE segments SET state = 'gone' WHERE ${inside} AND state = 'staged'
        AND batch_id IN (SELECT id FROM batches WHERE ${inside} AND state = 'live')`)
    // Both at one moment: a batch that becomes live later has a higher revision, and brings its segments with it.
    const { revision, before } = await this.database.snapshot(async snapshot => ({
      ...(await snapshot.get(
        sql`SELECT ${revisionColumn} FROM generations WHERE ${generations.where({ workspaceId, id: generationId })}`,
      )),
      before: await snapshot.all(
        sql`SELECT ${segments.columns('id')} FROM segments WHERE ${inside} AND state = 'live'`,
      ),
    }))
    if (revision === undefined) return
    const made: string[] = []
    for (let after = ''; ; ) {
      const found = await this.#batchesAfter(workspaceId, { generationId, revision, after })
      if (found.length === 0) break
      for (const batch of found) {
        signal.throwIfAborted()
        made.push(...(await this.#stage(workspaceId, generationId, batch)))
      }
      after = found.at(-1)!.id
    }
    await this.#publish(
      inside,
      before.map(({ id }) => id),
      made,
    )
  }

  #batchesAfter(
    workspaceId: string,
    { generationId, revision, after }: { generationId: string; revision: number; after: string },
  ): Promise<SourceBatch[]> {
    return this.database.all(sql`
      SELECT ${liveBatch}, ${documentName} FROM batches b
      JOIN generations g ON g.workspace_id = b.workspace_id AND g.id = b.generation_id
      JOIN documents d ON d.workspace_id = b.workspace_id AND d.knowledge_id = g.knowledge_id AND d.file_id = b.file_id
      WHERE b.workspace_id = ${workspaceId} AND b.generation_id = ${generationId} AND b.state = 'live'
        AND b.revision <= ${revision} AND b.id > ${after}
      ORDER BY b.id LIMIT 100`)
  }

  /** Writes the segments of a batch invisibly, and returns their ids. The chunks of a segment have consecutive positions. */
  async #stage(workspaceId: string, generationId: string, batch: SourceBatch): Promise<string[]> {
    const ids: string[] = []
    let builder = new SegmentBuilder()
    let from = 0
    const finish = async (): Promise<void> => {
      if (builder.chunkCount === 0) return
      const segment = builder.finish({ batchId: batch.id, from })
      const row = { workspaceId, id: mintId('seg') }
      const created = {
        generationId,
        batchId: batch.id,
        state: 'staged',
        createdAt: this.#clock.now(),
      } as const
      await this.database.transaction(transaction =>
        insertSegment(transaction, segment, { ...row, ...created }),
      )
      for (let at = blocksPerTransaction; at < segment.blocks.length; at += blocksPerTransaction)
        await this.database.transaction(transaction => insertBlocks(transaction, segment, row, at))
      ids.push(row.id)
      builder = new SegmentBuilder()
    }
    for (let next = 0; ; ) {
      const rows = await this.database.all(sql`
        SELECT ${chunkText} FROM chunks WHERE ${chunks.where({ workspaceId, batchId: batch.id })} AND position >= ${next}
        ORDER BY position LIMIT ${raw(String(chunksPerQuery))}`)
      for (const chunk of rows) {
        if (chunk.position !== from + builder.chunkCount || builder.chunkCount >= maxChunks) await finish()
        if (builder.chunkCount === 0) from = chunk.position
        builder.add(chunkTerms(chunk, batch.name), isMenu(chunk.heading))
      }
      if (rows.length < chunksPerQuery) break
      next = rows.at(-1)!.position + 1
    }
    await finish()
    return ids
  }

  /**
   * A merge that replaced one of the old segments meanwhile makes the result invalid, and so does another rebuild, which
   * takes the new ones for leftovers, or the sweep of a document that was removed.
   */
  #publish(inside: Query, old: string[], made: string[]): Promise<void> {
    return this.database.transaction(async transaction => {
      const move = async (ids: string[], from: RowState, state: RowState): Promise<number> => {
        let moved = 0
        for (const some of groupsOf(ids, idsPerQuery))
          moved += await transaction.run(sql`
            UPDATE segments SET ${segments.set({ state })}
            WHERE ${inside} AND state = ${from} AND id IN ${list(some)}`)
        return moved
      }
      if (
        (await move(old, 'live', 'gone')) < old.length ||
        (await move(made, 'staged', 'live')) < made.length
      )
        throw new AppError(
          'unavailable',
          'The knowledge base was changed or repaired by another process meanwhile; run the repair again',
        )
    })
  }
}
