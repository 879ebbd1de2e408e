import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../database/database.ts'
import { releaseReserve } from './disk-reserve.ts'
import { migrate } from './migrate.ts'
import type { MigrationLog } from './migration-lock.ts'
import type { PoolOptions } from './postgres-database.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { isBusy, isFull } from './sqlite-error.ts'
import { startFailure } from './start-failure.ts'

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

/** That of the settings, for tools and tests. */
const defaultPool: PoolOptions = { poolSize: 10, waitMilliseconds: 5000, statementMilliseconds: 30_000 }

interface DatabaseOptions {
  url: string | undefined
  folder: string
  pool?: PoolOptions
  log?: MigrationLog
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
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = sqlitePath(folder)
  await useWal(path)
  try {
    return new SqliteDatabase(path)
  } catch (error) {
    if (!isFull(error)) throw error
    // The index of the log needs space as well; without a start nothing could be deleted.
    await releaseReserve(path)
    return new SqliteDatabase(path)
  }
}

/** SQLite in `folder`, or PostgreSQL where a URL is given; migrated and ready. Fails with a sentence for the operator. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  let database: Database | undefined
  try {
    database = await connect(options)
    await migrate(database, options.log)
    return database
  } catch (error) {
    await database?.close().catch(() => {})
    throw startFailure(error, databasePlace(options))
  }
}
