import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { Database, Transaction } from '../../database/database.ts'
import { StartError } from '../../kernel/start-error.ts'
import { type MigrationLog, type MigrationSession, withMigrationLock } from './migration-lock.ts'

interface Migration {
  name: string
  statements: string[]
  checksum: string
  /** Builds indexes outside a transaction. */
  isConcurrent: boolean
}

const ownMigrations = new URL('../../../migrations/', import.meta.url)

/** Statements end with a semicolon at the end of a line; comments are whole lines. */
const statementsOf = (sql: string): string[] =>
  sql
    .replace(/^\s*--.*$/gm, '')
    .split(/;\s*$/m)
    .map(statement => statement.trim())
    .filter(statement => statement !== '')

const concurrentIndex = /^CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(\w+)\s+ON\s/i

/** PostgreSQL builds an index beside writes only outside a transaction, so such a file contains nothing else. */
function isConcurrent(name: string, statements: string[]): boolean {
  const indexes = statements.filter(statement => concurrentIndex.test(statement)).length
  if (indexes > 0 && indexes < statements.length)
    throw new StartError(
      `Migration ${name} mixes CREATE INDEX CONCURRENTLY with other statements. Move the indexes to a migration of their own.`,
    )
  return indexes > 0
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  const files = (await readdir(folder)).filter(file => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async name => {
      const sql = (await readFile(new URL(name, folder), 'utf8')).replaceAll('\r\n', '\n')
      const statements = statementsOf(sql)
      return {
        name,
        statements,
        checksum: createHash('sha256').update(sql).digest('hex'),
        isConcurrent: isConcurrent(name, statements),
      }
    }),
  )
}

/** Builds an index that is missing, or that an interrupted build left behind: PostgreSQL never uses that one. */
async function buildIndex(session: Transaction, statement: string): Promise<void> {
  const index = concurrentIndex.exec(statement)![1]!
  const found = await session.get<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass(?)',
    index,
  )
  if (found?.valid) return
  if (found) await session.run(`DROP INDEX CONCURRENTLY ${index}`)
  await session.run(statement)
}

function assertKnown(applied: { name: string; checksum: string }[], known: Migration[]): void {
  for (const { name, checksum } of applied) {
    const migration = known.find(candidate => candidate.name === name)
    if (!migration)
      throw new StartError(
        `The database was created by a newer version (migration ${name}). Start that version.`,
      )
    if (migration.checksum !== checksum)
      throw new StartError(`Migration ${name} was changed after it ran. Restore the original file.`)
  }
}

async function record(transaction: Transaction, { name, checksum }: Migration): Promise<void> {
  await transaction.run(
    'INSERT INTO schema_migrations (name, checksum, applied_at) VALUES (?, ?, ?)',
    name,
    checksum,
    Date.now(),
  )
}

/** Applies the first missing migration, and returns how many the database had before; undefined if none is missing. */
async function applyNext(
  session: MigrationSession,
  known: Migration[],
  log?: MigrationLog,
): Promise<number | undefined> {
  let had = 0
  const next = await session.transaction(async transaction => {
    await transaction.run(
      'CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL)',
    )
    const applied = await transaction.all<{ name: string; checksum: string }>(
      'SELECT name, checksum FROM schema_migrations ORDER BY name',
    )
    assertKnown(applied, known)
    had = applied.length
    const names = new Set(applied.map(({ name }) => name))
    const migration = known.find(({ name }) => !names.has(name))
    if (!migration) return undefined
    if (had > 0) log?.info({ migration: migration.name }, 'Migrating the database')
    if (!migration.isConcurrent) {
      for (const statement of migration.statements) await transaction.run(statement)
      await record(transaction, migration)
    }
    return migration
  })
  if (next?.isConcurrent) {
    for (const statement of next.statements) await buildIndex(session.outside!, statement)
    await session.transaction(transaction => record(transaction, next))
  }
  return next && had
}

/** The names of migrations that the next start applies. Fails like `migrate` on a database of another version. */
export async function pendingMigrations(database: Database): Promise<string[]> {
  const known = await readMigrations(new URL(`${database.dialect}/`, ownMigrations))
  const exists = await database.get(
    database.dialect === 'sqlite'
      ? "SELECT 1 AS one FROM sqlite_schema WHERE name = 'schema_migrations'"
      : "SELECT 1 AS one WHERE to_regclass('schema_migrations') IS NOT NULL",
  )
  const applied = exists
    ? await database.all<{ name: string; checksum: string }>('SELECT name, checksum FROM schema_migrations')
    : []
  assertKnown(applied, known)
  const names = new Set(applied.map(({ name }) => name))
  return known.map(({ name }) => name).filter(name => !names.has(name))
}

/**
 * Brings the schema up to date. Several processes may start at once: one migrates, the others wait and find it done.
 * Each migration is committed before the next one begins, so after an interruption the next start continues with the
 * first missing one. Migrations only go forward; one that was changed after it ran, or that this program does not know,
 * stops the start before anything is changed.
 */
export async function migrate(database: Database, log?: MigrationLog, folder = ownMigrations): Promise<void> {
  const known = await readMigrations(new URL(`${database.dialect}/`, folder))
  await withMigrationLock(database, log, async session => {
    const had = await applyNext(session, known, log)
    // A new database gets all migrations at its first start, which is not logged.
    const isNew = had === 0
    if (had !== undefined) while ((await applyNext(session, known, isNew ? undefined : log)) !== undefined);
  })
}
