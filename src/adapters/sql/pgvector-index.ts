import { type Query, raw, sql } from '../../database/sql.ts'
import { as, integer } from '../../database/table.ts'
import { vectorParameter } from '../../database/vector.ts'
import type { Generation } from '../../knowledge/knowledge-base.ts'
import type { VectorHit, VectorIndex } from '../../knowledge/search/vector-index.ts'
import { PgvectorGraphs } from './pgvector-graphs.ts'
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
/** Width of a graph search; text needs about 256. The time of a search grows with it. */
const expansion = 400
/** Vectors that a search visits when filters and deleted batches exclude many. */
const maxScanned = 60_000

/** A subquery per row: with a join the planner might sort all rows instead of using the graph. */
const isLive = raw(
  "(SELECT b.state FROM batches b WHERE b.workspace_id = v.workspace_id AND b.id = v.batch_id) = 'live'",
)

/** As JSON, since parameters are plain values. */
const idsIn = (batchIds: Set<string>): Query =>
  sql`(SELECT jsonb_array_elements_text(${JSON.stringify([...batchIds])}::jsonb))`
const andIn = (batchIds: Set<string> | undefined): Query =>
  batchIds ? sql`AND v.batch_id IN ${idsIn(batchIds)}` : sql``

const hit = (vector: Float32Array): Query => sql`
  v.batch_id AS "batchId", v.position, 1 - (v.vector <=> ${vectorParameter('postgres', vector)}::vector) AS similarity`

/**
 * Searches the table of vectors. All small generations share its B-tree index and are searched exactly; a large one has a
 * graph of its own, which covers all but its latest vectors.
 */
export class PgvectorIndex implements VectorIndex {
  readonly #database: PostgresDatabase
  readonly #graphs: PgvectorGraphs

  constructor(database: PostgresDatabase, options: { minVectors?: number } = {}) {
    this.#database = database
    this.#graphs = new PgvectorGraphs(database, options.minVectors ?? defaultMinVectors)
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
    const until = await this.#graphs.coveredUntil(generationId)
    const found =
      until === undefined || (await this.#isSmall(query)) ? [] : await this.#searchGraph(query, until)
    // Without a graph, or where everything near was filtered out and the graph search gave up.
    return found.length < limit ? this.#database.all(exactly(query, sql``)) : found
  }

  refresh(_workspaceId: string, generationId: string): void {
    this.#graphs.hasGrown(generationId)
  }

  tidy(signal: AbortSignal): Promise<void> {
    return this.#graphs.maintain(signal)
  }

  async close(): Promise<void> {}

  /** Whether the filter leaves so few vectors that comparing all of them is faster. */
  async #isSmall({ workspaceId, batchIds }: VectorQuery): Promise<boolean> {
    if (!batchIds) return false
    const row = await this.#database.get(sql`
      SELECT COALESCE(SUM(chunk_count), 0)::bigint ${as('count', integer())} FROM batches
      WHERE workspace_id = ${workspaceId} AND id IN ${idsIn(batchIds)} AND state = 'live'`)
    return row!.count <= filterRows
  }

  /** In one statement, because vectors move from the tail to the graph. */
  async #searchGraph(query: VectorQuery, until: number): Promise<VectorHit[]> {
    const { workspaceId, generationId, vector, limit, batchIds } = query
    const type = raw(`halfvec(${vector.length})`)
    // The relaxed order is nearly right: a few more, sorted here, make it right. The planner uses a partial index only
    // for the same expression and the same literals.
    const near = sql`
      SELECT ${hit(vector)} FROM vectors v
      WHERE v.generation_id = ${raw(`'${generationId}'`)} AND v.written_at <= ${raw(String(until))}
        AND v.workspace_id = ${workspaceId} AND ${isLive} ${andIn(batchIds)}
      ORDER BY (v.vector::${type}) <=> ${vectorParameter('postgres', vector)}::vector::${type}
      LIMIT ${limit + Math.max(10, limit)}`
    const found = await this.#database.transaction(async transaction => {
      await transaction.get(sql`
        SELECT set_config('hnsw.ef_search', ${String(expansion)}, true),
          set_config('hnsw.iterative_scan', 'relaxed_order', true),
          set_config('hnsw.max_scan_tuples', ${String(maxScanned)}, true),
          set_config('enable_sort', 'off', true), set_config('jit', 'off', true)`)
      const late = exactly(query, sql`AND v.written_at > ${until}`)
      return transaction.all(sql`(${near}) UNION ALL (${late})` as Query<VectorHit>)
    })
    return found.sort((one, other) => other.similarity - one.similarity).slice(0, limit)
  }
}

/** Compares with all vectors that match. */
const exactly = (
  { workspaceId, generationId, vector, limit, batchIds }: VectorQuery,
  which: Query,
): Query<VectorHit> =>
  // IS TRUE keeps the planner from turning this into a join, which is very slow before it has statistics.
  sql`
    SELECT ${hit(vector)} FROM vectors v
    WHERE v.workspace_id = ${workspaceId} AND v.generation_id = ${generationId} ${which} AND
      (v.batch_id IN (SELECT b.id FROM batches b WHERE b.workspace_id = ${workspaceId}
        AND b.generation_id = ${generationId} AND b.state = 'live')) IS TRUE ${andIn(batchIds)}
    ORDER BY similarity DESC, "batchId", position LIMIT ${limit}` as Query<VectorHit>
