import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import { completeWorkflows, fillLists } from '../lists/fill-lists.ts'
import { type ListCase, listCases } from '../lists/list-cases.ts'
import { type Crowd, load } from '../load.ts'
import { atMost, type BenchOptions, type Row } from '../measurement.ts'
import { type ServerProcess, token, withServer } from '../server-process.ts'
import { sideBySide } from '../side-by-side.ts'
import { milliseconds } from '../units.ts'
import { withWorkFolder } from '../work-folder.ts'

export const name = 'lists'

const few = 10_000
const rounds = 15

async function timeOf({ base }: ServerProcess, { label, method, path, body }: ListCase): Promise<number> {
  const begun = performance.now()
  const answer = await fetch(`${base}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  const took = performance.now() - begun
  if (!answer.ok) throw new Error(`${label} was answered with ${answer.status}: ${text.slice(0, 500)}`)
  return took
}

async function compare(small: ServerProcess, large: ServerProcess, many: number): Promise<Row[]> {
  const rows: Row[] = []
  const cases = listCases(few)
  for (const [index, deep] of listCases(many).entries()) {
    const same = cases[index]!
    await timeOf(small, same)
    await timeOf(large, deep)
    const { ours, limit, ratio } = await sideBySide(
      rounds,
      () => timeOf(large, deep),
      () => timeOf(small, same),
    )
    rows.push({
      label: deep.label,
      ours: milliseconds(ours),
      limit: milliseconds(limit),
      ...atMost(ratio, 3),
    })
  }
  return rows
}

const readers: Crowd = { asks: 'get', connections: 4, workflows: completeWorkflows }
const filtering: Crowd = {
  asks: 'post',
  connections: 12,
  path: '/workflow/list',
  bodies: ['needle', 'twentieth', 'item', 'nothing at all', '客服', '7'].map(keyword =>
    JSON.stringify({ keyword }),
  ),
  expected: '"total"',
}

/** GET of a workflow beside twelve clients that filter a long list. */
async function neighbours(server: ServerProcess): Promise<Row> {
  const p99 = async (...crowds: Crowd[]): Promise<number> =>
    (await load(server, 3000, ...crowds))[0]!.p99Milliseconds
  await p99(readers, filtering)
  const { ours, limit, ratio } = await sideBySide(
    5,
    () => p99(readers, filtering),
    () => p99(readers),
  )
  const label = 'GET by 4 readers, 99th percentile: beside 12 clients that filter lists, against alone'
  return { label, ours: milliseconds(ours), limit: milliseconds(limit), ...atMost(ratio, 2) }
}

interface Place {
  folder: string
  url: string | undefined
}

export async function measure(few: Place, large: Place, count: number): Promise<Row[]> {
  const open = ({ folder, url }: Place, work: (server: ServerProcess) => Promise<Row[]>) =>
    withServer(folder, work, {
      TOKEN_CALLS_PER_MINUTE: '0',
      WORKSPACE_CALLS_PER_MINUTE: '0',
      ...(url && { DATABASE_URL: url }),
    })
  return open(few, small =>
    open(large, async server => [...(await compare(small, server, count)), await neighbours(server)]),
  )
}

/** A database of the server that DATABASE_URL names, for the duration of the work. */
async function withDatabase<Result>(server: string, work: (url: string) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  const database = `banyan_bench_${randomBytes(6).toString('hex')}`
  await client.query(`CREATE DATABASE ${database}`)
  const url = new URL(server)
  url.pathname = `/${database}`
  try {
    return await work(url.href)
  } finally {
    await client.query(`DROP DATABASE ${database} WITH (FORCE)`)
    await client.end()
  }
}

/**
 * Every list with 1,000,000 rows of each kind against 10,000 (100,000 with --quick), on SQLite or, if TEST_DATABASE_URL
 * names a server, on PostgreSQL.
 */
export const run = ({ isQuick }: BenchOptions): Promise<Row[]> =>
  withWorkFolder(async folder => {
    const many = isQuick ? 100_000 : 1_000_000
    const folders = { few: join(folder, 'few'), many: join(folder, 'many') }
    const fillAndMeasure = async (fewUrl?: string, manyUrl?: string) => {
      const small = { folder: folders.few, url: fewUrl }
      const large = { folder: folders.many, url: manyUrl }
      await fillLists(small, few)
      await fillLists(large, many)
      return measure(small, large, many)
    }
    const server = process.env['TEST_DATABASE_URL']
    if (!server) return fillAndMeasure()
    return withDatabase(server, one => withDatabase(server, other => fillAndMeasure(one, other)))
  })
