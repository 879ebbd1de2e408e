import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../database/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { makeFolder } from '../../kernel/durable-files.ts'
import { StartError } from '../../kernel/start-error.ts'
import { releaseReserve } from './disk-reserve.ts'
import { migrate } from './migrate.ts'
import type { MigrationLog } from './migration-lock.ts'
import type { PoolOptions } from './postgres-database.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { isBusy, isFull, sqliteError } from './sqlite-error.ts'

type DriverError = NodeJS.ErrnoException & { errcode?: number; cause?: unknown }

/** Problems by the low byte of SQLite's error code. */
const sqliteProblems: Record<number, string> = {
  5: 'is locked by another process. Stop that process, or try again.',
  8: 'is read-only. Check the permissions of DATA_DIR and how its disk is mounted.',
  10: 'cannot be read or written: the disk reported an error. Check the disk of DATA_DIR.',
  11: 'is damaged. Restore a backup into an empty DATA_DIR.',
  14: 'cannot be opened. Check that DATA_DIR exists, is writable, and that its disk is not full.',
  26: 'is not a SQLite database. Put the right file back, or restore a backup into an empty DATA_DIR.',
}

const postgresProblems: Record<string, string> = {
  '28P01': 'rejected the password. Check DATABASE_URL.',
  '28000': 'rejected the user. Check DATABASE_URL.',
  '3D000': 'does not exist. Create the database, or check DATABASE_URL.',
  '42501':
    'does not allow the user to create tables and the extension vector. Grant the permissions, or create the extension as an administrator.',
  '58P01': 'has no extension vector. Install pgvector on the database server.',
  '0A000': 'has no extension vector. Install pgvector on the database server.',
  '53100': 'cannot be written: the disk of the database server is full.',
  '25006': 'is read-only. Connect to the primary server.',
}

const noPassword = /^SASL/

function problemOf(error: DriverError): string | undefined {
  const { code = '', errcode, message } = error
  if (isFull(error)) return 'cannot be written: the disk is full. Free some space.'
  if (errcode !== undefined) return sqliteProblems[errcode & 0xff] ?? `cannot be used: ${message}.`
  return noPassword.test(message) ? postgresProblems['28P01'] : postgresProblems[code]
}

/** A sentence for the operator, or the error itself if an operator cannot fix it. */
function startFailure(error: unknown, options: DatabaseOptions): unknown {
  if (!(error instanceof Error) || error instanceof StartError) return error
  const wrapped = error instanceof AppError && error.cause instanceof Error
  const cause = (wrapped ? error.cause : error) as DriverError
  const place = databasePlace(options)
  const problem = problemOf(cause)
  if (options.url && cause.path)
    return new StartError(
      `${cause.path} cannot be read (${cause.code}). Check the certificates and keys in DATABASE_URL.`,
      { cause },
    )
  if (problem !== undefined) return new StartError(`The database ${place} ${problem}`, { cause: error })
  if (error instanceof AppError)
    return new StartError(
      `The database ${place} cannot be reached (${cause.code ?? cause.message}). Check DATABASE_URL, and that the database server is running.`,
      { cause: error },
    )
  return error
}

/** Switching to WAL needs exclusive access for a moment; another process may be starting right now. */
async function useWal(path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const connection = new DatabaseSync(path, { timeout: 10_000 })
    try {
      connection.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (attempt >= 50 || !isBusy(error)) throw error
      await sleep(100)
    } finally {
      connection.close()
    }
  }
}

const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size

/** SQLite deletes a log without a database. After a crash, it may have most of the data. */
function refuseLostDatabase(path: string): void {
  const size = sizeOf(path)
  if (size || !sizeOf(`${path}-wal`)) return
  throw new StartError(
    `The database ${path} is ${size === 0 ? 'empty' : 'missing'}, but banyan.db-wal has its last changes. Nothing was changed. Put banyan.db back beside it; if both are lost, move banyan.db-wal away and restore a backup.`,
  )
}

/** The default settings, for tools and tests. */
const defaultPool: PoolOptions = { poolSize: 10, waitMilliseconds: 5000, statementMilliseconds: 30_000 }

interface DatabaseOptions {
  url: string | undefined
  folder: string
  pool?: PoolOptions
  log?: MigrationLog
  /** Other migrations than the program's own, for tests. */
  migrations?: URL
}

const sqlitePath = (folder: string): string => join(folder, 'banyan.db')

/** Where the database is, for messages: without the credentials of the URL. */
export function databasePlace({ url, folder }: DatabaseOptions): string {
  if (!url) return sqlitePath(folder)
  const parsed = URL.parse(url)
  return `${parsed?.pathname.slice(1) ?? ''} at ${parsed?.host || 'localhost'}`
}

async function connect({ url, folder, pool = defaultPool }: DatabaseOptions): Promise<Database> {
  if (url) {
    // Loaded on demand, to keep the start on SQLite fast.
    const { PostgresDatabase } = await import('./postgres-database.ts')
    return new PostgresDatabase(url, pool)
  }
  await makeFolder(folder)
  const path = sqlitePath(folder)
  refuseLostDatabase(path)
  await useWal(path)
  try {
    return new SqliteDatabase(path)
  } catch (error) {
    if (!isFull(error)) throw error
    // Opening needs space for the index of the log; if it failed, nothing could be deleted.
    await releaseReserve(path)
    return new SqliteDatabase(path)
  }
}

/** The database as it is, to inspect it: nothing is migrated, and a missing one is not created (undefined). */
export async function openUnmigrated(options: DatabaseOptions): Promise<Database | undefined> {
  if (!options.url && !existsSync(sqlitePath(options.folder))) return undefined
  let database: Database | undefined
  try {
    database = await connect(options)
    await database.check()
    return database
  } catch (error) {
    await database?.close().catch(() => {})
    throw startFailure(error, options)
  }
}

/** SQLite in `folder`, or PostgreSQL where a URL is given; migrated and ready. Fails with a sentence for the operator. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  let database: Database | undefined
  try {
    database = await connect(options)
    await migrate(database, options.log, options.migrations)
    return database
  } catch (error) {
    await database?.close().catch(() => {})
    throw startFailure(error, options)
  }
}

/**
 * Whether another process has the database in `folder` open. Leaving WAL mode needs exclusive access, and every
 * process that opened the file holds a lock on it even while idle; a lock ends with its process.
 * Opening the database turns WAL on again.
 */
export function isSqliteInUse(folder: string): boolean {
  const path = sqlitePath(folder)
  if (!existsSync(path)) return false
  const connection = new DatabaseSync(path, { timeout: 1000 })
  try {
    connection.exec('PRAGMA journal_mode = DELETE')
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw sqliteError(error)
  } finally {
    connection.close()
  }
}
