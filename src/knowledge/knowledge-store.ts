import { isDeepStrictEqual } from 'node:util'
import type { Page, PageRequest } from '../contract/paging.ts'
import { idPattern } from '../contract/patterns.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { inWorkspace, keywordFilter, searchText } from '../database/keyword.ts'
import { Order } from '../database/order.ts'
import { readPage } from '../database/page.ts'
import { list, type Query, type RawSql, raw, sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { as, integer } from '../database/table.ts'
import {
  dropIndexRun,
  goldenVerdict,
  type OpenCheck,
  openChecks,
  queueIndexRun,
  queueRetrievalRun,
} from './golden/golden-gate.ts'
import { enqueueBase } from './ingest/ingestion-queue.ts'
import type { Generation, KnowledgeBase, KnowledgeCounts, KnowledgeSettings } from './knowledge-base.ts'
import { generationCounts, generations, knowledgeBases } from './knowledge-tables.ts'

export type KnowledgeRecord = KnowledgeBase & { counts: KnowledgeCounts; check: OpenCheck | undefined }

const columns = knowledgeBases.columns(...knowledgeBases.keysExcept('workspaceId', 'search', 'deletedAt'))
type BaseRow = (typeof columns)['row']
const generationColumns = generations.columns('id', 'chunking', 'embeddingModel', 'dimension', 'revision')
const isId = new RegExp(idPattern)
const latestFirst = new Order('updated_at DESC', 'id')
const noDocuments = { documents: 0, failed: 0, open: 0, chunks: 0 }
const sum = (column: keyof typeof noDocuments) => raw(`CAST(SUM(${column}) AS BIGINT)`)

const swapColumns = knowledgeBases.columns(
  'workspaceId',
  'id',
  'generationId',
  'nextGenerationId',
  'goldenMaxLost',
)
type ReindexedBase = (typeof swapColumns)['row']

const gated = (base: ReindexedBase) => ({ ...base, nextGenerationId: base.nextGenerationId! })

const reindexed = (where: Query, lock: RawSql) => sql`
  SELECT ${swapColumns} FROM knowledge_bases
  WHERE ${where} AND next_generation_id IS NOT NULL AND deleted_at IS NULL ${lock}`

interface NextGeneration {
  nextGenerationId: string
  dimension?: number | undefined
}

export class KnowledgeStore extends Store {
  /** False when the name is taken. */
  create(
    workspaceId: string,
    base: KnowledgeSettings & { id: string; generationId: string; createdAt: number },
  ): Promise<boolean> {
    const search = searchText(base.name, base.description)
    const row = { workspaceId, ...base, search, updatedAt: base.createdAt }
    return this.database.transaction(async transaction => {
      const inserted = await transaction.run(sql`${knowledgeBases.insert(row)} ON CONFLICT DO NOTHING`)
      if (inserted === 0) return false
      await this.#addGeneration(transaction, workspaceId, base.id, base.generationId, base)
      return true
    })
  }

  async #addGeneration(
    transaction: Transaction,
    workspaceId: string,
    knowledgeId: string,
    id: string,
    {
      chunking,
      embeddingModel,
      dimension = null,
    }: Pick<KnowledgeSettings, 'chunking' | 'embeddingModel'> & { dimension?: number | undefined | null },
  ): Promise<void> {
    const row = { workspaceId, id, knowledgeId, chunking, embeddingModel, dimension }
    await transaction.run(generations.insert({ ...row, revision: 0, gone: false }))
  }

  /** Reads again what it did not find: the generation may have been swapped and swept between the two reads. */
  async find(workspaceId: string, id: string): Promise<KnowledgeBase | undefined> {
    const read = () => this.#find(this.database, workspaceId, id, raw(''))
    return (await read()) ?? read()
  }

  /** The ids that are not knowledge bases of the workspace. */
  async missing(workspaceId: string, ids: readonly string[]): Promise<string[]> {
    // PostgreSQL refuses a parameter with the character 0.
    const valid = ids.filter(id => isId.test(id))
    if (valid.length === 0) return [...ids]
    const rows = await this.database.all<{ id: string }>(sql`
      SELECT ${knowledgeBases.columns('id')} FROM knowledge_bases
      WHERE workspace_id = ${workspaceId} AND id IN ${list(valid)} AND deleted_at IS NULL`)
    const found = new Set(rows.map(({ id }) => id))
    return ids.filter(id => !found.has(id))
  }

  async #find(reader: Reader, workspaceId: string, id: string, lock: RawSql) {
    const row = await reader.get(sql`
      SELECT ${columns} FROM knowledge_bases
      WHERE workspace_id = ${workspaceId} AND id = ${id} AND deleted_at IS NULL ${lock}`)
    return row && (await this.#withGenerations(reader, workspaceId, [row]))[0]
  }

  async #withGenerations(reader: Reader, workspaceId: string, rows: BaseRow[]): Promise<KnowledgeBase[]> {
    const ids = rows.flatMap(row => [row.generationId, row.nextGenerationId ?? []].flat())
    if (ids.length === 0) return []
    const found = await reader.all(sql`
      SELECT ${generationColumns} FROM generations WHERE workspace_id = ${workspaceId} AND id IN ${list(ids)}`)
    const byId = new Map<string | undefined, Generation>(found.map(row => [row.id, row]))
    return rows.flatMap(({ generationId, nextGenerationId, ...base }) => {
      const generation = byId.get(generationId)
      // The generation was swapped and swept between the two reads. The next list shows the base.
      return generation ? { ...base, generation, next: byId.get(nextGenerationId) } : []
    })
  }

  async record(workspaceId: string, base: KnowledgeBase): Promise<KnowledgeRecord> {
    return (await this.#withCounts(workspaceId, [base]))[0]!
  }

  async #withCounts(workspaceId: string, bases: KnowledgeBase[]): Promise<KnowledgeRecord[]> {
    const ids = bases.flatMap(({ generation, next }) => [generation.id, next?.id ?? []].flat())
    if (ids.length === 0) return []
    const rows = await this.database.all(sql`
      SELECT ${generationCounts.columns('generationId')},
        ${sum('documents')} ${as('documents', integer())}, ${sum('failed')} ${as('failed', integer())},
        ${sum('open')} ${as('open', integer())}, ${sum('chunks')} ${as('chunks', integer())}
      FROM generation_counts WHERE workspace_id = ${workspaceId} AND generation_id IN ${list(ids)} GROUP BY generation_id`)
    const byId = new Map(rows.map(({ generationId, ...counts }) => [generationId, counts]))
    const baseIds = bases.map(({ id }) => id)
    const checks = await openChecks(this.database, workspaceId, baseIds)
    return bases.map(base => {
      const counts = byId.get(base.generation.id) ?? noDocuments
      const next = base.next && (byId.get(base.next.id) ?? noDocuments)
      const reindexing = next && {
        total: next.documents,
        done: next.documents - next.open - next.failed,
        failed: next.failed,
      }
      return { ...base, counts: { ...counts, reindexing }, check: checks.get(base.id) }
    })
  }

  async list(
    workspaceId: string,
    { keyword, ids }: { keyword: string; ids: string[] | undefined },
    page: PageRequest,
  ): Promise<Page<KnowledgeRecord>> {
    if (ids?.length === 0) return { total: 0, items: [] }
    const found = await readPage(this.database, {
      workspaceId,
      columns,
      source: knowledgeBases,
      where: sql`workspace_id = ${workspaceId} AND deleted_at IS NULL`,
      filter: ids && sql`id IN ${list(ids)}`,
      order: latestFirst,
      page,
      indexedFilter: keywordFilter(this.database, inWorkspace('knowledge_bases', workspaceId), keyword),
    })
    const bases = await this.#withGenerations(this.database, workspaceId, found.items)
    return { ...found, items: await this.#withCounts(workspaceId, bases) }
  }

  /**
   * Applies `change` to the current base. If the change needs a new index, this becomes the generation
   * `nextGenerationId`, in place of one that is being built. Another `dimension` of the vectors needs a new index, too.
   * Undefined if there is no such base; 'name_taken' if nothing was changed.
   */
  update(
    workspaceId: string,
    id: string,
    change: (base: KnowledgeBase) => Partial<KnowledgeSettings>,
    { now, ...next }: NextGeneration & { now: number },
  ): Promise<KnowledgeBase | 'name_taken' | undefined> {
    return this.database.transaction(async transaction => {
      const base = await this.#find(transaction, workspaceId, id, this.database.forUpdate)
      if (!base) return undefined
      const changes = change(base)
      const settings = { ...base, ...changes }
      const taken = await transaction.get(sql`
        SELECT 1 AS one FROM knowledge_bases
        WHERE workspace_id = ${workspaceId} AND name = ${settings.name} AND id <> ${id} AND deleted_at IS NULL`)
      if (taken) return 'name_taken'
      const search = searchText(settings.name, settings.description)
      await transaction.run(
        knowledgeBases.update({ workspaceId, id }, { ...changes, search, updatedAt: now }),
      )
      await this.#startReindex(transaction, workspaceId, base, settings, next, now)
      await queueRetrievalRun(transaction, workspaceId, base, settings.retrieval, now)
      return this.#find(transaction, workspaceId, id, raw(''))
    })
  }

  /** Starts the next generation if the settings need another index than the newest one. */
  async #startReindex(
    transaction: Transaction,
    workspaceId: string,
    base: KnowledgeBase,
    settings: KnowledgeSettings,
    { nextGenerationId, dimension }: NextGeneration,
    now: number,
  ): Promise<void> {
    const isBuiltFor = (built: Generation): boolean =>
      built.embeddingModel === settings.embeddingModel &&
      (dimension === undefined || built.dimension === null || built.dimension === dimension) &&
      isDeepStrictEqual(built.chunking, settings.chunking)
    if (isBuiltFor(base.next ?? base.generation)) return
    if (base.next) await this.#dropGeneration(transaction, workspaceId, base.next.id)
    const isLiveAgain = isBuiltFor(base.generation)
    const next = { nextGenerationId: isLiveAgain ? undefined : nextGenerationId }
    await transaction.run(knowledgeBases.update({ workspaceId, id: base.id }, next))
    if (isLiveAgain) return
    await this.#addGeneration(transaction, workspaceId, base.id, nextGenerationId, { ...settings, dimension })
    await enqueueBase(transaction, workspaceId, base.id, nextGenerationId, now)
  }

  /** Restores the settings of the live generation, and drops the next one, unless this is another one by now. */
  discardNext(workspaceId: string, id: string, nextGenerationId: string, now: number): Promise<void> {
    return this.database.transaction(async transaction => {
      const base = await this.#find(transaction, workspaceId, id, this.database.forUpdate)
      if (base?.next?.id !== nextGenerationId) return
      const { chunking, embeddingModel } = base.generation
      const restored = { chunking, embeddingModel, nextGenerationId: undefined, updatedAt: now }
      await transaction.run(knowledgeBases.update({ workspaceId, id }, restored))
      await this.#dropGeneration(transaction, workspaceId, nextGenerationId)
    })
  }

  /** The generation will not replace the live one. */
  async #dropGeneration(transaction: Transaction, workspaceId: string, id: string): Promise<void> {
    await transaction.run(generations.update({ workspaceId, id }, { gone: true }))
    await dropIndexRun(transaction, workspaceId, id)
  }

  /** False when there is no such base. Nothing of it can be found from then on; its rows are swept later. */
  remove(workspaceId: string, id: string, now: number): Promise<boolean> {
    return this.database.deletion(async transaction => {
      const removed = await transaction.run(sql`
        UPDATE knowledge_bases SET deleted_at = ${now}
        WHERE workspace_id = ${workspaceId} AND id = ${id} AND deleted_at IS NULL`)
      if (removed === 0) return false
      await transaction.run(generations.update({ workspaceId, knowledgeId: id }, { gone: true }))
      return true
    })
  }

  /** Replaces live generations by complete next ones, unless golden questions veto it; returns how many. */
  async swapCompleted(now: number): Promise<number> {
    let swapped = 0
    // Checked with a read first: a base may be incomplete for long, and polling must not write.
    for (const base of await this.database.all(reindexed(sql`1 = 1`, raw(''))))
      if (
        !(await this.#isIncomplete(this.database, base)) &&
        (await goldenVerdict(this.database, gated(base))) !== 'no' &&
        (await this.#swap(base, now))
      )
        swapped++
    return swapped
  }

  /** A swap must not lose a document: it waits for open jobs, and for failed ones of documents that can be found today. */
  async #isIncomplete(reader: Reader, { workspaceId, generationId, nextGenerationId }: ReindexedBase) {
    const next = sql`n.workspace_id = ${workspaceId} AND n.generation_id = ${nextGenerationId!}`
    // CROSS JOIN makes SQLite begin with the few failed jobs. Otherwise it would read all batches in every call.
    const missing = await reader.get(sql`
      SELECT 1 AS one FROM readings n WHERE ${next} AND n.status IN ('queued', 'parsing', 'chunking', 'embedding')
      UNION ALL
      SELECT 1 AS one FROM readings n CROSS JOIN batches b
      WHERE ${next} AND n.status = 'failed' AND b.workspace_id = n.workspace_id
        AND b.generation_id = ${generationId} AND b.file_id = n.file_id AND b.state = 'live' LIMIT 1`)
    return missing !== undefined
  }

  #swap({ workspaceId, id }: ReindexedBase, now: number): Promise<boolean> {
    const key = knowledgeBases.where({ workspaceId, id })
    return this.database.transaction(async transaction => {
      const base = await transaction.get(reindexed(key, this.database.forUpdate))
      if (!base || (await this.#isIncomplete(transaction, base))) return false
      const verdict = await goldenVerdict(transaction, gated(base))
      if (verdict === 'unknown') await queueIndexRun(transaction, gated(base), now)
      if (verdict !== 'yes') return false
      await transaction.run(sql`
        UPDATE knowledge_bases SET generation_id = next_generation_id, next_generation_id = NULL, updated_at = ${now}
        WHERE ${key}`)
      await transaction.run(generations.update({ workspaceId, id: base.generationId }, { gone: true }))
      return true
    })
  }
}
