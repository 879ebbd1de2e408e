import type { Worker } from 'node:worker_threads'
import { limits } from '../../contract/limits.ts'
import type { Reader } from '../../database/database.ts'
import { type Query, type SqlValue, toQuery } from '../../database/sql.ts'
import { AppError } from '../../kernel/app-error.ts'
import { reportsOf, ThreadPool } from '../workers/thread-pool.ts'
import { toRow } from './sqlite-connection.ts'
import { sqliteError } from './sqlite-error.ts'
import {
  failureOf,
  startSqliteThread,
  type ThreadResult,
  type ThreadRows,
  type ThreadStatement,
} from './thread-statement.ts'

/** For one workspace. More would take the processors of a small machine from the main thread and the writer. */
const threads = 2
/** Starting a thread takes a tenth of a second, which a user who filters a list would notice each time. */
const idleMilliseconds = 300_000

const endless = new AbortController().signal

/**
 * Reads in threads with read-only connections of their own, so that a read of some milliseconds does not delay other
 * requests, and workspaces take turns. A read sees everything that was committed before it was requested.
 */
export class SqliteReaders {
  readonly #pool: ThreadPool

  constructor(path: string) {
    this.#pool = new ThreadPool({
      threads,
      maxWaiting: limits.waitingReads,
      idleMilliseconds,
      start: () => startSqliteThread({ path, readOnly: true }),
      tooMany: () =>
        new AppError(
          'rate_limited',
          'Too many lists of this workspace are waiting to be read; try again later',
          {
            headers: { 'retry-after': '1' },
          },
        ),
      closed: () => new AppError('unavailable', 'The server is stopping; try again later'),
    })
  }

  of(tenant: string): Reader {
    const read = async <Row>(query: Query<Row>): Promise<Row[]> => {
      const { text, parameters } = query
      const statement = { isRead: true, text, parameters }
      const result = await this.#pool.run(tenant, () => statement, exchange, endless)
      const failure = failureOf(result)
      if (failure) throw sqliteError(failure)
      const { names, rows } = result as ThreadRows
      return rows.map(values => query.decode(toRow(names, values)))
    }
    return {
      get: async <Row>(query: Query<Row> | string, ...parameters: SqlValue[]) =>
        (await read<Row>(toQuery(query, parameters)))[0],
      all: <Row>(query: Query<Row> | string, ...parameters: SqlValue[]) =>
        read<Row>(toQuery(query, parameters)),
    }
  }

  close(): Promise<void> {
    return this.#pool.close()
  }
}

const crashed = (cause: Error): AppError =>
  new AppError('unavailable', 'A database thread stopped; try again', { cause })

async function exchange(
  worker: Worker,
  statement: ThreadStatement,
  stopping: AbortSignal,
): Promise<ThreadResult> {
  worker.postMessage(statement)
  const reports = reportsOf<ThreadResult>(worker, stopping, new AbortController(), crashed)
  for await (const result of reports) return result
  throw crashed(new Error('The thread sent no result'))
}
