import { existsSync } from 'node:fs'
import { readFile, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { defaultWorkspaceId } from '../access/access-service.ts'
import { loadPython } from '../adapters/code/python.ts'
import { createEgress } from '../adapters/egress/create-egress.ts'
import { EgressFailure, readText } from '../adapters/egress/egress.ts'
import { pendingMigrations } from '../adapters/sql/migrate.ts'
import { databasePlace, openUnmigrated } from '../adapters/sql/open-database.ts'
import { openConnections } from '../app/connections.ts'
import { openBlobStore } from '../app/open-blob-store.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { FileStore } from '../files/file-store.ts'
import { installation, matchesContents } from '../files/installation.ts'
import { systemClock } from '../kernel/clock.ts'
import { noExchange } from '../kernel/exchange.ts'
import { fileUses } from '../knowledge/document-store.ts'
import { askShortly, testModel } from '../models/test-model.ts'
import { serverAddress } from './server-client.ts'

/** `skipped`: does not apply to these settings, or depends on a check that failed. */
type CheckStatus = 'ok' | 'warning' | 'failed' | 'skipped'

export interface CheckResult {
  name: string
  status: CheckStatus
  /** What was found, and what to do about it. */
  message: string
}

type Finding = Omit<CheckResult, 'name'>

const ok = (message: string): Finding => ({ status: 'ok', message })
const warning = (message: string): Finding => ({ status: 'warning', message })
const failed = (message: string): Finding => ({ status: 'failed', message })
const skipped = (message: string): Finding => ({ status: 'skipped', message })

/** Runs a check; an error is a failure with its message. */
async function check(name: string, look: () => Finding | Promise<Finding>): Promise<CheckResult> {
  try {
    return { name, ...(await look()) }
  } catch (error) {
    return { name, ...failed(error instanceof Error ? error.message : String(error)) }
  }
}

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
  const databaseTime = await database.time()
  const difference = Math.round(databaseTime - (before + Date.now()) / 2)
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

interface CheckedDatabase {
  results: CheckResult[]
  /** Undefined where it cannot be used, or does not exist yet. */
  database: Database | undefined
}

/** Opens the database without migrating it. */
async function checkDatabase(config: Config): Promise<CheckedDatabase> {
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

const gibibyte = 2 ** 30
const minFreeBytes = 64 * 2 ** 20
const lowFreeBytes = 2 * gibibyte
const minOpenFiles = 4096
const serverMilliseconds = 3000

const isLoopback = (host: string): boolean => /^(127\.|::1$|localhost$)/.test(host)

function settings(config: Config): Finding {
  const set = config.shownSettings.filter(setting => setting.is_set).length
  const problems: string[] = []
  if (config.databaseUrl !== undefined && config.secretKey === undefined)
    problems.push('SECRET_KEY is not set, so secrets and keys of models cannot be stored with PostgreSQL.')
  if (config.databaseUrl !== undefined && config.bootstrapToken === undefined)
    problems.push(
      'BOOTSTRAP_TOKEN is not set: the operator token is only in the DATA_DIR of the first server.',
    )
  if (!isLoopback(config.host) && config.publicCallsPerMinute === 0)
    problems.push('PUBLIC_CALLS_PER_MINUTE is 0: anonymous calls to public agents are not limited.')
  return problems.length === 0 ? ok(`All settings are valid; ${set} are set.`) : warning(problems.join(' '))
}

function egress({ egressAllow }: Config): Finding {
  return ok(
    egressAllow.length === 0
      ? 'Only public addresses can be called, and the endpoints in the settings.'
      : `Public addresses, the endpoints in the settings, and ${egressAllow.join(', ')} can be called.`,
  )
}

async function disk({ dataDir }: Config): Promise<Finding> {
  if (!existsSync(dataDir))
    // Fails as in every other command: a mistyped folder must not look healthy.
    return failed(
      `${dataDir} does not exist. Set DATA_DIR to the folder of the server; the first start of a new one creates it.`,
    )
  const { bavail, bsize, ffree, files } = await statfs(dataDir)
  const free = bavail * bsize
  const text = `${dataDir} has ${(free / gibibyte).toFixed(1)} GiB free`
  if (free < minFreeBytes) return failed(`${text}: the disk is full. Free some space.`)
  if (files > 0 && ffree === 0) return failed(`${text}, but no more files can be created (no free inodes).`)
  return free < lowFreeBytes ? warning(`${text}. Free some space soon.`) : ok(`${text}.`)
}

async function python(): Promise<Finding> {
  if (await loadPython()) return ok('Code nodes can run Python.')
  const platform = `${process.platform} ${process.arch}`
  return warning(
    `Code nodes can run JavaScript, but not Python: its interpreter is not installed for ${platform}. Install the package @pydantic/monty with its build for this platform, or run the server on Linux with glibc on x64.`,
  )
}

async function openFiles(): Promise<Finding> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => undefined)
  const soft = /^Max open files\s+(\S+)/m.exec(limits ?? '')?.[1]
  if (soft === undefined) return skipped('The limit cannot be read on this system.')
  if (soft !== 'unlimited' && Number(soft) < minOpenFiles)
    return warning(
      `At most ${soft} files and connections can be open. Raise it to ${minOpenFiles}: ulimit -n.`,
    )
  return ok(`Up to ${soft} files and connections can be open.`)
}

async function files(config: Config, { results, database }: CheckedDatabase): Promise<Finding> {
  const isOnDisk = config.blobUrl === undefined
  const advice = `Check DATABASE_URL and ${isOnDisk ? 'DATA_DIR' : 'BLOB_URL'}`
  // A database that was never migrated has no such table.
  const own = (
    await database?.get(sql`SELECT ${installation.columns('id')} FROM installation`).catch(() => undefined)
  )?.id
  const folder = join(config.dataDir, 'files')
  if (isOnDisk && !existsSync(folder))
    return own === undefined
      ? skipped('The first start creates the folder.')
      : failed(
          `${folder} does not exist, but the database belongs to the installation ${own}. ${advice}, or mount the disk.`,
        )
  const { blobs, place } = await openBlobStore(config)
  await blobs.check()
  const storeOwner = await blobs.installationId()
  const owner = storeOwner === undefined ? 'no installation' : `the installation ${storeOwner}`
  const store = database && new FileStore(database, fileUses)
  const noKeys = new Set<string>()
  const known = {
    knownKeys: async (keys: string[]) => (await store?.knownKeys(keys).catch(() => noKeys)) ?? noKeys,
    hasBlobs: async () => (await store?.hasBlobs().catch(() => false)) ?? false,
  }
  const belongs =
    storeOwner === undefined ? await matchesContents({ blobs, files: known }) : storeOwner === own
  if (own !== undefined && !belongs)
    return failed(`${place} belongs to ${owner}, but the database to ${own}. ${advice}.`)
  const isNew = own === undefined && results.every(({ status }) => status !== 'failed')
  if (isNew && !belongs)
    return failed(
      `${place} belongs to ${owner}, but the database is new and knows none of its files. ${advice}, or put the lost database back.`,
    )
  return ok(`${place} can be read and written${own ? ` and belongs to the database (${own})` : ''}.`)
}

/** Whether a server with these settings is running, which is no requirement. */
async function server(config: Config): Promise<Finding> {
  if (config.port === 0) return skipped('PORT is 0.')
  const base = serverAddress(undefined, config)
  const egress = createEgress({ allow: [] })
  try {
    const timeouts = { totalMilliseconds: serverMilliseconds }
    const answer = await egress.request(`${base}/readyz`, { timeouts, trusted: true })
    const body = await readText(answer)
    return answer.status === 200
      ? ok(`The server at ${base} is ready.`)
      : failed(`The server at ${base} is not ready (${answer.status}): ${body}`)
  } catch (error) {
    if (error instanceof EgressFailure) return skipped(`No server answers at ${base}.`)
    throw error
  } finally {
    egress.close()
  }
}

const checkEnvironment = async (config: Config, database: CheckedDatabase): Promise<CheckResult[]> => [
  await check('settings', () => settings(config)),
  await check('outbound rules', () => egress(config)),
  await check('files', () => files(config, database)),
  await check('disk', () => disk(config)),
  await check('open files', openFiles),
  await check('python', python),
  await check('server', () => server(config)),
]

const caller = { workspaceId: defaultWorkspaceId }

/** Sends one short request to every provider in the settings. */
async function checkModels(config: Config): Promise<CheckResult[]> {
  const connections = await openConnections(config, () => noExchange)
  const { environmentModel, environmentModels, webSearch } = connections
  const { embedding: embeddings, rerank: reranker } = environmentModels
  const answered = (name: string): Finding => ok(`${name} answered.`)
  const unset = (setting: string): Finding => skipped(`${setting} is not set.`)

  const chat = async (): Promise<Finding> => {
    if (!environmentModel) return unset('MODEL_BASE_URL')
    const model = environmentModel.connect(defaultWorkspaceId)
    const tested = await testModel(signal => askShortly(model, signal), systemClock)
    return tested.ok ? answered(environmentModel.name) : failed(tested.message)
  }
  const embedding = async (): Promise<Finding> => {
    if (!embeddings) return unset('EMBEDDING_BASE_URL')
    const { model } = config.embedding!
    const [vector] = await embeddings.query.embed(model, ['ready'], caller)
    return ok(`${model} answered with ${vector?.length} dimensions.`)
  }
  const rerank = async (): Promise<Finding> => {
    if (!reranker) return unset('RERANK_BASE_URL')
    await reranker.rerank('tea', ['green tea', 'coffee'], caller)
    return answered(config.rerank!.model)
  }
  const search = async (): Promise<Finding> => {
    if (!webSearch) return unset('WEB_SEARCH_URL')
    const found = await webSearch.search('tea', caller)
    return ok(`Found ${found.length} pages.`)
  }
  try {
    return [
      await check('language model', chat),
      await check('embedding model', embedding),
      await check('rerank model', rerank),
      await check('web search', search),
    ]
  } finally {
    connections.closeOutbound()
    await connections.code.close()
    await connections.toolServers.close()
  }
}

/** Everything that can be checked without a change. */
export async function checkInstallation(config: Config, isOffline: boolean): Promise<CheckResult[]> {
  const { results, database } = await checkDatabase(config)
  try {
    results.push(...(await checkEnvironment(config, { results, database })))
  } finally {
    await database?.close()
  }
  return isOffline ? results : [...results, ...(await checkModels(config))]
}
