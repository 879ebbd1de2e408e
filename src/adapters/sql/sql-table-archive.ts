import type { Row, TableArchive, TableSnapshot } from '../../backup/table-archive.ts'
import { demo } from '../../contract/demo.ts'
import type { Database, Reader, Transaction } from '../../database/database.ts'
import type { SqlValue } from '../../database/sql.ts'
import { AppError } from '../../kernel/app-error.ts'
import { archivedRow, type Column, kinds, type StoredRow, storedValues } from './archived-row.ts'
import { archivedTables, workspaceTables } from './tables.ts'
import { vectorMark } from './vector-value.ts'

const demoBases = `SELECT id FROM knowledge_bases WHERE name = '${demo.knowledgeName}'`
const demoFiles = `SELECT file_id FROM documents WHERE knowledge_id IN (${demoBases})`

/**
 * Where everything that people make has a row, and of these rows those that a first start makes. What other tables
 * hold comes from these.
 */
const madeByFirstStart: Record<string, string | undefined> = {
  workspaces: "id = 'default'",
  tokens: 'operator = 1',
  workflows: `id = '${demo.workflowId}' AND version = 1`,
  agents: `id = '${demo.agentId}'`,
  knowledge_bases: `name = '${demo.knowledgeName}'`,
  files: `id IN (${demoFiles})`,
  conversations: undefined,
  runs: undefined,
  models: undefined,
}

/** One statement inserts so many rows, or fewer where they are long. */
const batchRows = 100
const batchCharacters = 1 << 20

const isValue = (value: unknown): value is string | number | null =>
  value === null || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))

/** The values in the order of the columns; a row that does not have exactly these is refused. */
function valuesOf(table: string, columns: Column[], row: Row): (string | number | null)[] {
  const values = columns.map(({ name }) => (Object.hasOwn(row, name) ? row[name] : undefined))
  if (!values.every(isValue) || Object.keys(row).length !== columns.length)
    throw new AppError('invalid_request', `A row of the table ${table} does not have the form of the table`)
  return values
}

const charactersOf = (values: SqlValue[]): number =>
  values.reduce<number>(
    (sum, value) => sum + (typeof value === 'object' || typeof value === 'string' ? (value?.length ?? 0) : 8),
    0,
  )

export class SqlTableArchive implements TableArchive {
  readonly tables = archivedTables
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  schema(): Promise<string> {
    return this.#schema(this.#database)
  }

  /** Migrations have the same numbers in all dialects. */
  async #schema(reader: Reader): Promise<string> {
    const last = await reader.get<{ name: string }>('SELECT MAX(name) AS name FROM schema_migrations')
    return last?.name.split('_')[0] ?? ''
  }

  isUnused(): Promise<boolean> {
    return this.#isUnused(this.#database)
  }

  async #isUnused(reader: Reader): Promise<boolean> {
    for (const [table, made] of Object.entries(madeByFirstStart)) {
      const where = made === undefined ? '' : `WHERE NOT (${made})`
      if (await reader.get(`SELECT 1 AS one FROM ${table} ${where} LIMIT 1`)) return false
    }
    return true
  }

  snapshot<Result>(work: (snapshot: TableSnapshot) => Promise<Result>): Promise<Result> {
    const { dialect } = this.#database
    return this.#database.snapshot(async snapshot =>
      work({
        schema: await this.#schema(snapshot),
        rows: async function* (table) {
          const columns = await columnsOf(snapshot, dialect, table)
          const names = columns.map(column => column.name).join(', ')
          for await (const stored of snapshot.each<StoredRow>(`SELECT ${names} FROM ${table}`)) {
            const row = archivedRow(columns, stored)
            valuesOf(table, columns, row)
            yield row
          }
        },
      }),
    )
  }

  replace(
    rows: (table: string) => AsyncIterable<Row>,
    { overwrite }: { overwrite: boolean },
  ): Promise<Record<string, number>> {
    // A transaction should wait for nothing else. This one reads a file; but it shuts everybody out anyway.
    return this.#database.transaction(async transaction => {
      await this.#lock(transaction)
      if (!overwrite && !(await this.#isUnused(transaction)))
        throw new AppError('already_exists', 'There is data here already')
      await this.#empty(transaction)
      const counts: Record<string, number> = {}
      for (const table of archivedTables) counts[table] = await this.#fill(transaction, table, rows(table))
      return counts
    })
  }

  async #lock(transaction: Transaction): Promise<void> {
    // SQLite's write transaction is the lock already.
    if (this.#database.dialect === 'postgres')
      await transaction.run(`LOCK TABLE ${archivedTables.join(', ')} IN ACCESS EXCLUSIVE MODE`)
  }

  /** What is not archived but belongs to a workspace goes as well: it speaks of rows that are no more. */
  async #empty(transaction: Transaction): Promise<void> {
    const tables = [...new Set([...archivedTables, ...workspaceTables])]
    if (this.#database.dialect === 'postgres') await transaction.run(`TRUNCATE ${tables.join(', ')}`)
    else for (const table of tables) await transaction.run(`DELETE FROM ${table}`)
  }

  async #fill(transaction: Transaction, table: string, rows: AsyncIterable<Row>): Promise<number> {
    const { dialect } = this.#database
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
      const values = storedValues(dialect, columns, valuesOf(table, columns, row))
      batch.push(values)
      characters += charactersOf(values)
      if (batch.length === batchRows || characters > batchCharacters) await insert()
    }
    await insert()
    return count
  }
}

/** Names of columns are taken from the database alone: those in an archive must not end up in SQL. */
async function columnsOf(reader: Reader, dialect: Database['dialect'], table: string): Promise<Column[]> {
  const sql =
    dialect === 'sqlite'
      ? 'SELECT name, type FROM pragma_table_info(?) ORDER BY cid'
      : 'SELECT column_name AS name, udt_name AS type FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ? ORDER BY ordinal_position'
  const rows = await reader.all<{ name: string; type: string }>(sql, table)
  return rows.map(({ name, type }) => ({ name, kind: kinds[type.toLowerCase()] ?? 'plain' }))
}
