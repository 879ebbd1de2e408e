import { createHash } from 'node:crypto'
import type { Reader, Transaction } from '../../database/database.ts'
import { type Query, raw, sql } from '../../database/sql.ts'
import { as, integer } from '../../database/table.ts'
import { generations } from '../../knowledge/knowledge-tables.ts'
import type { PostgresDatabase } from './postgres-database.ts'

/** Maximum for which pgvector can index 16-bit floats. */
const maxIndexedDimensions = 4000
/** While a generation is being loaded, its graph is only built at this many times the minimum. */
const loadFactor = 8
/** Adding one vector to a graph takes about as long as building the graph with this many. */
const insertFactor = 8
const rowsPerInsert = 200
/** A build that does not fit into its memory takes several times as long. */
const maxBuildBytes = 1 << 30
/** Advisory lock: one replica maintains the graphs at a time. */
const maintenanceLock = 7_236_141
const prefix = 'vectors_graph_'
/** Graphs of earlier versions, which covered all vectors of a generation. */
const oldPrefix = 'vectors_hnsw_'
/** Ids that are part of a statement. */
const safeId = /^[A-Za-z0-9_-]+$/
const graphMilliseconds = 10_000

const key = generations.columnsOf('g', 'workspaceId', 'id', 'dimension')

interface GraphRow {
  name: string
  valid: boolean
  condition: string
}

/** An HNSW index over the vectors of one generation that were written until a time. */
interface Graph {
  name: string
  isValid: boolean
  generationId: string
  until: number
}

type GrownGeneration = (typeof key)['row'] & { tail: number; isLoading: boolean }

/** The condition of the index holds all that has to be known about it. */
function graphOf({ name, valid, condition }: GraphRow): Graph {
  const generationId = /generation_id = '([^']+)'/.exec(condition)?.[1] ?? ''
  const until = Number(/written_at <= '?(\d+)/.exec(condition)?.[1] ?? -1)
  return { name, isValid: valid, generationId, until }
}

/** Ids may be longer than a name in PostgreSQL, or differ only in case. */
const nameOf = (generationId: string, until: number): string =>
  `${prefix}${createHash('sha256').update(generationId).digest('hex').slice(0, 32)}_${until}`

/**
 * The graphs of large generations. The catalog of the database is the only record of them, so a graph that is dropped or
 * missing after a restore is known to be missing. Later vectors are compared one by one until they are added.
 */
export class PgvectorGraphs {
  readonly #database: PostgresDatabase
  readonly #minVectors: number
  /** Until when the graph of each generation covers its vectors. */
  #known: Promise<Map<string, number>> | undefined
  #readAt = 0
  /** Generations that may have grown since the last maintenance; at first any of them. */
  #grown: Set<string> | 'any' = 'any'

  constructor(database: PostgresDatabase, minVectors: number) {
    this.#database = database
    this.#minVectors = minVectors
  }

  /** Until when the graph of a generation covers its vectors. Undefined: there is none. */
  async coveredUntil(generationId: string): Promise<number | undefined> {
    const now = performance.now()
    if (!this.#known || now - this.#readAt > graphMilliseconds) {
      this.#readAt = now
      this.#known = this.#read(this.#database).then(newest)
      this.#known.catch(() => this.#forget())
    }
    return (await this.#known).get(generationId)
  }

  #forget(): void {
    this.#known = undefined
  }

  hasGrown(generationId: string): void {
    if (this.#grown !== 'any') this.#grown.add(generationId)
  }

  async #read(reader: Reader): Promise<Graph[]> {
    const rows = await reader.all<GraphRow>(
      `SELECT c.relname AS name, i.indisvalid AS valid, COALESCE(pg_get_expr(i.indpred, i.indrelid), '') AS condition
       FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE i.indrelid = to_regclass('vectors') AND (starts_with(c.relname, ?) OR starts_with(c.relname, ?))`,
      prefix,
      oldPrefix,
    )
    return rows.map(graphOf)
  }

  /** Builds and extends the graphs of generations that have grown, and drops those that are not needed. */
  async maintain(signal: AbortSignal): Promise<void> {
    // Most of the time there is nothing to do; then no session is opened.
    const graphs = await this.#read(this.#database)
    if (
      this.#grown !== 'any' &&
      this.#grown.size === 0 &&
      (await this.#useless(this.#database, graphs)).length === 0
    )
      return
    const grown = this.#grown
    this.#grown = new Set()
    try {
      const isMine = await this.#database.maintain(
        maintenanceLock,
        session => this.#maintain(session, grown, signal),
        signal,
      )
      if (!isMine) this.#remember(grown)
    } catch (error) {
      this.#remember(grown)
      if (!signal.aborted) throw error
    } finally {
      this.#forget()
    }
  }

  #remember(grown: Set<string> | 'any'): void {
    if (grown === 'any' || this.#grown === 'any') this.#grown = 'any'
    else for (const id of grown) this.#grown.add(id)
  }

  async #maintain(session: Transaction, grown: Set<string> | 'any', signal: AbortSignal): Promise<void> {
    const graphs = await this.#read(session)
    for (const generation of await this.#grownGenerations(session, grown, newest(graphs))) {
      if (signal.aborted) return this.#remember(grown)
      // A graph is built after the load: it would slow the load down, and soon cover too little.
      if (generation.isLoading && generation.tail < this.#minVectors * loadFactor)
        this.#remember(new Set([generation.id]))
      else await this.#cover(session, generation, newest(graphs).get(generation.id), signal)
    }
    for (const { name } of await this.#useless(session, await this.#read(session)))
      if (!signal.aborted) await session.run(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
  }

  /** Generations with enough vectors that no graph covers yet. */
  async #grownGenerations(
    reader: Reader,
    grown: Set<string> | 'any',
    covered: Map<string, number>,
  ): Promise<GrownGeneration[]> {
    const named =
      grown === 'any'
        ? sql``
        : sql`AND g.id IN (SELECT jsonb_array_elements_text(${JSON.stringify([...grown])}::jsonb))`
    const until = sql`COALESCE((${JSON.stringify(Object.fromEntries(covered))}::jsonb ->> g.id)::bigint, -1)`
    const max = raw(String(this.#minVectors * loadFactor))
    const rows = await reader.all(sql`
      SELECT ${key}, t.tail ${as('tail', integer())}, EXISTS (SELECT 1 FROM readings r
        WHERE r.workspace_id = g.workspace_id AND r.generation_id = g.id AND r.due_at IS NOT NULL)::int
        ${as('loading', integer())}
      FROM generations g, LATERAL (SELECT COUNT(*) AS tail FROM (SELECT 1 FROM vectors v
        WHERE v.workspace_id = g.workspace_id AND v.generation_id = g.id AND v.written_at > ${until}
        LIMIT ${max}) AS uncovered) t
      WHERE g.gone = 0 AND g.dimension BETWEEN 1 AND ${maxIndexedDimensions} AND t.tail >= ${this.#minVectors} ${named}`)
    return rows
      .filter(row => safeId.test(row.id))
      .map(({ loading, ...row }) => ({ ...row, isLoading: loading === 1 }))
  }

  async #cover(
    session: Transaction,
    generation: GrownGeneration,
    until: number | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { workspaceId, id, tail } = generation
    const inside = sql`workspace_id = ${workspaceId} AND generation_id = ${id}`
    if (until === undefined) return this.#build(session, generation, inside)
    const enough = tail * insertFactor
    const covered = sql`SELECT 1 FROM vectors WHERE ${inside} AND written_at <= ${until} LIMIT ${enough}`
    const row = await session.get(sql`SELECT COUNT(*) ${as('count', integer())} FROM (${covered}) AS covered`)
    if (row!.count < enough) return this.#build(session, generation, inside)
    const some = sql`SELECT ctid FROM vectors WHERE ${inside} AND written_at > ${until} LIMIT ${raw(String(rowsPerInsert))}`
    const add = sql`UPDATE vectors SET written_at = 0 WHERE ctid IN (${some})`
    while (!signal.aborted && (await session.run(add)) === rowsPerInsert);
  }

  async #build(session: Transaction, { id, dimension }: GrownGeneration, inside: Query): Promise<void> {
    const row = await session.get(sql`
      SELECT COUNT(*) ${as('count', integer())}, MAX(written_at) ${as('until', integer())} FROM vectors WHERE ${inside}`)
    const { count, until } = row!
    const kilobytes = Math.ceil(Math.min(maxBuildBytes, count * (dimension! * 2 + 1000) + (64 << 20)) / 1024)
    await session.get(sql`SELECT set_config('maintenance_work_mem', ${`${kilobytes}kB`}, false)`)
    await session.run(`
      CREATE INDEX CONCURRENTLY IF NOT EXISTS ${nameOf(id, until)} ON vectors
      USING hnsw ((vector::halfvec(${dimension})) halfvec_cosine_ops) WITH (m = 24, ef_construction = 128)
      WHERE generation_id = '${id}' AND written_at <= ${until}`)
  }

  /** Graphs of deleted generations, replaced graphs, and graphs whose build was interrupted, which are never used. */
  async #useless(reader: Reader, graphs: Graph[]): Promise<Graph[]> {
    if (graphs.length === 0) return []
    const ids = JSON.stringify(graphs.map(graph => graph.generationId))
    const rows = await reader.all(sql`
      SELECT ${generations.columns('id')} FROM generations
      WHERE gone = 0 AND id IN (SELECT jsonb_array_elements_text(${ids}::jsonb))`)
    const living = new Set(rows.map(row => row.id))
    const covered = newest(graphs)
    return graphs.filter(
      ({ isValid, generationId, until }) =>
        !isValid || !living.has(generationId) || covered.get(generationId) !== until,
    )
  }
}

/** The valid graph of each generation that covers the most. */
function newest(graphs: Graph[]): Map<string, number> {
  const covered = new Map<string, number>()
  for (const { isValid, generationId, until } of graphs)
    if (isValid && until > (covered.get(generationId) ?? -1)) covered.set(generationId, until)
  return covered
}
