import { createHash } from 'node:crypto'
import type { Reader, Transaction } from '../../database/database.ts'
import type { PostgresDatabase } from './postgres-database.ts'

/** What pgvector can index of 16-bit floats. */
export const mostIndexedDimensions = 4000
/** A number of our own: one replica maintains at a time. */
const maintenanceLock = 7_236_141
const prefix = 'vectors_hnsw_'
const safeId = /^[A-Za-z0-9_-]+$/

/** Ids may be longer than a name in PostgreSQL, and differ by case only. */
const indexName = (generationId: string): string =>
  prefix + createHash('sha256').update(generationId).digest('hex').slice(0, 32)

export async function hasVectorIndex(reader: Reader, generationId: string): Promise<boolean> {
  const row = await reader.get(
    'SELECT 1 AS one FROM pg_index WHERE indexrelid = to_regclass(?) AND indisvalid',
    indexName(generationId),
  )
  return row !== undefined
}

interface Wanted {
  id: string
  dimension: number
}

async function wantedIndexes(reader: Reader, leastVectors: number): Promise<Map<string, Wanted>> {
  const rows = await reader.all<Wanted>(
    `SELECT g.id, g.dimension FROM generations g
     WHERE g.gone = 0 AND g.dimension BETWEEN 1 AND ? AND
       (SELECT SUM(b.chunk_count) FROM batches b
        WHERE b.workspace_id = g.workspace_id AND b.generation_id = g.id AND b.state = 'live') >= ?`,
    mostIndexedDimensions,
    leastVectors,
  )
  return new Map(rows.filter(row => safeId.test(row.id)).map(row => [indexName(row.id), row]))
}

/** Names of the generations that may keep an index although they have become small. */
async function knownIndexes(reader: Reader): Promise<Set<string>> {
  const rows = await reader.all<{ id: string }>('SELECT id FROM generations WHERE gone = 0')
  return new Set(rows.map(row => indexName(row.id)))
}

/** Gives each large generation a graph of its own, and removes those of generations that are gone. */
export async function maintainVectorIndexes(
  database: PostgresDatabase,
  leastVectors: number,
  signal: AbortSignal,
): Promise<void> {
  if (!(await needsMaintenance(database, leastVectors)) || signal.aborted) return
  await database.maintain(maintenanceLock, async session => {
    const known = await knownIndexes(session)
    const wanted = await wantedIndexes(session, leastVectors)
    for (const { name, valid } of await existingIndexes(session)) {
      if (signal.aborted) return
      // An index whose making was interrupted stays, costs and is never used.
      if (valid && known.has(name)) wanted.delete(name)
      else await session.run(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
    }
    for (const [name, { id, dimension }] of wanted) {
      if (signal.aborted) return
      await session.run(
        `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON vectors
         USING hnsw ((vector::halfvec(${dimension})) halfvec_cosine_ops) WITH (m = 24, ef_construction = 128)
         WHERE generation_id = '${id}'`,
      )
    }
  })
}

/** Mostly there is nothing to do; then no connection is opened. */
async function needsMaintenance(reader: Reader, leastVectors: number): Promise<boolean> {
  const existing = await existingIndexes(reader)
  const known = await knownIndexes(reader)
  if (existing.some(({ name, valid }) => !valid || !known.has(name))) return true
  for (const { name } of existing) known.delete(name)
  return [...(await wantedIndexes(reader, leastVectors)).keys()].some(name => known.has(name))
}

const existingIndexes = (reader: Reader | Transaction): Promise<{ name: string; valid: boolean }[]> =>
  reader.all(
    `SELECT c.relname AS name, i.indisvalid AS valid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid = to_regclass('vectors') AND starts_with(c.relname, ?)`,
    prefix,
  )
