/**
 * Loads replicas on PostgreSQL for a long time, kills one every minute, and checks that nothing acknowledged is lost.
 *
 *   npm run soak -- [--minutes 30] [--replicas 3]
 *
 * PostgreSQL is TEST_DATABASE_URL or the one that scripts/postgres.sh provides. With TEST_S3_URL the files are in an S3
 * store, otherwise in one folder. It prints a line every half minute and ends with the errors, if there are any.
 */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import { dataOf } from '../test/support/knowledge.ts'
import { startOwnPostgres } from '../test/support/own-postgres.ts'
import { startReplicaWorld } from '../test/support/replica-world.ts'
import type { ServerProcess } from '../test/support/server-process.ts'
import { type Client, PatientApi, startClients } from '../test/support/soak/load.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    replicas: { type: 'string', default: '3' },
  },
})
const milliseconds = Number(values.minutes) * 60_000
const killEvery = 60_000
const printEvery = 30_000
const restartAfter = 5_000

const own = process.env['TEST_DATABASE_URL'] ? undefined : await startOwnPostgres('soak')
const server = process.env['TEST_DATABASE_URL'] ?? own!.url
const world = await startReplicaWorld({}, { server, count: Number(values.replicas) })
const { replicas, sink } = world
const api = new PatientApi(replicas.api)
const clients = await startClients(api, replicas.api, sink)
const end = Date.now() + milliseconds
const startedAt = Date.now()
let kills = 0

/** Resident memory in MB and open descriptors. */
function resourcesOf({ pid }: ServerProcess): { megabytes: number; descriptors: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])
  return { megabytes: Math.round(kilobytes / 1024), descriptors: readdirSync(`/proc/${pid}/fd`).length }
}

async function metricsOf(replica: ServerProcess): Promise<(name: string) => number> {
  const { text } = await replica.api.get('/metrics')
  const lines = new Map(text.split('\n').map(line => [line.slice(0, line.lastIndexOf(' ')), line]))
  return name => Number(lines.get(name)?.slice(name.length))
}

/** The 50th and 99th percentile of the calls since the last line, in milliseconds. */
function percentiles(): string {
  const sorted = api.seconds.splice(0).sort((a, b) => a - b)
  const at = (share: number): string => ((sorted[Math.floor(sorted.length * share)] ?? 0) * 1000).toFixed(0)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`
}

async function printState(): Promise<void> {
  const states = await Promise.all(
    replicas.all.map(async replica => {
      const { megabytes, descriptors } = resourcesOf(replica)
      const metric = await metricsOf(replica)
      const delay = metric('nodejs_event_loop_delay_seconds{quantile="0.99"}') * 1000
      return `${megabytes} MB, ${descriptors} descriptors, delay p99 ${delay.toFixed(0)} ms`
    }),
  )
  const metric = await metricsOf(replicas.all[0]!)
  const minutes = ((Date.now() - startedAt) / 60_000).toFixed(1)
  const { calls, repeated } = api.counts
  console.log(
    `${minutes} min: ${kills} kills, ${calls} calls, ${repeated} repeated, ${percentiles()}; ` +
      `queued ${metric('banyan_runs_queued')} runs, ${metric('banyan_ingestion_queued')} documents; ${states.join(' | ')}`,
  )
}

/** Repeats `action` at an interval until the end; a replica may be killed in the middle of it. */
async function every(interval: number, action: () => Promise<void>, first = interval): Promise<void> {
  for (let next = startedAt + first; next < end; next += interval) {
    await sleep(Math.max(0, next - Date.now()))
    await action().catch((error: unknown) => console.log(String(error)))
  }
}

async function killOne(): Promise<void> {
  const at = Math.floor(Math.random() * replicas.all.length)
  await replicas.all[at]!.kill('SIGKILL')
  replicas.all.splice(at, 1)
  kills++
  await sleep(restartAfter)
  await replicas.add()
}

async function work({ name, step }: Client): Promise<void> {
  while (Date.now() < end)
    await step().catch((error: unknown) => {
      wrong.push(`${name}: ${String(error)}`)
      return sleep(1000)
    })
}

/** Waits until nothing is queued any more. */
async function settle(): Promise<void> {
  for (let tries = 0; tries < 120; tries++, await sleep(1000)) {
    const metric = await metricsOf(replicas.all[0]!)
    if (metric('banyan_runs_queued') + metric('banyan_ingestion_queued') === 0) return
  }
  wrong.push('the queues are not empty after two minutes')
}

/** Compares rows with files, and indexes with rows. */
async function checkStored(): Promise<void> {
  const main = join(import.meta.dirname, '../src/cli/main.ts')
  const command = promisify(execFile)(process.execPath, [main, 'fsck'], { env: replicas.environment })
  const { stdout } = await command.catch((error: { stdout?: string; stderr?: string }) => {
    wrong.push(`fsck: ${error.stdout}${error.stderr}`)
    return { stdout: '' }
  })
  console.log(stdout.trim())
}

const wrong: string[] = []
try {
  // Prints between the kills.
  const printing = every(printEvery, printState, printEvery / 2)
  await Promise.all([...clients.map(work), every(killEvery, killOne), printing])
  await settle()
  await printState()
  for (const client of clients) wrong.push(...(await client.check(replicas.api)))
  const { total } = await dataOf(replicas.api.get('workflow/runs?status=failed'))
  if (total > 0) wrong.push(`${total} runs failed`)
  await checkStored()
} finally {
  await world.stop()
  await own?.stop()
}
const count = (name: string): number => clients.filter(client => client.name === name).length
console.log(
  `${kills} kills, ${api.counts.calls} calls by ${clients.length} clients (${count('runs')} with runs); ` +
    (wrong.length === 0
      ? 'nothing lost, nothing doubled'
      : `${wrong.length} failures:\n${wrong.slice(0, 50).join('\n')}`),
)
process.exit(wrong.length === 0 ? 0 : 1)
