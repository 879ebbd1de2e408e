import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { Database, Transaction } from '../../database/database.ts'

const folder = new URL('../../../migrations/', import.meta.url)

interface Migration {
  name: string
  sql: string
  checksum: string
}

async function migrations(dialect: string): Promise<Migration[]> {
  const files = (await readdir(new URL(`${dialect}/`, folder))).filter(file => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async name => {
      const sql = await readFile(new URL(`${dialect}/${name}`, folder), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex') }
    }),
  )
}

/** Statements end with a semicolon at the end of a line; comments are whole lines. */
export const statements = (sql: string): string[] =>
  sql
    .replace(/^\s*--.*$/gm, '')
    .split(/;\s*$/m)
    .map(statement => statement.trim())
    .filter(statement => statement !== '')

async function lock(database: Database, transaction: Transaction): Promise<void> {
  // SQLite's write transaction is the lock already.
  if (database.dialect === 'postgres') await transaction.get('SELECT pg_advisory_xact_lock(7236140)')
}

/**
 * Brings the schema up to date. Several processes may start at once: one migrates, the others wait and find
 * it done. Migrations only go forward; one that was changed after it ran, or that this program does not
 * know, stops the start before anything is changed.
 */
export async function migrate(database: Database): Promise<void> {
  const known = await migrations(database.dialect)
  await database.transaction(async transaction => {
    await lock(database, transaction)
    await transaction.run(
      'CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL)',
    )
    const applied = await transaction.all<{ name: string; checksum: string }>(
      'SELECT name, checksum FROM schema_migrations ORDER BY name',
    )
    for (const { name, checksum } of applied) {
      const migration = known.find(candidate => candidate.name === name)
      if (!migration)
        throw new Error(
          `The database was created by a newer version (migration ${name}). Start that version.`,
        )
      if (migration.checksum !== checksum)
        throw new Error(`Migration ${name} was changed after it ran. Restore the original file.`)
    }
    for (const migration of known.slice(applied.length)) {
      for (const statement of statements(migration.sql)) await transaction.run(statement)
      await transaction.run(
        'INSERT INTO schema_migrations (name, checksum, applied_at) VALUES (?, ?, ?)',
        migration.name,
        migration.checksum,
        Date.now(),
      )
    }
  })
}
