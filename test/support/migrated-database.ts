import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type FreshDatabase, freshDatabase } from './fresh-database.ts'

const root = join(import.meta.dirname, '../..')
const migrations = join(root, 'migrations/sqlite')
const cache = join(root, 'node_modules/.cache/banyan-tests')

/** A fresh database for tests that are not about migrations: on SQLite they have already run. */
export async function migratedDatabase(): Promise<FreshDatabase> {
  const database = await freshDatabase()
  if (database.url === undefined) await copyFile(await migratedFile(), join(database.folder, 'banyan.db'))
  return database
}

/** Created once for all runs with these migrations: migrating takes longer than most tests. */
async function migratedFile(): Promise<string> {
  const hash = createHash('sha256')
  for (const name of readdirSync(migrations).sort())
    hash.update(name).update(readFileSync(join(migrations, name)))
  const file = join(cache, `migrated-${hash.digest('hex').slice(0, 16)}.db`)
  if (existsSync(file)) return file
  await mkdir(cache, { recursive: true })
  // Several test files may get here at once.
  const folder = await mkdtemp(join(cache, 'migrating-'))
  // Loaded on demand: most tests find the file.
  const { openDatabase } = await import('../../src/adapters/sql/open-database.ts')
  await (await openDatabase({ url: undefined, folder })).close()
  await rename(join(folder, 'banyan.db'), file)
  await rm(folder, { recursive: true })
  return file
}
