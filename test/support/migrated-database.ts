import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { administer, type FreshDatabase, freshDatabase, urlOf } from './fresh-database.ts'

const root = join(import.meta.dirname, '../..')
const cache = join(root, 'node_modules/.cache/banyan-tests')

/** A fresh database for tests that are not about migrations: they have already run. */
export async function migratedDatabase(): Promise<FreshDatabase> {
  const server = process.env['TEST_DATABASE_URL']
  if (server) return freshDatabase(server, await migratedTemplate(server))
  const database = await freshDatabase()
  await copyFile(await migratedFile(), join(database.folder, 'banyan.db'))
  return database
}

/** The name that tells databases with these migrations from others. */
function nameOf(kind: 'sqlite' | 'postgres'): string {
  const folder = join(root, 'migrations', kind)
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)))
  return `migrated_${hash.digest('hex').slice(0, 16)}`
}

// Loaded on demand: most tests find what they need.
const migrate = async (place: { url: string | undefined; folder: string }): Promise<void> => {
  const { openDatabase } = await import('../../src/adapters/sql/open-database.ts')
  await (await openDatabase(place)).close()
}

/** Created once for all runs with these migrations: migrating takes longer than most tests. */
async function migratedFile(): Promise<string> {
  const file = join(cache, `${nameOf('sqlite')}.db`)
  if (existsSync(file)) return file
  await mkdir(cache, { recursive: true })
  // Several test files may get here at once.
  const folder = await mkdtemp(join(cache, 'migrating-'))
  await migrate({ url: undefined, folder })
  await rename(join(folder, 'banyan.db'), file)
  await rm(folder, { recursive: true })
  return file
}

/** The same on a PostgreSQL server: a database to copy. Nothing connects to it under its last name. */
async function migratedTemplate(server: string): Promise<string> {
  const name = `banyan_${nameOf('postgres')}`
  await administer(server, async client => {
    // Several test files may get here at once; the lock ends with the connection.
    await client.query(`SELECT pg_advisory_lock(hashtext('${name}'))`)
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
    if (rowCount) return
    const unfinished = `${name}_unfinished`
    await client.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`)
    await client.query(`CREATE DATABASE ${unfinished}`)
    await migrate({ url: urlOf(server, unfinished), folder: cache })
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`)
  })
  return name
}
