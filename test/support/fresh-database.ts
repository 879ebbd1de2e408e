import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface FreshDatabase {
  /** Undefined means SQLite in `folder`. */
  url: string | undefined
  folder: string
  drop(): Promise<void>
}

async function administer(url: string, sql: string): Promise<void> {
  // Loaded on demand, to keep the tests on SQLite fast.
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** An empty database of the kind under test: SQLite, or PostgreSQL where a server is given or set in TEST_DATABASE_URL. */
export async function freshDatabase(server = process.env['TEST_DATABASE_URL']): Promise<FreshDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-test-'))
  if (!server) return { url: undefined, folder, drop: () => rm(folder, { recursive: true, force: true }) }
  const name = `banyan_test_${randomBytes(8).toString('hex')}`
  await administer(server, `CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    url: url.href,
    folder,
    drop: async () => {
      await administer(server, `DROP DATABASE ${name} WITH (FORCE)`)
      await rm(folder, { recursive: true, force: true })
    },
  }
}
