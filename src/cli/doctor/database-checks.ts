import { pendingMigrations } from '../../adapters/sql/migrate.ts'
import { databasePlace, openUnmigrated } from '../../adapters/sql/open-database.ts'
import type { Config } from '../../config/config.ts'
import type { Database } from '../../database/database.ts'
import { type CheckResult, check, type Finding, failed, ok, skipped, warning } from './check.ts'

const minPostgresVersion = 150_000
/** Servers store and compare database time, but logs, traces and signed requests have the time of each machine. */
const maxClockMilliseconds = 2000

async function version(database: Database, place: string): Promise<Finding> {
  if (database.dialect === 'sqlite') {
    const found = await database.get<{ version: string }>('SELECT sqlite_version() AS version')
    return ok(`SQLite ${found?.version}, ${place}`)
  }
  const found = await database.get<{ number: string; version: string; replica: boolean }>(
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS version,
       pg_is_in_recovery() AS replica`,
  )
  const name = `PostgreSQL ${found?.version}, ${place}`
  if (Number(found?.number) < minPostgresVersion) return failed(`${name}: version 15 or newer is required.`)
  return found?.replica ? failed(`${name}: is a read-only standby. Connect to the primary server.`) : ok(name)
}

async function extension(database: Database): Promise<Finding> {
  if (database.dialect === 'sqlite') return skipped('SQLite needs none.')
  const found = await database.get<{ installed: string | null; available: string | null }>(
    `SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS installed,
       (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS available`,
  )
  if (found?.installed) return ok(`vector ${found.installed}`)
  if (found?.available) return ok(`vector ${found.available} is available; the first start creates it.`)
  return failed('The extension vector is missing. Install pgvector on the database server.')
}

async function migrations(database: Database): Promise<Finding> {
  const pending = await pendingMigrations(database)
  if (pending.length === 0) return ok('The schema is up to date.')
  return warning(`The next start applies ${pending.length} migrations: ${pending.join(', ')}.`)
}

async function writable(database: Database): Promise<Finding> {
  const start = performance.now()
  if (database.dialect === 'sqlite') await database.transaction(async () => {})
  else {
    const found = await database.get<{ state: string }>(
      "SELECT current_setting('transaction_read_only') AS state",
    )
    if (found?.state === 'on')
      return failed('Transactions are read-only. Check default_transaction_read_only.')
  }
  return ok(`Answers in ${(performance.now() - start).toFixed(1)} ms.`)
}

async function clock(database: Database): Promise<Finding> {
  if (database.dialect === 'sqlite') return skipped('The database uses the clock of this machine.')
  const before = Date.now()
  const theirs = await database.time()
  const difference = Math.round(theirs - (before + Date.now()) / 2)
  const text = `The clock of the database differs by ${difference} ms.`
  return Math.abs(difference) <= maxClockMilliseconds
    ? ok(text)
    : warning(
        `${text} Synchronize the clocks (NTP): times in logs and traces, and requests to an S3 store, depend on them.`,
      )
}

async function connections(database: Database, config: Config): Promise<Finding> {
  if (database.dialect === 'sqlite') return skipped('SQLite has no pool.')
  const found = await database.get<{ most: number; used: number }>(
    `SELECT CAST(current_setting('max_connections') AS BIGINT) AS most,
       (SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used`,
  )
  const { most = 0, used = 0 } = found ?? {}
  // One more than the pool has, for messages between servers.
  const ofOne = config.databasePoolSize + 1
  const text = `${used} of ${most} connections are open; one server opens up to ${ofOne}.`
  return ofOne < most ? ok(text) : warning(`${text} Lower DATABASE_POOL_SIZE.`)
}

/** Opens the database without migrating it; `undefined` where it cannot be used. */
export async function checkDatabase(
  config: Config,
): Promise<{ results: CheckResult[]; database: Database | undefined }> {
  const options = {
    url: config.databaseUrl,
    folder: config.dataDir,
    pool: {
      poolSize: 2,
      waitMilliseconds: config.databaseWaitSeconds * 1000,
      statementMilliseconds: config.databaseStatementSeconds * 1000,
    },
  }
  const place = databasePlace(options)
  let database: Database | undefined
  const opened = await check('database', async () => {
    database = await openUnmigrated(options)
    return database
      ? version(database, place)
      : ok(`${place} does not exist yet; the first start creates it.`)
  })
  if (!database) return { results: [opened], database }
  const open = database
  const results = [
    opened,
    await check('database extension', () => extension(open)),
    await check('database schema', () => migrations(open)),
    await check('database writes', () => writable(open)),
    await check('database clock', () => clock(open)),
    await check('database connections', () => connections(open, config)),
  ]
  return { results, database }
}
