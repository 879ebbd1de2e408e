import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../database/database.ts'
import { migrate } from './migrate.ts'
import type { MigrationLog } from './migration-lock.ts'
import type { PoolOptions } from './postgres-database.ts'
import { SqliteDatabase } from './sqlite-database.ts'

/** Switching to WAL needs exclusive access for a moment; another process may be starting right now. */
async function useWal(path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const connection = new DatabaseSync(path, { timeout: 10_000 })
    try {
      connection.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (attempt >= 50) throw error
      await sleep(100)
    } finally {
      connection.close()
    }
  }
}

/** That of the settings, for tools and tests. */
const defaultPool: PoolOptions = { poolSize: 10, waitMilliseconds: 5000, statementMilliseconds: 30_000 }

/** SQLite in `folder`, or PostgreSQL where a URL is given; migrated and ready. */
export async function openDatabase(options: {
  url: string | undefined
  folder: string
  pool?: PoolOptions
  log?: MigrationLog
}): Promise<Database> {
  let database: Database
  if (options.url) {
    // Loaded on demand, to keep the start on SQLite fast.
    const { PostgresDatabase } = await import('./postgres-database.ts')
    database = new PostgresDatabase(options.url, options.pool ?? defaultPool)
  } else {
    await mkdir(options.folder, { recursive: true, mode: 0o700 })
    const path = join(options.folder, 'banyan.db')
    await useWal(path)
    database = new SqliteDatabase(path)
  }
  await migrate(database, options.log)
  return database
}
