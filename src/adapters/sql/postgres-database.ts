import { hostname } from 'node:os'
import pg from 'pg'
import type { Database, Reader, Snapshot, Transaction } from '../../database/database.ts'
import { type Query, RawSql, type SqlValue, toQuery } from '../../database/sql.ts'
import { AppError } from '../../kernel/app-error.ts'
import { LruMap } from '../../kernel/lru-map.ts'
import { unlessAborted } from '../../kernel/unless-aborted.ts'
import { tryLock } from './postgres-lock.ts'

const serialization = '40001'
const deadlock = '40P01'
/** Another transaction inserted the same key a moment ago; a retry finds its row. */
const uniqueViolation = '23505'

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const isRetryable = (error: unknown): boolean =>
  [serialization, deadlock, uniqueViolation].includes(codeOf(error))

async function retried<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= 5 || !isRetryable(error)) throw error
    }
  }
}

const noAnswer = 'Query read timeout'
const network = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_|EHOST|ENET)/
const messages =
  /Connection terminated|Client has encountered a connection error|not currently accepting connections/

/** Maps driver errors about the server's state to application errors; others stay as they are. */
function postgresError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error
  const code = codeOf(error)
  if (code === '53100')
    return new AppError('storage_full', "The database's disk is full; nothing was stored", { cause: error })
  if (code === '57014')
    return new AppError(
      'timed_out',
      'The database did not answer within DATABASE_STATEMENT_SECONDS. Try again in a moment.',
      { cause: error },
    )
  if (isExhausted(error)) return allInUse(error)
  // 08: connection, 53: resources, 57P: shutdown or start, 25P03: the transaction was idle for too long.
  const unavailable = /^(08|53|57P)/.test(code) || code === '25006' || code === '25P03'
  const isUnreachable =
    unavailable || network.test(code) || messages.test(error.message) || error.message === noAnswer
  return isUnreachable ? unreachable(error) : error
}

/** The pool's message when no connection became free in time. */
const isExhausted = (error: unknown): boolean =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect'

const allInUse = (cause: unknown): AppError =>
  new AppError(
    'unavailable',
    'All connections to the database are in use. Try again in a moment; if this happens often, raise DATABASE_POOL_SIZE.',
    { cause, headers: { 'retry-after': '2' } },
  )

/** No connection could be opened, for whatever reason. */
const noConnection = (error: unknown): AppError => (isExhausted(error) ? allInUse(error) : unreachable(error))

const unreachable = (cause: unknown): AppError =>
  new AppError('unavailable', 'The database cannot be reached right now. Try again in a moment.', {
    cause,
    headers: { 'retry-after': '2' },
  })

const int8 = 20
/** Counts and times are far below 2^53, so they travel as plain numbers. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

const numbered = new LruMap<string, string>(500)

/** `?` becomes `$1`, `$2`, …; the statements hold no other question mark. */
function numberParameters(sql: string): string {
  let text = numbered.get(sql)
  if (text === undefined) {
    let count = 0
    text = sql.replaceAll('?', () => `$${++count}`)
    numbered.set(sql, text)
  }
  return text
}

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

interface Queryable {
  query(text: string, values: SqlValue[]): Promise<pg.QueryResult>
}

class Queries implements Transaction {
  readonly #client: Queryable

  constructor(client: Queryable) {
    this.#client = client
  }

  async get<Row>(query: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row | undefined> {
    return (await this.all<Row>(query, ...parameters))[0]
  }

  async all<Row>(given: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row[]> {
    const query = toQuery(given, parameters)
    return (await this.#query(query)).rows.map(row => query.decode(row))
  }

  async run(query: Query | string, ...parameters: SqlValue[]): Promise<number> {
    return (await this.#query(toQuery(query, parameters))).rowCount ?? 0
  }

  async #query({ text, parameters }: Query): Promise<pg.QueryResult> {
    try {
      return await this.#client.query(numberParameters(text), [...parameters])
    } catch (error) {
      throw postgresError(error)
    }
  }
}

export class PostgresDatabase implements Database {
  readonly dialect = 'postgres'
  readonly forUpdate = new RawSql('FOR UPDATE')
  readonly forClaim = new RawSql('FOR UPDATE SKIP LOCKED')
  readonly rowName = new RawSql('ctid')
  readonly #url: string
  readonly #waitMilliseconds: number
  readonly #pool: pg.Pool
  readonly #reader: Queries
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
    this.#reader = new Queries({ query: (text, values) => this.#query({ text, values }) })
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
    const queries = new Queries(client as Queryable)
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
      const session = new Queries(client as Queryable)
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
