import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from 'pg'

export interface FreshDatabase {
  /** Undefined means SQLite in `folder`. */
  url: string | undefined
  folder: string
  drop(): Promise<void>
}

/** Works on a PostgreSQL server itself, for example to create a database. */
export async function administer<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  // Loaded on demand, to keep the tests on SQLite fast.
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * A database of the kind under test: SQLite, or PostgreSQL where a server is given or set in TEST_DATABASE_URL. It is
 * empty, or on PostgreSQL a copy of the template.
 */
export async function freshDatabase(
  server = process.env['TEST_DATABASE_URL'],
  template = 'template1',
): Promise<FreshDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-test-'))
  if (!server) return { url: undefined, folder, drop: () => rm(folder, { recursive: true, force: true }) }
  const name = `banyan_test_${randomBytes(8).toString('hex')}`
  await administer(server, client => client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`))
  return {
    url: urlOf(server, name),
    folder,
    drop: async () => {
      await administer(server, client => client.query(`DROP DATABASE ${name} WITH (FORCE)`))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The URL of another database on the same server. */
export function urlOf(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}
