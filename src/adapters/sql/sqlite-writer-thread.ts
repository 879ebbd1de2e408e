import type { Worker } from 'node:worker_threads'
import type { Transaction } from '../../database/database.ts'
import { type Query, type SqlValue, toQuery } from '../../database/sql.ts'
import { AppError } from '../../kernel/app-error.ts'
import { toRow } from './sqlite-connection.ts'
import {
  failureOf,
  startSqliteThread,
  type ThreadResult,
  type ThreadRows,
  type ThreadStatement,
} from './thread-statement.ts'

const noThread = (cause?: unknown): AppError =>
  new AppError('unavailable', 'The thread that writes to the database is not available; try again', { cause })

/**
 * A writing connection in a thread, for transactions of many bytes: a commit of a megabyte takes some milliseconds, in which
 * the main thread would answer no request. There is one transaction at a time, because SQLite has one writer.
 */
export class SqliteWriterThread implements Transaction {
  readonly #path: string
  #worker: Worker | undefined
  /** Statements that were sent, in their order. */
  readonly #sent: PromiseWithResolvers<ThreadResult>[] = []

  constructor(path: string) {
    this.#path = path
  }

  /** Only here a thread is started: in the middle of a transaction, a new one would not know the first half. */
  async begin(): Promise<void> {
    try {
      this.#worker ??= this.#start()
    } catch (error) {
      throw noThread(error)
    }
    await this.run('BEGIN IMMEDIATE')
  }

  async get<Row>(query: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row | undefined> {
    return (await this.#rows<Row>(toQuery(query, parameters)))[0]
  }

  all<Row>(query: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row[]> {
    return this.#rows<Row>(toQuery(query, parameters))
  }

  async run(query: Query | string, ...parameters: SqlValue[]): Promise<number> {
    const { changes } = (await this.#send(toQuery(query, parameters), false)) as { changes: number }
    return changes
  }

  async #rows<Row>(query: Query<Row>): Promise<Row[]> {
    const { names, rows } = (await this.#send(query, true)) as ThreadRows
    return rows.map(values => query.decode(toRow(names, values)))
  }

  async #send({ text, parameters }: Query, isRead: boolean): Promise<ThreadResult> {
    if (!this.#worker) throw noThread()
    const sent = Promise.withResolvers<ThreadResult>()
    this.#sent.push(sent)
    this.#worker.postMessage({ isRead, text, parameters } satisfies ThreadStatement)
    const result = await sent.promise
    const failure = failureOf(result)
    if (failure) throw failure
    return result
  }

  #start(): Worker {
    const worker = startSqliteThread({ path: this.#path, readOnly: false })
    worker.on('message', (result: ThreadResult) => this.#sent.shift()!.resolve(result))
    let cause: Error | undefined
    worker.on('error', (error: Error) => {
      cause = error
    })
    worker.on('exit', () => {
      this.#worker = undefined
      for (const { reject } of this.#sent.splice(0)) reject(noThread(cause))
    })
    return worker
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
  }
}
