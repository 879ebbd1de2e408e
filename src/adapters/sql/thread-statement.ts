import { Worker } from 'node:worker_threads'
import type { SqlValue } from '../../database/sql.ts'

/** The start data of a thread with its own connection. */
export interface ThreadData {
  path: string
  readOnly: boolean
}

export const startSqliteThread = (workerData: ThreadData): Worker =>
  new Worker(new URL('./sqlite-thread.ts', import.meta.url), {
    workerData,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })

export interface ThreadStatement {
  /** Whether its rows are the result. */
  isRead: boolean
  text: string
  parameters: readonly SqlValue[]
}

export interface ThreadRows {
  names: readonly string[]
  rows: SqlValue[][]
}

export type ThreadResult =
  | ThreadRows
  | { changes: number }
  | { error: { message: string; errcode: number | undefined } }

/** The driver's error, if that is the result. */
export const failureOf = (result: ThreadResult): Error | undefined =>
  'error' in result ? Object.assign(new Error(result.error.message), result.error) : undefined
