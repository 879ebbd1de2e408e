import { createHash } from 'node:crypto'
import type { Reader } from '../../database/database.ts'
import { type Query, raw, sql } from '../../database/sql.ts'
import { as, integer, real, text } from '../../database/table.ts'
import { vectorParameter } from '../../database/vector.ts'
import type { Generation } from '../../knowledge/knowledge-base.ts'
import { generations } from '../../knowledge/knowledge-tables.ts'
import type { VectorHit, VectorIndex } from '../../knowledge/search/vector-index.ts'
import type { PostgresDatabase } from './postgres-database.ts'

interface VectorQuery {
  workspaceId: string
  generationId: string
  vector: Float32Array
  limit: number
  batchIds: Set<string> | undefined
}

/** A filter that leaves at most this many vectors is answered exactly. */
const filterRows = 20_000
/** With fewer vectors a scan is as fast as a graph, and exact. */
const defaultMinVectors = 10_000
/** Width of a graph search: the maximum of pgvector, which data without clusters needs. */
const expansion = 1000
/** Vectors that a search visits when filters and deleted batches exclude many. */
const maxScanned = 60_000
/** Maximum for which pgvector can index 16-bit floats. */
const maxIndexedDimensions = 4000
/** Advisory lock: one replica maintains the indexes at a time. */
const maintenanceLock = 7_236_141
const indexPrefix = 'vectors_hnsw_'
/** Ids that are part of a statement. */
const safeId = /^[A-Za-z0-9_-]+$/

/** A subquery per row: with a join the planner might sort all rows instead of using the graph. */
const isLive = raw(
  "(SELECT b.state FROM batches b WHERE b.workspace_id = v.workspace_id AND b.id = v.batch_id) = 'live'",
)

/** As JSON, since parameters are plain values. */
const idsIn = (batchIds: Set<string>): Query =>
  sql`(SELECT jsonb_array_elements_text(${JSON.stringify([...batchIds])}::jsonb))`
const andIn = (batchIds: Set<string> | undefined): Query =>
  batchIds ? sql`AND v.batch_id IN ${idsIn(batchIds)}` : sql``

/** Ids may be longer than a name in PostgreSQL, or differ only in case. */
const indexName = (generationId: string): string =>
  indexPrefix + createHash('sha256').update(generationId).digest('hex').slice(0, 32)

/** Searches the table of vectors: exactly, or with the graph that `tidy` builds for a large generation. */
export class PgvectorIndex implements VectorIndex {
  readonly #database: PostgresDatabase
  readonly #minVectors: number
  /** Generations known to have a graph. If it is dropped, the same statements still return the same. */
  readonly #indexed = new Set<string>()

  constructor(database: PostgresDatabase, options: { minVectors?: number } = {}) {
    this.#database = database
    this.#minVectors = options.minVectors ?? defaultMinVectors
  }

  async search(
    workspaceId: string,
    { id: generationId, dimension }: Generation,
    vector: Float32Array,
    limit: number,
    batchIds: Set<string> | undefined,
  ): Promise<VectorHit[]> {
    if (!dimension || limit < 1 || batchIds?.size === 0) return []
    if (vector.length !== dimension)
      throw new Error(
        `The query vector has ${vector.length} dimensions and the index ${dimension}. Embed the query with the model of the index.`,
      )
    const query = { workspaceId, generationId, vector, limit, batchIds }
    if (await this.#isExact(query)) return this.#searchExactly(query)
    const found = await this.#searchGraph(query)
    // Everything near was filtered out, and the graph search gave up.
    return found.length < limit ? this.#searchExactly(query) : found
  }

  refresh(): void {}

  async close(): Promise<void> {}

  async #isExact({ workspaceId, generationId, vector, batchIds }: VectorQuery): Promise<boolean> {
    if (vector.length > maxIndexedDimensions || !safeId.test(generationId)) return true
    if (!this.#indexed.has(generationId)) {
      const index = await this.#database.get(sql`
        SELECT 1 AS one FROM pg_index WHERE indexrelid = to_regclass(${indexName(generationId)}) AND indisvalid`)
      if (!index) return true
      this.#indexed.add(generationId)
    }
    if (!batchIds) return false
    const row = await this.#database.get(sql`
      SELECT COALESCE(SUM(chunk_count), 0)::bigint ${as('count', integer())} FROM batches
      WHERE workspace_id = ${workspaceId} AND id IN ${idsIn(batchIds)} AND state = 'live'`)
    return row!.count <= filterRows
  }

  async #searchExactly(query: VectorQuery): Promise<VectorHit[]> {
    const { workspaceId, generationId, vector, limit, batchIds } = query
    // IS TRUE keeps the planner from turning this into a join, which is very slow before it has statistics.
    return this.#database.all(sql`
      SELECT v.batch_id ${as('batchId', text())}, v.position ${as('position', integer())},
        1 - (v.vector <=> ${vectorParameter('postgres', vector)}::vector) ${as('similarity', real())}
      FROM vectors v
      WHERE v.workspace_id = ${workspaceId} AND v.generation_id = ${generationId} AND
        (v.batch_id IN (SELECT b.id FROM batches b WHERE b.workspace_id = ${workspaceId}
          AND b.generation_id = ${generationId} AND b.state = 'live')) IS TRUE ${andIn(batchIds)}
      ORDER BY similarity DESC, v.batch_id, v.position LIMIT ${limit}`)
  }

  async #searchGraph(query: VectorQuery): Promise<VectorHit[]> {
    const { workspaceId, generationId, vector, limit, batchIds } = query
    // The planner uses a partial index only for the same expression and the same literal.
    const type = raw(`halfvec(${vector.length})`)
    const distance = sql`(v.vector::${type}) <=> ${vectorParameter('postgres', vector)}::${type}`
    const found = await this.#database.transaction(async transaction => {
      await transaction.get(sql`
        SELECT set_config('hnsw.ef_search', ${String(expansion)}, true),
          set_config('hnsw.iterative_scan', 'relaxed_order', true),
          set_config('hnsw.max_scan_tuples', ${String(maxScanned)}, true),
          set_config('enable_sort', 'off', true), set_config('jit', 'off', true)`)
      // The relaxed order is nearly right: a few more, sorted here, make it right.
      return transaction.all(sql`
        SELECT v.batch_id ${as('batchId', text())}, v.position ${as('position', integer())},
          1 - (${distance}) ${as('similarity', real())}
        FROM vectors v
        WHERE v.generation_id = ${raw(`'${generationId}'`)} AND v.workspace_id = ${workspaceId} AND ${isLive}
          ${andIn(batchIds)}
        ORDER BY ${distance} LIMIT ${limit + Math.max(10, limit)}`)
    })
    return found.sort((one, other) => other.similarity - one.similarity).slice(0, limit)
  }

  /** Builds a graph for each large generation, and drops those of deleted generations. */
  async tidy(signal: AbortSignal): Promise<void> {
    // Most of the time there is nothing to do; then no session is opened.
    if ((await this.#maintenance(this.#database)).length === 0 || signal.aborted) return
    await this.#database.maintain(maintenanceLock, async session => {
      for (const statement of await this.#maintenance(session)) {
        if (signal.aborted) return
        await session.run(statement)
      }
    })
  }

  /** The statements that drop useless indexes and create missing ones. A generation that became small keeps its index. */
  async #maintenance(reader: Reader): Promise<string[]> {
    const rows = await reader.all(sql`
      SELECT ${generations.columnsOf('g', 'id', 'dimension')},
        CASE WHEN g.dimension BETWEEN 1 AND ${maxIndexedDimensions} THEN
          (SELECT COALESCE(SUM(b.chunk_count), 0) FROM batches b
           WHERE b.workspace_id = g.workspace_id AND b.generation_id = g.id AND b.state = 'live')::bigint
        ELSE 0 END ${as('vectors', integer())}
      FROM generations g WHERE g.gone = 0`)
    const byIndex = new Map(rows.map(row => [indexName(row.id), row]))
    const indexes = await reader.all<{ name: string; valid: boolean }>(
      `SELECT c.relname AS name, i.indisvalid AS valid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE i.indrelid = to_regclass('vectors') AND starts_with(c.relname, ?)`,
      indexPrefix,
    )
    // An index whose build was interrupted is maintained by PostgreSQL, but never used.
    const isUseful = ({ name, valid }: { name: string; valid: boolean }): boolean =>
      valid && byIndex.has(name)
    const useless = indexes.filter(index => !isUseful(index))
    for (const { name } of indexes.filter(isUseful)) byIndex.delete(name)
    const missing = [...byIndex].filter(
      ([, { id, vectors }]) => vectors >= this.#minVectors && safeId.test(id),
    )
    return [
      ...useless.map(({ name }) => `DROP INDEX CONCURRENTLY IF EXISTS ${name}`),
      ...missing.map(
        ([name, { id, dimension }]) => `
          CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON vectors
          USING hnsw ((vector::halfvec(${dimension})) halfvec_cosine_ops) WITH (m = 24, ef_construction = 128)
          WHERE generation_id = '${id}'`,
      ),
    ]
  }
}
