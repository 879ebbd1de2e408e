/**
 * Runs the test suites with Node's own runner, on SQLite or, with `--postgres`, on PostgreSQL.
 *
 *   node scripts/test.ts [--postgres] [part of a file's path …] [--test-name-pattern=… and other node flags]
 *
 * The server for `--postgres` is TEST_DATABASE_URL where that is set, else one that scripts/postgres.sh
 * provides for the length of the run. Where none can be had the run is skipped, which is a failure only
 * with REQUIRE_POSTGRES=1. The browser tests (test/e2e) build the console first; without a Chromium they skip, which is
 * a failure only with REQUIRE_BROWSER=1.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const postgresScript = join(import.meta.dirname, 'postgres.sh')
const buildScript = join(import.meta.dirname, 'build-console.ts')
const browserTests = join('test', 'e2e')
/** The exit code by which postgres.sh says that this machine has no PostgreSQL to give. */
const UNAVAILABLE = 77

interface Outcome {
  code: number
  output: string
}

let current: ChildProcess | undefined
let interruptedBy: NodeJS.Signals | undefined

/** An interrupt ends what is running, never this process: it still has a server to stop. */
function passOnInterrupts() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      current?.kill(interruptedBy ? 'SIGKILL' : signal)
      interruptedBy ??= signal
    })
  }
}

const signalCode = (signal: NodeJS.Signals) => 128 + constants.signals[signal]

async function run(
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  stdout: 'inherit' | 'pipe',
): Promise<Outcome> {
  const child = spawn(command, args, { cwd: root, env, stdio: ['inherit', stdout, 'inherit'] })
  current = child
  let output = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  current = undefined
  return { code: signal ? signalCode(signal) : (code ?? 1), output }
}

async function runTests(args: string[], databaseUrl: string | undefined): Promise<number> {
  const flags = args.filter(arg => arg.startsWith('-'))
  const filters = args.filter(arg => !arg.startsWith('-'))
  const files = globSync('test/**/*.test.ts', { cwd: root })
    .filter(file => filters.length === 0 || filters.some(filter => file.includes(filter)))
    // The console speaks HTTP only: what its flows say of one database they say of the other.
    .filter(file => databaseUrl === undefined || !file.startsWith(browserTests))
    .sort()
  if (files.length === 0) {
    console.error(`No test file ${filters.length > 0 ? `matches ${filters.join(' ')}` : 'in test/'}`)
    return 1
  }
  if (!flags.some(flag => flag.startsWith('--test-reporter'))) flags.push('--test-reporter=spec')
  const nodeFlags = [
    '--disable-warning=ExperimentalWarning',
    '--test',
    '--test-concurrency=2',
    '--test-timeout=600000',
    '--test-force-exit',
    ...flags,
  ]
  if (files.some(file => file.startsWith(browserTests))) {
    const { code } = await run(process.execPath, [buildScript], process.env, 'inherit')
    if (code !== 0) return code
  }
  // Deleted, not left as found: without --postgres the suites run on SQLite whatever the shell has set.
  const env = { ...process.env, TEST_DATABASE_URL: databaseUrl }
  if (!databaseUrl) delete env.TEST_DATABASE_URL
  return (await run(process.execPath, [...nodeFlags, ...files], env, 'inherit')).code
}

async function runTestsOnPostgres(args: string[]): Promise<number> {
  if (process.env.TEST_DATABASE_URL) return runTests(args, process.env.TEST_DATABASE_URL)
  const holder = String(process.pid)
  const start = await run('bash', [postgresScript, 'start', holder], process.env, 'pipe')
  if (start.code === UNAVAILABLE) {
    console.log('PostgreSQL suite skipped: no PostgreSQL with pgvector could be had (the reason is above).')
    return process.env.REQUIRE_POSTGRES === '1' ? 1 : 0
  }
  if (start.code !== 0) return start.code
  try {
    return interruptedBy ? signalCode(interruptedBy) : await runTests(args, start.output.trim())
  } finally {
    await run('bash', [postgresScript, 'stop', holder], process.env, 'inherit')
  }
}

passOnInterrupts()
const args = process.argv.slice(2)
const onPostgres = args.includes('--postgres')
const rest = args.filter(arg => arg !== '--postgres')
const code = await (onPostgres ? runTestsOnPostgres(rest) : runTests(rest, undefined))
process.exitCode = interruptedBy ? signalCode(interruptedBy) : code
