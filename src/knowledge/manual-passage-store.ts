import type { Database, Transaction } from '../database/database.ts'
import { list, sql } from '../database/sql.ts'
import { insertRows, Store } from '../database/store.ts'
import { as, integer, optional, text } from '../database/table.ts'
import { AppError } from '../kernel/app-error.ts'
import { countTokens } from '../kernel/count-tokens.ts'
import { insertLiveBatch, insertVectors } from './chunk-store.ts'
import type { Segment } from './index/segment.ts'
import { blocksPerTransaction, insertBlocks, insertSegment } from './index/segment-store.ts'
import type { KnowledgeBase } from './knowledge-base.ts'
import { batches, chunks, generations, ingestionJobs, manualPassages } from './knowledge-tables.ts'

/** The passages of a document with everything that is derived from their text. */
export interface IndexedPassages {
  batchId: string
  /** How many chunks the document itself has, which come before the passages. */
  from: number
  passages: readonly ManualPassage[]
  /** Undefined without passages. */
  segment: Segment | undefined
  /** One vector per passage, or none at all. */
  vectors: readonly Float32Array[]
}

interface DocumentKey {
  workspaceId: string
  knowledgeId: string
  fileId: string
}

const columns = manualPassages.columns('id', 'content', 'enabled', 'revision', 'createdAt')
export type ManualPassage = (typeof columns)['row']
const generationId = as('generationId', text())
const nextId = as('nextId', optional(text()))
const chunkCount = as('chunkCount', optional(integer()))

const readPassages = (
  reader: Pick<Database, 'all'>,
  { workspaceId, knowledgeId, fileId }: DocumentKey,
): Promise<ManualPassage[]> =>
  reader.all(sql`
    SELECT ${columns} FROM manual_passages WHERE ${manualPassages.where({ workspaceId, knowledgeId, fileId })}
    ORDER BY created_at, id`)

const isSame = (one: readonly ManualPassage[], other: readonly ManualPassage[]): boolean =>
  one.length === other.length &&
  one.every(({ id, revision }, at) => id === other[at]!.id && revision === other[at]!.revision)

/** Fails if the passages were changed since they were read: the ingestion then starts again with the new ones. */
export async function checkPassages(
  transaction: Transaction,
  key: DocumentKey,
  read: readonly ManualPassage[],
): Promise<void> {
  if (!isSame(await readPassages(transaction, key), read))
    throw new AppError('unavailable', 'Passages that were added by hand changed meanwhile. Trying again.')
}

/** Adds the passages to a generation as a live batch, behind the chunks of the document itself. */
export async function insertPassages(
  transaction: Transaction,
  dialect: Database['dialect'],
  of: { workspaceId: string; generationId: string; fileId: string; now: number },
  { batchId, from, passages, segment, vectors }: IndexedPassages,
): Promise<void> {
  if (!segment) return
  const { workspaceId, generationId, fileId, now } = of
  const batch = { workspaceId, generationId, fileId, batchId }
  await insertLiveBatch(transaction, batch, passages.length, true)
  const rows = passages.map(({ id, content, enabled }, at) => ({
    ...{ workspaceId, batchId, id, position: from + at, content, heading: [], fromOffset: 0, toOffset: 0 },
    ...{ tokens: countTokens(content), enabled, edited: false },
    ...{ page: undefined, lastPage: undefined, sheet: undefined, boxes: undefined },
  }))
  await insertRows(transaction, chunks, rows)
  const row = {
    workspaceId,
    generationId,
    id: `${batchId}.0`,
    batchId,
    state: 'live',
    createdAt: now,
  } as const
  await insertSegment(transaction, segment, row)
  for (let at = blocksPerTransaction; at < segment.blocks.length; at += blocksPerTransaction)
    await insertBlocks(transaction, segment, row, at)
  await insertVectors(
    transaction,
    dialect,
    { workspaceId, generationId, writtenAt: now },
    vectors.map((vector, at) => ({ batchId, position: from + at, vector })),
  )
}

export class ManualPassageStore extends Store {
  list(key: DocumentKey): Promise<ManualPassage[]> {
    return readPassages(this.database, key)
  }

  /** How many chunks the document itself has; undefined while it has none. */
  async ownChunks(
    { workspaceId, fileId }: DocumentKey,
    generationId: string,
    reader: Pick<Database, 'get'> = this.database,
  ): Promise<number | undefined> {
    // A corrected chunk has a batch of its own, but the batch of the whole document still counts it.
    const live = batches.where({ workspaceId, generationId, fileId, state: 'live', manual: false })
    const row = await reader.get(sql`SELECT MAX(chunk_count) ${chunkCount} FROM batches WHERE ${live}`)
    return row?.chunkCount
  }

  /** Replaces all passages, so that positions have no gaps. False if something changed since they were read. */
  replace(
    workspaceId: string,
    base: KnowledgeBase,
    fileId: string,
    before: readonly ManualPassage[],
    after: IndexedPassages,
    now: number,
  ): Promise<boolean> {
    const { id: knowledgeId, generation } = base
    const key = { workspaceId, knowledgeId, fileId }
    const { forUpdate } = this.database
    return this.database.transaction(async transaction => {
      // The lock holds off a swap of generations, and tells whether there is a next one.
      const current = await transaction.get(sql`
        SELECT generation_id ${generationId}, next_generation_id ${nextId} FROM knowledge_bases
        WHERE workspace_id = ${workspaceId} AND id = ${knowledgeId} AND deleted_at IS NULL ${forUpdate}`)
      if (current?.generationId !== generation.id) return false
      // Every transaction that replaces or removes the batches of a document locks its job first. An ingestion into the
      // next generation that ends now is waited for: it did not see this change.
      const generationIds = [generation.id, current.nextId ?? []].flat()
      const jobs = await transaction.all(sql`
        SELECT generation_id ${generationId} FROM readings WHERE ${ingestionJobs.where({ workspaceId, fileId })}
          AND generation_id IN ${list(generationIds)} ORDER BY generation_id ${forUpdate}`)
      if (!jobs.some(job => job.generationId === generation.id)) return false
      if (!isSame(await readPassages(transaction, key), before)) return false
      if ((await this.ownChunks(key, generation.id, transaction)) !== after.from) return false
      await this.#store(transaction, key, before, after.passages)
      await transaction.run(sql`
        UPDATE batches SET state = 'gone'
        WHERE ${batches.where({ workspaceId, generationId: generation.id, fileId, manual: true })} AND state = 'live'`)
      await transaction.run(sql`
        UPDATE generations SET revision = revision + 1
        WHERE ${generations.where({ workspaceId, id: generation.id })}`)
      await insertPassages(
        transaction,
        this.database.dialect,
        { workspaceId, generationId: generation.id, fileId, now },
        after,
      )
      const counted = { chunkCount: after.from + after.passages.length, updatedAt: now }
      await transaction.run(
        ingestionJobs.update({ workspaceId, generationId: generation.id, fileId }, counted),
      )
      await this.#ingestAgain(transaction, workspaceId, current.nextId, fileId, now)
      return true
    })
  }

  async #store(
    transaction: Transaction,
    key: DocumentKey,
    before: readonly ManualPassage[],
    after: readonly ManualPassage[],
  ): Promise<void> {
    const kept = new Map(after.map(passage => [passage.id, passage]))
    const known = new Set(before.map(({ id }) => id))
    for (const { id, revision } of before) {
      const row = manualPassages.where({ ...key, id })
      const next = kept.get(id)
      if (!next) await transaction.run(manualPassages.delete(row))
      else if (next.revision !== revision) {
        const { content, enabled } = next
        await transaction.run(manualPassages.update(row, { content, enabled, revision: next.revision }))
      }
    }
    for (const passage of after)
      if (!known.has(passage.id)) await transaction.run(manualPassages.insert({ ...key, ...passage }))
  }

  /** The next generation ingests the document again; an ingestion in progress notices the change itself. */
  async #ingestAgain(
    transaction: Transaction,
    workspaceId: string,
    nextGenerationId: string | undefined,
    fileId: string,
    now: number,
  ): Promise<void> {
    if (nextGenerationId === undefined) return
    const done = { workspaceId, generationId: nextGenerationId, fileId, status: 'ready' } as const
    const queued = { status: 'queued', progress: 0, dueAt: now, updatedAt: now } as const
    await transaction.run(ingestionJobs.update(done, queued))
  }
}
