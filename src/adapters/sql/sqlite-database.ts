import { closeSync, fdatasync, openSync } from 'node:fs'
import type { StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Reader, Snapshot, Transaction } from '../../database/database.ts'
import { type Query, RawSql, type SqlValue } from '../../database/sql.ts'
import { AppError } from '../../kernel/app-error.ts'
import { nextTurn } from '../../kernel/pause.ts'
import { Checkpointer } from './checkpointer.ts'
import { DiskReserve } from './disk-reserve.ts'
import { Connection, openConnection } from './sqlite-connection.ts'
import { isBusy, isFull, sqliteError } from './sqlite-error.ts'
import { SqliteReaders } from './sqlite-readers.ts'
import { SqliteWriterThread } from './sqlite-writer-thread.ts'

interface Pending {
  isLarge: boolean
  isDeletion: boolean
  run(transaction: Transaction): Promise<void>
  settle(): void
  fail(error: unknown): void
}

/** The largest number of transactions that share one commit. */
const groupSize = 256
/** A group that takes longer is committed without its rest: statements run on the main thread. */
const groupMilliseconds = 10
/** How long a write waits for another process's write. */
const lockMilliseconds = 10_000

const unavailable = (message: string, cause: unknown): AppError =>
  new AppError('unavailable', message, { cause })

function fail(error: unknown): never {
  throw sqliteError(error)
}

export class SqliteDatabase implements Database {
  readonly dialect = 'sqlite'
  readonly forUpdate = new RawSql('')
  readonly forClaim = new RawSql('')
  readonly rowName = new RawSql('rowid')
  readonly #path: string
  readonly #writer: Connection
  /** The same connection, as transactions use it. */
  readonly #transaction: PausingWriter
  readonly #thread: SqliteWriterThread
  readonly #reader: Connection
  readonly #readers: SqliteReaders
  readonly #dataVersion: StatementSync
  #generation = 0
  /** Whether the generation was read in this turn of the event loop. */
  #isFresh = false
  readonly #wal: number
  readonly #checkpointer: Checkpointer
  readonly #reserve: DiskReserve
  #queue: Pending[] = []
  #draining: Promise<void> | undefined
  /** After a failed sync it is unknown what reached the disk, so nothing more is acknowledged until a restart. */
  #broken: unknown

  constructor(path: string) {
    this.#path = path
    this.#writer = new Connection(openConnection(path, { readOnly: false, timeout: 0 }))
    this.#transaction = new PausingWriter(this.#writer)
    this.#thread = new SqliteWriterThread(path)
    // Reading creates the -wal file; it stays the same file while a connection is open.
    this.#writer.handle.exec('SELECT 1 FROM sqlite_schema')
    this.#wal = openSync(`${path}-wal`, 'r+')
    this.#checkpointer = new Checkpointer(path, this.#wal)
    this.#reserve = new DiskReserve(path)
    this.#reader = new Connection(openConnection(path, { readOnly: true, timeout: 1000 }))
    this.#readers = new SqliteReaders(path)
    this.#dataVersion = this.#reader.handle.prepare('PRAGMA data_version')
  }

  background(tenant: string): Reader {
    return this.#readers.of(tenant)
  }

  bytesOf(column: string): RawSql {
    return new RawSql(`CAST(${column} AS BLOB)`)
  }

  get<Row>(query: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row | undefined> {
    return this.#reader.get<Row>(query, ...parameters).catch(fail)
  }

  getNow<Row>(query: Query<Row>): Row | undefined {
    try {
      return this.#reader.getNow(query)
    } catch (error) {
      return fail(error)
    }
  }

  all<Row>(query: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row[]> {
    return this.#reader.all<Row>(query, ...parameters).catch(fail)
  }

  transaction<Result>(work: (transaction: Transaction) => Promise<Result>, isLarge = false): Promise<Result> {
    return this.#enqueue(work, { isLarge, isDeletion: false })
  }

  statement(query: Query): Promise<number> {
    return this.transaction(transaction => transaction.run(query))
  }

  deletion<Result>(work: (transaction: Transaction) => Promise<Result>, isLarge = false): Promise<Result> {
    return this.#enqueue(work, { isLarge, isDeletion: true })
  }

  #enqueue<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    kind: Pick<Pending, 'isLarge' | 'isDeletion'>,
  ): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      let result: Result
      this.#queue.push({
        ...kind,
        run: async transaction => {
          result = await work(transaction)
        },
        settle: () => resolve(result),
        fail: reject,
      })
      this.#draining ??= this.#drain()
    })
  }

  /** Group commit: transactions that queue up while the last group is synced share the next commit. */
  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      // One turn of the event loop lets requests that arrived together share a commit.
      await this.#transaction.startTurn()
      await this.#checkpointer.makeRoom()
      const group = this.#nextGroup()
      try {
        await this.#commitDurably(group)
        this.#checkpointer.committed()
      } catch (error) {
        await this.#handleFailure(group, error)
      }
    }
    this.#draining = undefined
  }

  /** A large transaction alone, otherwise all before the next large one. */
  #nextGroup(): Pending[] {
    const large = this.#queue.slice(0, groupSize).findIndex(({ isLarge }) => isLarge)
    return this.#queue.splice(0, large === -1 ? groupSize : Math.max(1, large))
  }

  async #commitDurably(group: Pending[]): Promise<void> {
    this.#assertIntact()
    const [first] = group
    const outcomes = first!.isLarge ? [await this.#commitInThread(first!)] : await this.#commit(group)
    this.#isFresh = false
    await this.#sync()
    for (const report of outcomes) report()
  }

  /** On a full disk deletions are tried once more with the space of the reserve; all others fail. */
  async #handleFailure(group: Pending[], error: unknown): Promise<void> {
    const deletions = isFull(error) ? group.filter(pending => pending.isDeletion) : []
    for (const pending of group) if (!deletions.includes(pending)) pending.fail(sqliteError(error))
    if (deletions.length === 0) return
    await this.#reserve
      .lend(async () => {
        await this.#commitDurably(deletions)
        // Gives the space of the log back.
        this.#writer.do('PRAGMA wal_checkpoint(TRUNCATE)')
      })
      .catch((again: unknown) => {
        for (const pending of deletions) pending.fail(sqliteError(again))
      })
  }

  /**
   * Runs the group in one transaction; a failing member is rolled back alone. Returns how to report each outcome, failures
   * too: one may be caused by what another member wrote, and is true only once that is committed. Members that would take
   * too long together go back to the queue.
   */
  async #commit(group: Pending[]): Promise<(() => void)[]> {
    const outcomes: (() => void)[] = []
    await this.#begin(async () => this.#writer.do('BEGIN IMMEDIATE'))
    const end = performance.now() + groupMilliseconds
    try {
      for (const [index, pending] of group.entries()) {
        if (index > 0 && performance.now() > end) {
          this.#queue.unshift(...group.splice(index))
          break
        }
        this.#writer.do('SAVEPOINT one')
        try {
          await pending.run(this.#transaction)
          outcomes.push(() => pending.settle())
        } catch (error) {
          // A full disk may already have rolled back the whole transaction; then none of the group is committed.
          if (!this.#writer.handle.isTransaction || isFull(error)) throw error
          this.#writer.do('ROLLBACK TO one')
          outcomes.push(() => pending.fail(sqliteError(error)))
        }
        this.#writer.do('RELEASE one')
      }
      this.#writer.do('COMMIT')
      return outcomes
    } catch (error) {
      if (this.#writer.handle.isTransaction) this.#writer.do('ROLLBACK')
      throw error
    }
  }

  /** Returns how to report the outcome. */
  async #commitInThread(pending: Pending): Promise<() => void> {
    await this.#begin(() => this.#thread.begin())
    try {
      await pending.run(this.#thread)
      await this.#thread.run('COMMIT')
      return () => pending.settle()
    } catch (error) {
      // Unless it is rolled back already: by SQLite on a full disk, or with the thread.
      await this.#thread.run('ROLLBACK').catch(() => {})
      if (isFull(error)) throw error
      return () => pending.fail(sqliteError(error))
    }
  }

  /** Another process may be writing. Waiting inside SQLite would block the event loop, so the wait is outside. */
  async #begin(begin: () => Promise<void>): Promise<void> {
    const giveUpAt = performance.now() + lockMilliseconds
    for (;;) {
      try {
        return await begin()
      } catch (error) {
        if (!isBusy(error) || performance.now() > giveUpAt) throw error
        await sleep(2)
      }
    }
  }

  #sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      fdatasync(this.#wal, error => {
        if (!error) return resolve()
        this.#broken = error
        reject(
          unavailable('Syncing the database to disk failed. Check the disk, then restart the server.', error),
        )
      })
    })
  }

  async snapshot<Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
    const connection = new Connection(openConnection(this.#path, { readOnly: true, timeout: 1000 }))
    connection.handle.exec('BEGIN')
    try {
      return await work({
        get: connection.get.bind(connection),
        all: connection.all.bind(connection),
        each: async function* <Row>(sql: string, ...parameters: SqlValue[]) {
          for (const row of connection.handle.prepare(sql).iterate(...parameters)) yield row as Row
        },
      })
    } finally {
      connection.handle.close()
    }
  }

  /**
   * SQLite's data_version, which moves with every commit of another connection: ours that writes, or another
   * process. Asking costs about half as much as a read, so it is asked once per turn of the event loop.
   */
  generation(): number {
    if (this.#isFresh) return this.#generation
    this.#generation = (this.#dataVersion.get() as { data_version: number }).data_version
    this.#isFresh = true
    setImmediate(() => {
      this.#isFresh = false
    })
    return this.#generation
  }

  /** All processes that use the file run on one machine. */
  async time(): Promise<number> {
    return Date.now()
  }

  async check(): Promise<void> {
    this.#assertIntact()
    try {
      this.#reader.do('SELECT 1')
    } catch (error) {
      throw unavailable('The database cannot be read. Check the disk and the server log.', error)
    }
  }

  #assertIntact(): void {
    if (this.#broken)
      throw unavailable(
        'An earlier write to the database failed. Check the disk, then restart the server.',
        this.#broken,
      )
  }

  async close(): Promise<void> {
    await this.#draining
    await this.#reserve.close()
    await this.#checkpointer.close()
    await this.#readers.close()
    await this.#thread.close()
    this.#reader.handle.close()
    this.#writer.handle.close()
    closeSync(this.#wal)
  }
}

/** Statements run on the main thread: after so long other work comes in between. */
const turnMilliseconds = 2

/** The writing connection as transactions see it: it pauses between statements, so that requests are served meanwhile. */
class PausingWriter implements Transaction {
  readonly #connection: Transaction
  #turnEnds = 0

  constructor(connection: Transaction) {
    this.#connection = connection
  }

  get<Row>(query: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row | undefined> {
    const read = () => this.#connection.get<Row>(query as string, ...parameters)
    return this.#isOver() ? this.startTurn().then(read) : read()
  }

  all<Row>(query: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row[]> {
    const read = () => this.#connection.all<Row>(query as string, ...parameters)
    return this.#isOver() ? this.startTurn().then(read) : read()
  }

  run(query: Query | string, ...parameters: SqlValue[]): Promise<number> {
    const write = () => this.#connection.run(query, ...parameters)
    return this.#isOver() ? this.startTurn().then(write) : write()
  }

  #isOver(): boolean {
    return performance.now() > this.#turnEnds
  }

  async startTurn(): Promise<void> {
    await nextTurn()
    this.#turnEnds = performance.now() + turnMilliseconds
  }
}
