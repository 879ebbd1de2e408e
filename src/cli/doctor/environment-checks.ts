import { existsSync } from 'node:fs'
import { readFile, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { loadPython } from '../../adapters/code/python.ts'
import { parseAllowList } from '../../adapters/egress/address-rules.ts'
import { createEgress } from '../../adapters/egress/create-egress.ts'
import { EgressFailure, readText } from '../../adapters/egress/egress.ts'
import { openBlobStore } from '../../app/open-blob-store.ts'
import type { Config } from '../../config/config.ts'
import type { Database } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import { installation } from '../../files/installation.ts'
import { serverAddress } from '../server-client.ts'
import { type CheckResult, check, type Finding, failed, ok, skipped, warning } from './check.ts'

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
  parseAllowList(egressAllow)
  return ok(
    egressAllow.length === 0
      ? 'Only public addresses can be called, and the endpoints in the settings.'
      : `Public addresses, the endpoints in the settings, and ${egressAllow.join(', ')} can be called.`,
  )
}

async function disk({ dataDir }: Config): Promise<Finding> {
  if (!existsSync(dataDir))
    // As in every other command: a mistyped folder must not look healthy.
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

async function files(config: Config, database: Database | undefined): Promise<Finding> {
  const isOnDisk = config.blobUrl === undefined
  if (isOnDisk && !existsSync(join(config.dataDir, 'files')))
    return skipped('The first start creates the folder.')
  const { blobs, place } = await openBlobStore(config)
  await blobs.check()
  const theirs = await blobs.installationId()
  // A database that was never migrated has no such table.
  const own = (
    await database?.get(sql`SELECT ${installation.columns('id')} FROM installation`).catch(() => undefined)
  )?.id
  if (theirs !== undefined && own !== undefined && theirs !== own)
    return failed(
      `${place} belongs to the installation ${theirs}, but the database to ${own}. Check DATABASE_URL and ${isOnDisk ? 'DATA_DIR' : 'BLOB_URL'}.`,
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

export const checkEnvironment = async (
  config: Config,
  database: Database | undefined,
): Promise<CheckResult[]> => [
  await check('settings', () => settings(config)),
  await check('outbound rules', () => egress(config)),
  await check('files', () => files(config, database)),
  await check('disk', () => disk(config)),
  await check('open files', openFiles),
  await check('python', python),
  await check('server', () => server(config)),
]
