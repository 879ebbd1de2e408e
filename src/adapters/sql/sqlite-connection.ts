import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Transaction } from '../../database/database.ts'
import { type Query, type SqlValue, type StoredRow, toQuery } from '../../database/sql.ts'
import { LruMap } from '../../kernel/lru-map.ts'

export function openConnection(path: string, options: { readOnly: boolean; timeout: number }): DatabaseSync {
  const connection = new DatabaseSync(path, options)
  // The commit itself does not wait for the disk: SqliteDatabase.sync does, off the main thread,
  // before anything is acknowledged. See docs/decisions/2026-11-15-sqlite-group-commit.md.
  connection.exec('PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -32768')
  // A fallback; the checkpointer normally empties the log long before.
  if (!options.readOnly)
    connection.exec('PRAGMA wal_autocheckpoint = 32000; PRAGMA journal_size_limit = 67108864')
  return connection
}

export function toRow(names: readonly string[], values: readonly SqlValue[]): StoredRow {
  const row: StoredRow = {}
  for (let index = 0; index < values.length; index++) row[names[index]!] = values[index]!
  return row
}

/** A statement whose rows arrive as arrays, which takes half the time of the objects that the driver makes. */
class Prepared {
  readonly statement: StatementSync
  readonly names: readonly string[]

  constructor(statement: StatementSync) {
    statement.setReturnArrays(true)
    this.statement = statement
    this.names = statement.columns().map(({ name }) => name)
  }
}

export class Connection implements Transaction {
  readonly handle: DatabaseSync
  /** Bounded, because lists of parameters produce statements of many lengths. */
  readonly #statements = new LruMap<string, Prepared>(500)

  constructor(handle: DatabaseSync) {
    this.handle = handle
  }

  #prepare(sql: string): Prepared {
    let prepared = this.#statements.get(sql)
    if (!prepared) {
      prepared = new Prepared(this.handle.prepare(sql))
      this.#statements.set(sql, prepared)
    }
    return prepared
  }

  async get<Row>(given: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row | undefined> {
    return this.getNow(toQuery(given, parameters))
  }

  getNow<Row>(query: Query<Row>): Row | undefined {
    const prepared = this.#prepare(query.text)
    const values = prepared.statement.get(...query.parameters) as unknown as SqlValue[] | undefined
    return values && query.decode(toRow(prepared.names, values))
  }

  /** Rows as arrays, with the names of their columns. */
  read(text: string, parameters: readonly SqlValue[]): { names: readonly string[]; rows: SqlValue[][] } {
    const prepared = this.#prepare(text)
    const rows = prepared.statement.all(...parameters) as unknown as SqlValue[][]
    return { names: prepared.names, rows }
  }

  async all<Row>(given: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row[]> {
    const query = toQuery(given, parameters)
    const { names, rows } = this.read(query.text, query.parameters)
    return rows.map(values => query.decode(toRow(names, values)))
  }

  async run(given: Query | string, ...parameters: SqlValue[]): Promise<number> {
    const query = toQuery(given, parameters)
    return Number(this.#prepare(query.text).statement.run(...query.parameters).changes)
  }

  /** A statement of the connection itself, such as COMMIT, at once. */
  do(sql: string): void {
    this.#prepare(sql).statement.run()
  }
}
