import { demo } from '../contract/demo.ts'
import type { Database, Reader, Transaction } from '../database/database.ts'
import type { SqlValue, StoredRow } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { archivedTables, derivedTables, workspaceTables } from '../database/tables.ts'
import { vectorMark, vectorParameter } from '../database/vector.ts'
import { AppError } from '../kernel/app-error.ts'

/** A row in the types that both databases and JSON share. */
export type Row = Record<string, string | number | null>

/** A consistent snapshot of all tables, while writes continue. */
interface TableSnapshot {
  /** The schema version; rows fit only into tables of the same version. */
  schema: string
  rows(table: string): AsyncIterable<Row>
}

/** How a column is written into an archive: bytes and vectors as base64, so that both databases can read them. */
interface Column {
  name: string
  kind: 'plain' | 'bytes' | 'vector'
}

/** By the type's name in either database. */
const kinds: Record<string, Column['kind']> = { blob: 'bytes', bytea: 'bytes', vector: 'vector' }

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

function archived(kind: Column['kind'], value: SqlValue | undefined): string | number | null {
  if (value instanceof Uint8Array) return base64(value)
  // PostgreSQL shows a vector as the text `[0.1,0.2]`.
  if (kind === 'vector' && typeof value === 'string')
    return base64(new Uint8Array(Float32Array.from(JSON.parse(value) as number[]).buffer))
  return value as string | number | null
}

const archivedRow = (columns: Column[], row: StoredRow): Row =>
  Object.fromEntries(columns.map(({ name, kind }) => [name, archived(kind, row[name])]))

function stored(dialect: Database['dialect'], kind: Column['kind'], value: string | number | null): SqlValue {
  if (kind === 'plain' || typeof value !== 'string') return value
  const bytes = Uint8Array.from(Buffer.from(value, 'base64'))
  return kind === 'bytes' ? bytes : vectorParameter(dialect, new Float32Array(bytes.buffer))
}

const isDemoBase = `name IN ('${Object.values(demo.knowledgeName).join("', '")}')`
const demoBases = `SELECT id FROM knowledge_bases WHERE ${isDemoBase}`
const demoFiles = `SELECT file_id FROM documents WHERE knowledge_id IN (${demoBases})`

/** Tables that show whether users have created anything, with the condition for rows of the first start. */
const createdByFirstStart: Record<string, string | undefined> = {
  workspaces: "id = 'default'",
  tokens: 'operator = 1',
  workflows: `id = '${demo.workflowId}' AND version = 1`,
  agents: `id = '${demo.agentId}'`,
  knowledge_bases: isDemoBase,
  files: `id IN (${demoFiles})`,
  conversations: undefined,
  runs: undefined,
  models: undefined,
  secrets: undefined,
  shared_tools: undefined,
  triggers: undefined,
  test_sets: undefined,
  annotations: undefined,
  web_pages: undefined,
  golden_questions: undefined,
}

/** Rows per INSERT, fewer where they are long. */
const batchRows = 100
const batchCharacters = 1 << 20

const isValue = (value: unknown): value is string | number | null =>
  value === null || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))

/** The values in column order; a row with other columns is refused. */
function valuesOf(table: string, columns: Column[], row: Row): (string | number | null)[] {
  const values = columns.map(({ name }) => (Object.hasOwn(row, name) ? row[name] : undefined))
  if (!values.every(isValue) || Object.keys(row).length !== columns.length)
    throw new AppError('invalid_request', `A row of the table ${table} does not match its columns`)
  return values
}

const lengthOf = (value: SqlValue): number =>
  typeof value === 'string' || value instanceof Uint8Array ? value.length : 8

/** The tables that a backup holds, whatever database keeps them. */
export class TableArchive extends Store {
  readonly tables = archivedTables
  /** Migrations have the same numbers in all dialects. */
  async schema(reader: Reader = this.database): Promise<string> {
    const last = await reader.get<{ name: string }>('SELECT MAX(name) AS name FROM schema_migrations')
    return last?.name.split('_')[0] ?? ''
  }

  /** True if there is nothing except the objects of a first start. */
  async isUnused(reader: Reader = this.database): Promise<boolean> {
    for (const [table, made] of Object.entries(createdByFirstStart)) {
      const where = made === undefined ? '' : `WHERE NOT (${made})`
      if (await reader.get(`SELECT 1 AS one FROM ${table} ${where} LIMIT 1`)) return false
    }
    return true
  }

  snapshot<Result>(work: (snapshot: TableSnapshot) => Promise<Result>): Promise<Result> {
    const { dialect } = this.database
    return this.database.snapshot(async snapshot =>
      work({
        schema: await this.schema(snapshot),
        rows: async function* (table) {
          const columns = await columnsOf(snapshot, dialect, table)
          const names = columns.map(column => column.name).join(', ')
          for await (const found of snapshot.each<StoredRow>(`SELECT ${names} FROM ${table}`)) {
            const row = archivedRow(columns, found)
            valuesOf(table, columns, row)
            yield row
          }
        },
      }),
    )
  }

  /**
   * Empties the tables and inserts the given rows, all or nothing; returns how many there are now. `rows` is asked
   * again for a table when the database retries the transaction. Without `overwrite` it fails with `already_exists`
   * unless the tables are unused.
   */
  replace(rows: (table: string) => AsyncIterable<Row>, { overwrite }: { overwrite: boolean }) {
    const isPostgres = this.database.dialect === 'postgres'
    // Workspace tables that are not archived are emptied, too, because their rows refer to rows that are gone. A TRUNCATE
    // does not fire the row triggers.
    const emptied = [...new Set([...archivedTables, ...workspaceTables, ...derivedTables])]
    // A transaction should await nothing else. This one reads a file, but it locks out all other work anyway.
    return this.database.transaction(async transaction => {
      // SQLite's write transaction is the lock already.
      if (isPostgres) {
        await transaction.run('SET LOCAL idle_in_transaction_session_timeout = 0')
        await transaction.run(`LOCK TABLE ${archivedTables.join(', ')} IN ACCESS EXCLUSIVE MODE`)
      }
      if (!overwrite && !(await this.isUnused(transaction)))
        throw new AppError('already_exists', 'This server already has data')
      if (isPostgres) await transaction.run(`TRUNCATE ${emptied.join(', ')}`)
      else for (const table of emptied) await transaction.run(`DELETE FROM ${table}`)
      const counts: Record<string, number> = {}
      for (const table of archivedTables) counts[table] = await this.#fill(transaction, table, rows(table))
      return counts
    })
  }

  async #fill(transaction: Transaction, table: string, rows: AsyncIterable<Row>): Promise<number> {
    const { dialect } = this.database
    const columns = await columnsOf(transaction, dialect, table)
    const names = columns.map(column => column.name).join(', ')
    const marks = `(${columns.map(({ kind }) => (kind === 'vector' ? vectorMark(dialect) : '?')).join(', ')})`
    let batch: SqlValue[][] = []
    let characters = 0
    let count = 0
    const insert = async (): Promise<void> => {
      if (batch.length === 0) return
      const sql = `INSERT INTO ${table} (${names}) VALUES ${batch.map(() => marks).join(', ')}`
      count += await transaction.run(sql, ...batch.flat())
      batch = []
      characters = 0
    }
    for await (const row of rows) {
      const values = valuesOf(table, columns, row).map((value, index) =>
        stored(dialect, columns[index]!.kind, value),
      )
      batch.push(values)
      for (const value of values) characters += lengthOf(value)
      if (batch.length === batchRows || characters > batchCharacters) await insert()
    }
    await insert()
    return count
  }
}

/** Reads column names only from the database: names in an archive must never reach SQL. */
async function columnsOf(reader: Reader, dialect: Database['dialect'], table: string): Promise<Column[]> {
  const sql =
    dialect === 'sqlite'
      ? 'SELECT name, type FROM pragma_table_info(?) ORDER BY cid'
      : 'SELECT column_name AS name, udt_name AS type FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ? ORDER BY ordinal_position'
  const rows = await reader.all<{ name: string; type: string }>(sql, table)
  return rows.map(({ name, type }) => ({ name, kind: kinds[type.toLowerCase()] ?? 'plain' }))
}
