import { type Query, type RawSql, type SqlValue, sql } from './sql.ts'
import { as, integer } from './table.ts'

/** Reads see what is committed. */
export interface Reader {
  get<Row>(query: Query<Row>): Promise<Row | undefined>
  get<Row>(text: string, ...parameters: SqlValue[]): Promise<Row | undefined>
  all<Row>(query: Query<Row>): Promise<Row[]>
  all<Row>(text: string, ...parameters: SqlValue[]): Promise<Row[]>
}

export interface Transaction extends Reader {
  /** How many rows it changed. */
  run(query: Query | string, ...parameters: SqlValue[]): Promise<number>
}

/** A reader that sees one moment of the database, however long it reads. */
export interface Snapshot extends Reader {
  each<Row>(text: string, ...parameters: SqlValue[]): AsyncIterable<Row>
}

export interface Database extends Reader {
  /**
   * The same as `get`, but at once. Undefined also where that is impossible, as with PostgreSQL: a caller that finds nothing
   * asks `get`.
   */
  getNow<Row>(query: Query<Row>): Row | undefined
  readonly dialect: 'sqlite' | 'postgres'
  /** Ends a SELECT whose rows must not change until the transaction ends. */
  readonly forUpdate: RawSql
  /** Ends a SELECT that claims one row: rows that another process is claiming right now are skipped. */
  readonly forClaim: RawSql
  /** Names a row by its physical address, for deletes in batches. */
  readonly rowName: RawSql
  /**
   * For reads that may take long. With SQLite they run in threads, where tenants take turns; all other reads run on the
   * main thread.
   */
  background(tenant: string): Reader
  /** Reads a text column as its UTF-8 bytes, to pass it on without decoding and encoding it again. */
  bytesOf(column: string): RawSql
  /**
   * All or nothing; durable when it resolves. `work` may run again after a conflict, and awaits only its transaction.
   * `isLarge`: it writes or deletes about a megabyte or more. With SQLite it then runs in a thread.
   */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>, isLarge?: boolean): Promise<Result>
  /** A transaction of one statement; returns how many rows it changed. */
  statement(query: Query): Promise<number>
  /** A transaction that deletes: it succeeds even when the disk is full. */
  deletion<Result>(work: (transaction: Transaction) => Promise<Result>, isLarge?: boolean): Promise<Result>
  snapshot<Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result>
  /** The time in milliseconds by which all processes that use this database compare leases. */
  time(): Promise<number>
  /** See `Generation` in the kernel. */
  generation(): number | undefined
  /** Fails with `unavailable` when the database cannot be read or written. */
  check(): Promise<void>
  close(): Promise<void>
  /** The state of the connection pool, if there is one. */
  pool?(): { size: number; idle: number; waiting: number } | undefined
}

/** The number of rows of `SELECT … FROM from`. */
export async function countRows(reader: Reader, from: Query): Promise<number> {
  const row = await reader.get(sql`SELECT COUNT(*) ${as('total', integer())} FROM ${from}`)
  return row!.total
}

/**
 * New rows of `FROM from`, which is listed by `created_at`, a millisecond apart and later than those that it has. Rows of
 * the same millisecond would be listed in the order of their ids.
 */
export async function inOrder<Row extends { createdAt: number }>(
  reader: Reader,
  from: Query,
  rows: readonly Row[],
): Promise<Row[]> {
  const found = await reader.get(
    sql`SELECT COALESCE(MAX(created_at), 0) ${as('last', integer())} FROM ${from}`,
  )
  return rows.map((row, at) => ({ ...row, createdAt: Math.max(row.createdAt, found!.last + 1) + at }))
}
