import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import type { Row } from './measurement.ts'
import { root } from './work-folder.ts'

const script = join(root, 'scripts/postgres.sh')
/** The exit code of the script when this machine cannot provide a PostgreSQL server. */
const unavailable = 77
const call = promisify(execFile)

export async function query<Result extends object>(url: string, sql: string): Promise<Result[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Result>(sql)).rows
  } finally {
    await client.end()
  }
}

/** Provides an empty database in the server of the tests, with default settings. */
export async function withPostgres(work: (url: string) => Promise<Row[]>): Promise<Row[]> {
  const holder = String(process.pid)
  let server: string
  try {
    server = (await call(script, ['start', holder])).stdout.trim()
  } catch (error) {
    if ((error as { code?: unknown }).code !== unavailable) throw error
    return [{ label: 'PostgreSQL', ours: 'skipped: this machine has none' }]
  }
  const name = `banyan_bench_${randomBytes(8).toString('hex')}`
  const url = new URL(server)
  url.pathname = `/${name}`
  try {
    await query(server, `CREATE DATABASE ${name}`)
    return await work(url.href)
  } finally {
    await query(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`).catch(() => {})
    await call(script, ['stop', holder])
  }
}
