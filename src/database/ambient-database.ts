import { AsyncLocalStorage } from 'node:async_hooks'
import { AppError } from '../kernel/app-error.ts'
import type { Database, Reader, Snapshot, Transaction } from './database.ts'
import type { Query, RawSql, SqlValue } from './sql.ts'

/** What else is committed with a unit of work. */
interface UnitWrites<Result> {
  /** Makes the first write, just before that of the work. */
  begin?(transaction: Transaction): Promise<void>
  /** Makes the last write. */
  end?(transaction: Transaction, result: Result): Promise<void>
}

/** Writes one more row in the transaction of a change, and gets what the transaction returns. */
type ChangeRecorder = (transaction: Transaction, result: unknown) => Promise<void>

/**
 * A database whose transactions inside `inOneTransaction` join one transaction, which begins with the first of them.
 * Reads there see what it has written.
 */
export class AmbientDatabase implements Database {
  readonly dialect: Database['dialect']
  readonly forUpdate: RawSql
  readonly forClaim: RawSql
  readonly rowName: RawSql
  /**
   * For writes that are part of no unit of work and no recorded change, such as those of a cache. Nothing may wait for them
   * while a unit is open: SQLite has one writer.
   */
  readonly apart: Database
  readonly #driver: Database
  readonly #scopes = new AsyncLocalStorage<Scope>()
  readonly #recordings = new AsyncLocalStorage<Recording>()

  constructor(driver: Database) {
    this.#driver = driver
    this.apart = driver
    this.dialect = driver.dialect
    this.forUpdate = driver.forUpdate
    this.forClaim = driver.forClaim
    this.rowName = driver.rowName
  }

  /**
   * Runs `work` as a unit: nothing is committed if it, or a transaction inside it, fails. From its first write on it
   * awaits nothing but the database. A unit of work inside another one joins it.
   */
  async inOneTransaction<Result>(
    work: () => Promise<Result>,
    { begin, end }: UnitWrites<Result> = {},
  ): Promise<Result> {
    const outer = this.#scopes.getStore()
    if (outer && !outer.isOver) {
      if (begin) await outer.join(begin)
      const result = await work()
      if (end) await outer.join(transaction => end(transaction, result))
      return result
    }
    const scope = new Scope(this.#driver, begin)
    let isCommitting = false
    try {
      const result = await this.#scopes.run(scope, work)
      if (end) await scope.join(transaction => end(transaction, result))
      isCommitting = true
      await scope.commit()
      for (const action of scope.afterwards) await action()
      return result
    } catch (error) {
      const failure = await scope.rollBack(error)
      // A commit that failed may have reached the database.
      if (!isCommitting) for (const action of scope.undoing) await action()
      throw failure
    }
  }

  /**
   * `record` writes in the first transaction of `work` that changes a row, after its other writes: either both are
   * committed or neither. Unlike a unit of work it holds no transaction open, so `work` may await anything, and a
   * transaction can be repeated.
   */
  async recording<Result>(record: ChangeRecorder, work: () => Result): Promise<Awaited<Result>> {
    const recording = new Recording(record)
    try {
      return await this.#recordings.run(recording, work)
    } finally {
      recording.isOver = true
    }
  }

  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    isLarge?: boolean,
  ): Promise<Result> {
    return this.#write(work, recorded => this.#driver.transaction(recorded, isLarge), isLarge)
  }

  statement(query: Query): Promise<number> {
    const [scope, recording] = [this.#scopes.getStore(), this.#recordings.getStore()]
    return (scope && !scope.isOver) || (recording && !recording.isOver)
      ? this.transaction(transaction => transaction.run(query))
      : this.#driver.statement(query)
  }

  deletion<Result>(work: (transaction: Transaction) => Promise<Result>, isLarge?: boolean): Promise<Result> {
    return this.#write(work, recorded => this.#driver.deletion(recorded, isLarge), isLarge)
  }

  #write<Result>(work: TransactionWork<Result>, write: Write<Result>, isLarge?: boolean): Promise<Result> {
    const scope = this.#scopes.getStore()
    const into: Write<Result> = scope && !scope.isOver ? given => scope.join(given, isLarge) : write
    const recording = this.#recordings.getStore()
    return recording && !recording.isOver ? recording.write(work, into) : into(work)
  }

  /** Runs `action` once what was written is committed: now, unless a unit of work is open, which then waits for it. */
  async whenCommitted(action: () => void | Promise<void>): Promise<void> {
    const scope = this.#scopes.getStore()
    if (scope && !scope.isOver) scope.afterwards.push(action)
    else await action()
  }

  /** Runs `action` if the open unit of work fails, when nothing that it wrote exists any more. */
  whenRolledBack(action: () => Promise<void>): void {
    const scope = this.#scopes.getStore()
    if (scope && !scope.isOver) scope.undoing.push(action)
  }

  get<Row>(query: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row | undefined> {
    return this.#reader().get(query as Query<Row>, ...(parameters as []))
  }

  getNow<Row>(query: Query<Row>): Row | undefined {
    // Only `get` sees what the open transaction has written.
    return this.#scopes.getStore()?.transaction ? undefined : this.#driver.getNow(query)
  }

  all<Row>(query: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row[]> {
    return this.#reader().all(query as Query<Row>, ...(parameters as []))
  }

  #reader(): Reader {
    return this.#scopes.getStore()?.transaction ?? this.#driver
  }

  background(tenant: string): Reader {
    return this.#scopes.getStore()?.transaction ?? this.#driver.background(tenant)
  }

  bytesOf(column: string): RawSql {
    return this.#driver.bytesOf(column)
  }

  snapshot<Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
    return this.#driver.snapshot(work)
  }

  time(): Promise<number> {
    return this.#driver.time()
  }

  generation(): number | undefined {
    return this.#driver.generation()
  }

  check(): Promise<void> {
    return this.#driver.check()
  }

  pool(): ReturnType<NonNullable<Database['pool']>> {
    return this.#driver.pool?.()
  }

  close(): Promise<void> {
    return this.#driver.close()
  }
}

type TransactionWork<Result> = (transaction: Transaction) => Promise<Result>
type Write<Result> = (work: TransactionWork<Result>) => Promise<Result>

class Recording {
  readonly #record: ChangeRecorder
  /** Set when the change and its record are committed: later writes in this context are not recorded again. */
  isOver = false

  constructor(record: ChangeRecorder) {
    this.#record = record
  }

  async write<Result>(work: TransactionWork<Result>, write: Write<Result>): Promise<Result> {
    let hasChanged = false
    const result = await write(async transaction => {
      const watched = new WatchedTransaction(transaction)
      const done = await work(watched)
      hasChanged = watched.hasChanged
      if (hasChanged) await this.#record(transaction, done)
      return done
    })
    this.isOver ||= hasChanged
    return result
  }
}

/** Notices whether a row was changed. */
class WatchedTransaction implements Transaction {
  readonly #transaction: Transaction
  hasChanged = false

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  async get<Row>(query: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row | undefined> {
    const row = await this.#transaction.get(query as Query<Row>, ...(parameters as []))
    if (row !== undefined) this.#returned(query)
    return row
  }

  async all<Row>(query: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row[]> {
    const rows = await this.#transaction.all(query as Query<Row>, ...(parameters as []))
    if (rows.length > 0) this.#returned(query)
    return rows
  }

  async run(query: Query | string, ...parameters: SqlValue[]): Promise<number> {
    const changed = await this.#transaction.run(query, ...parameters)
    if (changed > 0) this.hasChanged = true
    return changed
  }

  /** A statement that returned rows changed them, unless it only reads. */
  #returned(query: Query | string): void {
    if (!/^\s*(SELECT|WITH)\b/i.test(typeof query === 'string' ? query : query.text)) this.hasChanged = true
  }
}

/** One transaction that stays open between the transactions that join it. */
class Scope {
  readonly #driver: Database
  readonly #begin: UnitWrites<unknown>['begin']
  /** Resolved to commit, rejected to roll back. */
  readonly #decision = Promise.withResolvers<void>()
  #opened: Promise<Transaction> | undefined
  #committed: Promise<void> | undefined
  #hasFailed = false
  readonly afterwards: (() => void | Promise<void>)[] = []
  readonly undoing: (() => Promise<void>)[] = []
  /** Set while the transaction is open. */
  transaction: Transaction | undefined
  /** Code that still runs in this context afterwards, such as a timer, is not part of the transaction. */
  isOver = false

  constructor(driver: Database, begin: UnitWrites<unknown>['begin']) {
    this.#driver = driver
    this.#begin = begin
  }

  /** `isLarge` has an effect only where it begins the transaction. */
  async join<Result>(work: TransactionWork<Result>, isLarge?: boolean): Promise<Result> {
    const transaction = await this.#open(isLarge)
    try {
      return await work(transaction)
    } catch (error) {
      // The transaction still contains the other writes of `work`, which must not be committed.
      this.#hasFailed = true
      throw error
    }
  }

  #open(isLarge: boolean | undefined): Promise<Transaction> {
    if (this.#opened) return this.#opened
    const { promise, resolve, reject } = Promise.withResolvers<Transaction>()
    this.#opened = promise
    let isRepeated = false
    this.#committed = this.#driver.transaction(async transaction => {
      // The driver retries after a conflict, but the code that has used the transaction cannot be repeated.
      if (isRepeated) throw conflict()
      isRepeated = true
      await this.#begin?.(transaction)
      this.transaction = transaction
      resolve(transaction)
      await this.#decision.promise
    }, isLarge)
    this.#committed.catch(reject)
    return promise
  }

  async commit(): Promise<void> {
    if (this.#hasFailed) throw new Error('A transaction failed inside a unit of work that went on')
    this.#close()
    this.#decision.resolve()
    await this.#committed
  }

  /** Returns the error to report: for a conflict between transactions, the error of the driver says more. */
  async rollBack(error: unknown): Promise<unknown> {
    this.#close()
    this.#decision.reject(error)
    this.#decision.promise.catch(() => {})
    return (
      this.#committed?.then(
        () => error,
        (reported: unknown) => reported,
      ) ?? error
    )
  }

  #close(): void {
    this.isOver = true
    this.transaction = undefined
  }
}

const conflict = (): AppError =>
  new AppError('unavailable', 'Another request changed the same data at the same time; try again', {
    headers: { 'retry-after': '1' },
  })
