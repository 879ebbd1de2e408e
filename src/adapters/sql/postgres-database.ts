import { hostname } from 'node:os'
import pg from 'pg'
import type { Database, Reader, Snapshot, Transaction } from '../../database/database.ts'
import { type Query, RawSql, type SqlValue } from '../../database/sql.ts'
import { AppError } from '../../kernel/app-error.ts'
import { unlessAborted } from '../../kernel/unless-aborted.ts'
import { noAnswer, noConnection, postgresError, retried } from './postgres-error.ts'
import { tryLock } from './postgres-lock.ts'
import { PostgresQueries, type Queryable, types } from './postgres-queries.ts'

const fetchCharacters = 1 << 20
const fetchRows = 64

/** How many rows to fetch next: by the size of those just seen, since a row may be 100 bytes or 8 MiB long. */
function nextFetch(count: number, rows: unknown[]): number {
  let characters = 0
  for (const row of rows)
    for (const value of Object.values(row as object))
      characters += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8
  const fitting = Math.floor((fetchCharacters * rows.length) / (characters + 1))
  return Math.max(1, Math.min(fitting, count * 2, fetchRows))
}

export interface PoolOptions {
  /** The most connections at a time. */
  poolSize: number
  /** How long a query waits for a free connection. */
  waitMilliseconds: number
  /** How long the server works on one statement. */
  statementMilliseconds: number
  /** How long a transaction may wait for its next statement. */
  idleMilliseconds?: number
}

/**
 * A process that stalls, or is gone without closing its connections, must not keep its locks: others take over its work
 * when its leases have run out, after 15 s.
 */
const defaultIdleMilliseconds = 10_000

type TimedQuery = pg.QueryConfig & { query_timeout?: number }

/** The planner often expects far more rows than a statement finds, and compiling it takes longer than executing it. */
const withoutCompiler = (milliseconds: number): TimedQuery => ({
  text: 'SET jit = off',
  query_timeout: milliseconds,
})

export class PostgresDatabase implements Database {
  readonly dialect = 'postgres'
  readonly forUpdate = new RawSql('FOR UPDATE')
  readonly forClaim = new RawSql('FOR UPDATE SKIP LOCKED')
  readonly rowName = new RawSql('ctid')
  readonly #url: string
  readonly #waitMilliseconds: number
  readonly #pool: pg.Pool
  readonly #reader: PostgresQueries
  readonly #openedAt = new WeakMap<pg.PoolClient, number>()
  /** A connection that got no answer is half-open, and so may be all that were opened before. */
  #suspectBefore = 0

  constructor(url: string, options: PoolOptions) {
    const { poolSize, waitMilliseconds, statementMilliseconds } = options
    this.#url = url
    this.#waitMilliseconds = waitMilliseconds
    this.#pool = new pg.Pool({
      connectionString: url,
      max: poolSize,
      connectionTimeoutMillis: waitMilliseconds,
      idleTimeoutMillis: 30_000,
      statement_timeout: statementMilliseconds,
      idle_in_transaction_session_timeout: options.idleMilliseconds ?? defaultIdleMilliseconds,
      // Detects a server that vanished without closing the connection.
      query_timeout: statementMilliseconds + 5000,
      keepAlive: true,
      application_name: 'banyan',
      types,
      // Awaited, although the types do not say so. As a parameter of the connection it would need a setting in PgBouncer.
      onConnect: client => client.query(withoutCompiler(waitMilliseconds)) as unknown as undefined,
    })
    // A connection that breaks while idle is replaced; the next query reports if the server is gone.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', client => {
      this.#openedAt.set(client, performance.now())
      // The pool listens only while a connection is idle, and an unhandled error event ends the process. The running
      // statement, or the next one, fails anyway.
      client.on('error', () => {})
    })
    this.#reader = new PostgresQueries({ query: (text, values) => this.#query({ text, values }) })
  }

  async #acquire(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await this.#pool.connect().catch((error: unknown) => {
        throw noConnection(error)
      })
      if (this.#openedAt.get(client)! >= this.#suspectBefore) return client
      client.release(true)
    }
  }

  #release(client: pg.PoolClient, broken?: Error): void {
    if (broken?.message === noAnswer) this.#suspectBefore = performance.now()
    client.release(broken)
  }

  async #query(query: TimedQuery): Promise<pg.QueryResult> {
    const client = await this.#acquire()
    try {
      const result = await client.query(query)
      this.#release(client)
      return result
    } catch (error) {
      this.#release(client, error as Error)
      throw error
    }
  }

  pool(): { size: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool
    return { size: totalCount, idle: idleCount, waiting: waitingCount }
  }

  /** Needs no thread: the database server works in its own processes. */
  background(): Reader {
    return this.#reader
  }

  bytesOf(column: string): RawSql {
    return new RawSql(`convert_to(${column}, 'UTF8')`)
  }

  get<Row>(query: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row | undefined> {
    return this.#reader.get<Row>(query, ...parameters)
  }

  all<Row>(query: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row[]> {
    return this.#reader.all<Row>(query, ...parameters)
  }

  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return retried(() => this.#within('BEGIN', work))
  }

  /** Without BEGIN and COMMIT, which are two more round trips. */
  statement(query: Query): Promise<number> {
    return retried(() => this.#reader.run(query))
  }

  /** The disk is that of the database server, which keeps its own reserve or none. */
  deletion<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.transaction(work)
  }

  snapshot<Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
    let cursors = 0
    return this.#within('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', async transaction => {
      // A snapshot locks nothing, and its reader may be slow.
      await transaction.run('SET LOCAL idle_in_transaction_session_timeout = 0')
      return work({
        get: transaction.get.bind(transaction),
        all: transaction.all.bind(transaction),
        each: async function* <Row>(sql: string, ...parameters: SqlValue[]) {
          // A unique name: another cursor may be open, or was not read to its end.
          const cursor = `each_row_${++cursors}`
          await transaction.run(`DECLARE ${cursor} CURSOR FOR ${sql}`, ...parameters)
          for (let count = 1; ; ) {
            const rows = await transaction.all<Row>(`FETCH ${count} FROM ${cursor}`)
            if (rows.length === 0) break
            yield* rows
            count = nextFetch(count, rows)
          }
          await transaction.run(`CLOSE ${cursor}`)
        },
      })
    })
  }

  async #within<Result>(begin: string, work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    const client = await this.#acquire()
    let broken: Error | undefined
    const onLost = (error: Error): void => {
      broken ??= error
    }
    client.on('error', onLost)
    const queries = new PostgresQueries(client as Queryable)
    try {
      await queries.run(begin)
      const result = await work(queries)
      await queries.run('COMMIT')
      return result
    } catch (error) {
      const cause = error instanceof AppError ? error.cause : error
      // A rollback would wait behind the statement that gets no answer.
      if (cause instanceof Error && cause.message === noAnswer) onLost(cause)
      else await client.query('ROLLBACK').catch(onLost)
      throw error
    } finally {
      client.off('error', onLost)
      this.#release(client, broken)
    }
  }

  #client(more: pg.ClientConfig = {}): pg.Client {
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: this.#waitMilliseconds,
      keepAlive: true,
      application_name: `banyan on ${hostname()}, process ${process.pid}`,
      types,
      ...more,
    })
    // An unhandled error event would end the process; the running statement fails anyway.
    client.on('error', () => {})
    return client
  }

  /** A connection beside the pool, for short statements only. */
  async connect(): Promise<pg.Client> {
    const client = this.#client({ query_timeout: this.#waitMilliseconds })
    await client.connect()
    return client
  }

  /** Runs work that needs neither transaction nor timeout, such as building an index, on its own connection. */
  async session<Result>(work: (session: Transaction) => Promise<Result>): Promise<Result> {
    const client = this.#client()
    try {
      await client.connect()
      const session = new PostgresQueries(client as Queryable)
      // The defaults of the server or the role may set timeouts.
      await session.get(`SELECT set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false),
        set_config('idle_in_transaction_session_timeout', '0', false)`)
      return await work(session)
    } catch (error) {
      throw postgresError(error)
    } finally {
      await client.end().catch(() => {})
    }
  }

  /**
   * A session of one process at a time: false when another one holds the lock. Rejects with the signal's reason when that
   * is aborted: an index may take hours, which the server goes on building.
   */
  maintain(
    lock: number,
    work: (session: Transaction) => Promise<void>,
    signal: AbortSignal,
  ): Promise<boolean> {
    return this.session(async session => {
      if (!(await tryLock(session, lock))) return false
      await unlessAborted(work(session), signal)
      return true
    })
  }

  getNow(): undefined {
    return undefined
  }

  /** Another replica may commit at any moment, and checking costs as much as reading. */
  generation(): undefined {
    return undefined
  }

  async time(): Promise<number> {
    const text = 'SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS now'
    // Read every few seconds and answered at once, so it finds half-open connections soon.
    const { rows } = await this.#query({ text, query_timeout: 5000 })
    return rows[0].now
  }

  async check(): Promise<void> {
    await this.get('SELECT 1 AS one')
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }
}
