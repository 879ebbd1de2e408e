import { Worker } from 'node:worker_threads'
import type { Reader } from '../../database/database.ts'
import { type Query, type SqlValue, toQuery } from '../../database/sql.ts'
import { toRow } from './sqlite-connection.ts'
import { sqliteError } from './sqlite-error.ts'

export interface ReadTask {
  text: string
  parameters: readonly SqlValue[]
}
export type ReadResult =
  | { names: readonly string[]; rows: SqlValue[][] }
  | { error: { message: string; errcode: number | undefined } }

interface Waiting {
  resolve(result: ReadResult): void
  reject(error: Error): void
}

/** Half of the processors of a small machine: the main thread and the writer need the rest. */
const maxThreads = 2
const idleMilliseconds = 30_000

/**
 * Reads in threads with read-only connections of their own, so that a read of some milliseconds stops nobody else. A read
 * sees everything that was committed before it was requested.
 */
export class SqliteReaders implements Reader {
  readonly #path: string
  /** Each with the reads it has to answer, in their order. */
  readonly #threads = new Map<Worker, Waiting[]>()
  #idle: NodeJS.Timeout | undefined

  constructor(path: string) {
    this.#path = path
  }

  async get<Row>(query: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row | undefined> {
    return (await this.#read(toQuery(query, parameters)))[0]
  }

  all<Row>(query: Query<Row> | string, ...parameters: SqlValue[]): Promise<Row[]> {
    return this.#read(toQuery(query, parameters))
  }

  async #read<Row>(query: Query<Row>): Promise<Row[]> {
    const { text, parameters } = query
    const result = await this.#ask({ text, parameters })
    if ('error' in result) throw sqliteError(Object.assign(new Error(result.error.message), result.error))
    return result.rows.map(values => query.decode(toRow(result.names, values)))
  }

  #ask(task: ReadTask): Promise<ReadResult> {
    const [worker, waiting] = this.#thread()
    return new Promise((resolve, reject) => {
      waiting.push({ resolve, reject })
      worker.ref()
      worker.postMessage(task)
    })
  }

  /** The one with the least to do; a new one while all are busy. */
  #thread(): [Worker, Waiting[]] {
    clearTimeout(this.#idle)
    const [least] = [...this.#threads].sort(([, one], [, other]) => one.length - other.length)
    return least && (least[1].length === 0 || this.#threads.size === maxThreads) ? least : this.#start()
  }

  #start(): [Worker, Waiting[]] {
    const worker = new Worker(new URL('./sqlite-reader-thread.ts', import.meta.url), {
      workerData: { path: this.#path },
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    const waiting: Waiting[] = []
    let failure = new Error('A thread that reads the database ended')
    worker.on('message', (result: ReadResult) => {
      waiting.shift()?.resolve(result)
      if (waiting.length > 0) return
      worker.unref()
      this.#idle = setTimeout(() => void this.close(), idleMilliseconds).unref()
    })
    worker.on('error', error => {
      failure = error as Error
    })
    worker.on('exit', () => {
      this.#threads.delete(worker)
      for (const { reject } of waiting.splice(0)) reject(failure)
    })
    this.#threads.set(worker, waiting)
    return [worker, waiting]
  }

  /** Ends the threads; later reads start new ones. */
  async close(): Promise<void> {
    clearTimeout(this.#idle)
    await Promise.all([...this.#threads.keys()].map(worker => worker.terminate()))
  }
}
