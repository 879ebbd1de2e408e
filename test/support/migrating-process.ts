/** A process that only migrates, so that it can be killed: node migrating-process.ts URL FOLDER MIGRATIONS */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { migrate } from '../../src/adapters/sql/migrate.ts'
import { PostgresDatabase } from '../../src/adapters/sql/postgres-database.ts'
import { SqliteDatabase } from '../../src/adapters/sql/sqlite-database.ts'

const [url, folder, migrations] = process.argv.slice(2) as [string, string, string]
const pool = { poolSize: 1, waitMilliseconds: 10_000, statementMilliseconds: 1000 }
const database = url ? new PostgresDatabase(url, pool) : new SqliteDatabase(join(folder, 'banyan.db'))
await migrate(database, undefined, pathToFileURL(migrations))
await database.close()
