import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isBusy, sqliteError } from './sqlite-error.ts'

/**
 * Whether another process has the database in `folder` open. Leaving WAL mode needs exclusive access, and every
 * process that opened the file holds a lock on it even while idle; a lock ends with its process.
 * Opening the database turns WAL on again.
 */
export function isSqliteInUse(folder: string): boolean {
  const path = join(folder, 'banyan.db')
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
