import type { SqlValue } from '../../database/sql.ts'
import { vectorParameter } from '../../database/vector.ts'
import type { Generation } from '../../knowledge/knowledge-base.ts'
import type { VectorHit, VectorIndex } from '../../knowledge/search/vector-index.ts'
import { hasVectorIndex, maintainVectorIndexes, mostIndexedDimensions } from './pgvector-maintenance.ts'
import type { PostgresDatabase } from './postgres-database.ts'

interface Question {
  workspaceId: string
  generationId: string
  vector: Float32Array
  limit: number
  /** As JSON text, since parameters are plain values. */
  batchIds: string | undefined
}

/** A filter that leaves at most so many vectors is answered exactly. */
const filterRows = 20_000
/** With fewer vectors a scan is as quick as a graph, and exact. */
const defaultLeastVectors = 10_000
/** How wide a graph is searched: the most pgvector allows, which data without any clusters needs. */
const expansion = 1000
/** Behind the filters and the batches that are not live, a search goes on through so many vectors. */
const mostScanned = 60_000

/** As a subquery of its own for each row: a join could make the planner sort all rows instead of using the graph. */
const isLive =
  "(SELECT b.state FROM batches b WHERE b.workspace_id = v.workspace_id AND b.id = v.batch_id) = 'live'"
const isOneOf = 'v.batch_id IN (SELECT jsonb_array_elements_text(?::jsonb))'
const safeId = /^[A-Za-z0-9_-]+$/

/** The vectors' own table is searched: exactly, or by the graph that `tidy` gives to a large generation. */
export class PgvectorIndex implements VectorIndex {
  readonly #database: PostgresDatabase
  readonly #leastVectors: number
  /** Generations that were seen with a graph. If it is dropped, the same statements still find the same. */
  readonly #indexed = new Set<string>()

  constructor(database: PostgresDatabase, options: { leastVectors?: number } = {}) {
    this.#database = database
    this.#leastVectors = options.leastVectors ?? defaultLeastVectors
  }

  async search(
    workspaceId: string,
    generation: Generation,
    vector: Float32Array,
    limit: number,
    batchIds: Set<string> | undefined,
  ): Promise<VectorHit[]> {
    const dimension = generation.dimension ?? (await this.#dimensionOf(workspaceId, generation.id))
    if (dimension === undefined || limit < 1 || batchIds?.size === 0) return []
    if (vector.length !== dimension)
      throw new Error(
        `The query vector has ${vector.length} dimensions and the index ${dimension}. Embed the query with the model of the index.`,
      )
    const question: Question = {
      workspaceId,
      generationId: generation.id,
      vector,
      limit,
      batchIds: batchIds && JSON.stringify([...batchIds]),
    }
    if (await this.#isExact(question)) return this.#exact(question)
    const found = await this.#approximate(question)
    // Everything near was filtered out, and the search through the graph gave up.
    return found.length < limit ? this.#exact(question) : found
  }

  refresh(): void {}

  async tidy(signal: AbortSignal): Promise<void> {
    await maintainVectorIndexes(this.#database, this.#leastVectors, signal)
  }

  async close(): Promise<void> {}

  async #dimensionOf(workspaceId: string, generationId: string): Promise<number | undefined> {
    const row = await this.#database.get<{ dimension: number | null }>(
      'SELECT dimension FROM generations WHERE workspace_id = ? AND id = ?',
      workspaceId,
      generationId,
    )
    return row?.dimension ?? undefined
  }

  async #isExact({ workspaceId, generationId, vector, batchIds }: Question): Promise<boolean> {
    if (vector.length > mostIndexedDimensions || !safeId.test(generationId)) return true
    if (!this.#indexed.has(generationId)) {
      if (!(await hasVectorIndex(this.#database, generationId))) return true
      this.#indexed.add(generationId)
    }
    if (batchIds === undefined) return false
    const row = await this.#database.get<{ count: number }>(
      "SELECT COALESCE(SUM(chunk_count), 0)::bigint AS count FROM batches WHERE workspace_id = ? AND id IN (SELECT jsonb_array_elements_text(?::jsonb)) AND state = 'live'",
      workspaceId,
      batchIds,
    )
    return row!.count <= filterRows
  }

  async #exact({ workspaceId, generationId, vector, limit, batchIds }: Question): Promise<VectorHit[]> {
    const parameters: SqlValue[] = [vectorParameter('postgres', vector), workspaceId, generationId]
    parameters.push(workspaceId, generationId)
    if (batchIds !== undefined) parameters.push(batchIds)
    // IS TRUE keeps the planner from making a join of it, which is slow by far where it knows no statistics yet.
    return this.#database.all<VectorHit>(
      `SELECT v.batch_id AS "batchId", v.position, 1 - (v.vector <=> ?::vector) AS similarity
       FROM vectors v
       WHERE v.workspace_id = ? AND v.generation_id = ? AND
         (v.batch_id IN (SELECT b.id FROM batches b
                         WHERE b.workspace_id = ? AND b.generation_id = ? AND b.state = 'live')) IS TRUE
         ${batchIds === undefined ? '' : `AND ${isOneOf}`}
       ORDER BY similarity DESC, v.batch_id, v.position LIMIT ?`,
      ...parameters,
      limit,
    )
  }

  async #approximate({ workspaceId, generationId, vector, limit, batchIds }: Question): Promise<VectorHit[]> {
    // The planner takes a partial index only where it sees the same expression and the same literal.
    const distance = `(v.vector::halfvec(${vector.length})) <=> ?::halfvec(${vector.length})`
    const text = vectorParameter('postgres', vector)
    const parameters: SqlValue[] = [text, workspaceId]
    if (batchIds !== undefined) parameters.push(batchIds)
    const found = await this.#database.transaction(async transaction => {
      await transaction.get(
        `SELECT set_config('hnsw.ef_search', ?, true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
           set_config('hnsw.max_scan_tuples', ?, true), set_config('enable_sort', 'off', true), set_config('jit', 'off', true)`,
        String(expansion),
        String(mostScanned),
      )
      return transaction.all<VectorHit>(
        `SELECT v.batch_id AS "batchId", v.position, 1 - (${distance}) AS similarity
         FROM vectors v
         WHERE v.generation_id = '${generationId}' AND v.workspace_id = ? AND ${isLive}
           ${batchIds === undefined ? '' : `AND ${isOneOf}`}
         ORDER BY ${distance} LIMIT ?`,
        ...parameters,
        text,
        // The relaxed order is nearly the right one: a few more, sorted here, make it right.
        limit + Math.max(10, limit),
      )
    })
    return found.sort((one, other) => other.similarity - one.similarity).slice(0, limit)
  }
}
