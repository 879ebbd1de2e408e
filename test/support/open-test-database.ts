import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import type { Database } from '../../src/database/database.ts'
import { migratedDatabase } from './migrated-database.ts'

export interface TestDatabase {
  database: Database
  /** A second connection to the same data, as another process would have. */
  openAgain(): Promise<Database>
  cleanup(): Promise<void>
}

/** A migrated, empty database of the kind under test. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const fresh = await migratedDatabase()
  const opened: Database[] = []
  const open = async (): Promise<Database> => {
    const database = await openDatabase(fresh)
    opened.push(database)
    return database
  }
  return {
    database: await open(),
    openAgain: open,
    cleanup: async () => {
      await Promise.all(opened.map(database => database.close()))
      await fresh.drop()
    },
  }
}
