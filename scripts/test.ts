/**
 * Runs the test suites with Node's own runner, on SQLite or, with `--postgres`, on PostgreSQL.
 *
 *   node scripts/test.ts [--browser | --clients] [--postgres] [--s3] [--long] [part of a file's path …]
 *     [--test-name-pattern=…]
 *
 * `--browser` runs the browser tests (test/e2e), which build the console first. Without it they run only if a filter
 * names them. Without a Chromium they are skipped, which is a failure only with REQUIRE_BROWSER=1. If one or two files
 * fail, they run once more: a whole browser takes part, and not every failure is a defect. A file that passes then is
 * reported as flaky.
 *
 * `--clients` runs the tests with clients and servers of other projects (test/clients), which `npm run test:clients`
 * installs first.
 *
 * `--long` runs only the suites that repeat something (crash drills, fuzzing, properties; test/support/rounds.ts), and
 * repeats it TEST_ROUNDS times as often (8 unless set). It generates new values each time, from the seed that it prints
 * (or TEST_SEED); the other suites always generate the same ones.
 *
 * `--s3` runs only the suites that need an S3 server (test/support/test-bucket.ts) or are named; without it they are
 * skipped.
 *
 * `--postgres` runs only the suites that open a database (or are named): the others ran on SQLite already.
 *
 * The servers for `--postgres` and `--s3` are TEST_DATABASE_URL and TEST_S3_URL, or else those that scripts/postgres.sh
 * and scripts/s3.sh provide for the duration of the run. If there is none, the run is skipped, which is a failure only
 * with REQUIRE_POSTGRES=1 or REQUIRE_S3=1.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, constants, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { findBrowser } from './find-browser.ts'
import { AreaTimes, orderFiles, type TestProcess } from './test-areas.ts'
import { createTestFolder, removeTestFolder } from './test-folder.ts'
import { groupFiles, singleFiles } from './test-groups.ts'

const root = join(import.meta.dirname, '..')
const servers = {
  postgres: {
    name: 'PostgreSQL with pgvector',
    script: 'postgres.sh',
    variable: 'TEST_DATABASE_URL',
    isRequired: process.env['REQUIRE_POSTGRES'] === '1',
  },
  s3: {
    name: 'S3 server',
    script: 's3.sh',
    variable: 'TEST_S3_URL',
    isRequired: process.env['REQUIRE_S3'] === '1',
  },
}
const buildScript = join(import.meta.dirname, 'build-console.ts')
const preload = pathToFileURL(join(root, 'test/support/preload.ts'))
const browserTests = join('test', 'e2e')
const clientTests = join('test', 'clients')
/** The exit code of a script when this machine cannot provide its server. */
const UNAVAILABLE = 77
const longRounds = 8
/** Timeout of a process with one or several files, even on a busy machine. */
const fileTimeoutMilliseconds = 1_800_000
/** Timeout of one test. Tests of the long suite have the timeout of their file. */
const testTimeoutMilliseconds = 300_000
const maxRepeatedFiles = 2
const { values: options, positionals: filters } = parseArgs({
  allowPositionals: true,
  options: {
    browser: { type: 'boolean', default: false },
    clients: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    s3: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    'test-name-pattern': { type: 'string', multiple: true },
  },
})

const isBrowserRun = options.browser || filters.some(filter => filter.includes('e2e'))
/** Many suites wait for timers, processes or a disk, so more of them run at a time than there are processors. */
const concurrency = availableParallelism() + (isBrowserRun ? 0 : 3)

const interrupted = new AbortController()
let interruptedBy: NodeJS.Signals | undefined
let current: ChildProcess | undefined

/** An interrupt ends the running command or the tests, but not this process, which may have a server to stop. */
function forwardInterrupts(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      current?.kill(interruptedBy ? 'SIGKILL' : signal)
      interruptedBy ??= signal
      interrupted.abort()
    })
}

const signalCode = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

async function runCommand(
  command: string,
  args: string[],
  env = process.env,
): Promise<{ code: number; output: string }> {
  const child = spawn(command, args, { cwd: root, env, stdio: ['inherit', 'pipe', 'inherit'] })
  current = child
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  current = undefined
  return { code: signal ? signalCode(signal) : (code ?? 1), output }
}

const mentions = (file: string, text: RegExp): boolean => text.test(readFileSync(join(root, file), 'utf8'))
const repeats = (file: string): boolean => mentions(file, /(rounds|pairs).* from .*support\/rounds\.ts'/)
const startsProcesses = (file: string): boolean =>
  mentions(file, /from .*(server-process|run-banyan|replica-world|replicas)\.ts'/)
/** Whether a file opens a database, itself or through the helpers that it imports. */
const opensDatabase = (file: string, seen = new Set<string>()): boolean => {
  if (seen.has(file)) return false
  seen.add(file)
  const text = readFileSync(join(root, file), 'utf8')
  if (text.includes(servers.postgres.variable)) return true
  const helpers = [...text.matchAll(/from '(\.[^']+\.ts)'/g)].map(([, path]) => join(dirname(file), path!))
  return helpers.some(helper => helper.startsWith('test') && opensDatabase(helper, seen))
}
const needsS3 = (file: string): boolean => mentions(file, /from .*support\/test-bucket\.ts'/)

function findFiles(): string[] {
  const files = globSync('test/**/*.test.ts', { cwd: root, exclude: ['**/node_modules'] })
    .filter(file => filters.length === 0 || filters.some(filter => file.includes(filter)))
    .filter(file => !options.long || repeats(file))
    .filter(file => !options.s3 || filters.length > 0 || needsS3(file))
    .filter(file => !options.postgres || filters.length > 0 || opensDatabase(file))
    .filter(file => file.startsWith(browserTests) === isBrowserRun)
    .filter(file => file.startsWith(clientTests) === options.clients)
  return orderFiles(files)
}

/** Compiles the program once; otherwise each of the first processes would compile it. */
async function fillCompileCache(env: NodeJS.ProcessEnv): Promise<void> {
  const programs = ['src/app/serve.ts', 'src/cli/command-line.ts'].map(path =>
    pathToFileURL(join(root, path)),
  )
  const code = programs.map(program => `await import('${program}')`).join('\n')
  await runCommand(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code],
    env,
  )
}

// Loaded on demand: it takes longer to load than many tests take.
const bundleProgram = async (): Promise<string> => (await import('./bundle-program.ts')).bundleProgram()

async function runTests(urls: Record<string, string>): Promise<number> {
  const files = findFiles()
  if (files.length === 0) {
    console.error(`No test file ${filters.length > 0 ? `matches ${filters.join(' ')}` : 'in test/'}`)
    return 1
  }
  if (isBrowserRun) {
    const { code } = await runCommand(process.execPath, [buildScript])
    if (code !== 0) return code
  }
  const env = { ...process.env }
  // Without --postgres the suites run on SQLite, whatever the shell has set.
  for (const { variable } of Object.values(servers)) delete env[variable]
  Object.assign(env, urls)
  // Unpacks a packed browser once: the first processes would unpack it at the same time, and start an incomplete one.
  if (isBrowserRun) env['CHROME_PATH'] = await findBrowser()
  // Most of the CPU time of a process would go into compiling the same modules again.
  env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules/.cache/banyan-tests')
  const [program] = await Promise.all([
    // The long suite starts the sources, as users do.
    !options.long && files.some(startsProcesses) ? bundleProgram() : undefined,
    existsSync(env['NODE_COMPILE_CACHE']) ? undefined : fillCompileCache(env),
  ])
  if (program) env['TEST_PROGRAM'] = program
  if (options.long) {
    env['TEST_ROUNDS'] ??= String(longRounds)
    env['TEST_SEED'] ??= String(randomInt(2 ** 31))
    console.log(`TEST_SEED=${env['TEST_SEED']} repeats this run with the same generated values.`)
  }
  // The long suite has a real disk, and browsers keep large profiles.
  const folder = options.long || isBrowserRun ? undefined : createTestFolder()
  try {
    return await runAndRepeat(files, { ...env, ...(folder && { TMPDIR: folder }) })
  } finally {
    if (folder) removeTestFolder(folder)
  }
}

async function runAndRepeat(files: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const failed = await runFiles(files, env)
  if (failed.length === 0) return 0
  if (!isBrowserRun || failed.length > maxRepeatedFiles || interruptedBy) return 1
  if (!failed.every(file => files.includes(file))) return 1
  console.log(`\nOnce more: ${failed.join(' ')}`)
  if ((await runFiles(failed, env)).length > 0) return 1
  console.log(`\nFLAKY, and to be fixed: ${failed.join(' ')} failed at first and passed when repeated.`)
  return 0
}

/** Returns the files with failures. */
async function runFiles(files: string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  // A suite that repeats something takes long enough for a process of its own; browser tests have a browser process
  // beside their own.
  if (isBrowserRun || options.long || options.clients) return runProcesses(singleFiles(root, files), env)
  const folder = mkdtempSync(join(tmpdir(), 'banyan-test-groups-'))
  try {
    return await runProcesses(groupFiles(root, files, folder), env)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function runProcesses(processes: TestProcess[], env: NodeJS.ProcessEnv): Promise<string[]> {
  const times = new AreaTimes(processes)
  const failed = new Set<string>()
  const stream = run({
    files: processes.map(({ entry }) => entry),
    cwd: root,
    env,
    concurrency,
    // More rounds than usual take longer than usual.
    timeout: fileTimeoutMilliseconds * Math.max(1, Number(env['TEST_ROUNDS'] ?? 1) / longRounds),
    execArgv: [
      '--disable-warning=ExperimentalWarning',
      '--test-force-exit',
      `--import=${preload}`,
      // The runner hands the time of a file to its tests, too; the last value counts.
      ...(options.long ? [] : [`--test-timeout=${testTimeoutMilliseconds}`]),
    ],
    testNamePatterns: options['test-name-pattern'],
    signal: interrupted.signal,
  })
  const namesOf = (path: string | undefined): string[] =>
    processes.find(({ entry }) => entry === path)?.files ?? []
  stream.on('test:fail', ({ name, nesting }) => {
    // A file of a group is a suite with its name. A file that could not be loaded has no summary.
    const isFile = nesting === 0 && processes.some(({ files }) => files.includes(name))
    for (const each of isFile ? [name] : namesOf(name)) failed.add(each)
  })
  stream.on('test:complete', data => times.add({ type: 'test:complete', data }))
  stream.on('test:summary', data => {
    times.add({ type: 'test:summary', data })
    const { tests, passed, skipped, todo } = data.counts
    const names = namesOf(data.file)
    if (tests > passed + skipped + todo && !names.some(name => failed.has(name)))
      for (const name of names) failed.add(name)
    if (!data.file && !data.success && failed.size === 0) failed.add('an unknown file')
  })
  const report = stream.compose(spec)
  report.pipe(process.stdout, { end: false })
  await once(report, 'end')
  console.log(`\n${times.report()}`)
  const unreported = times.unreported()
  if (unreported.length > 0 && !interruptedBy) console.log(`\nNo result of: ${unreported.join(' ')}`)
  return [...new Set([...failed, ...unreported])]
}

/** Runs the tests with the given servers, which are provided one after the other. */
async function runTestsWith(
  [server, ...others]: (typeof servers)[keyof typeof servers][],
  urls: Record<string, string> = {},
): Promise<number> {
  if (!server) return interruptedBy ? signalCode(interruptedBy) : runTests(urls)
  const { name, variable, isRequired } = server
  const script = join(import.meta.dirname, server.script)
  const holder = String(process.pid)
  // The tests crash Banyan, not the machine, so the writes of PostgreSQL survive without waiting for the disk.
  const start = await runCommand('bash', [script, 'start', holder], { ...process.env, POSTGRES_FSYNC: 'off' })
  if (start.code === UNAVAILABLE) {
    console.log(`Suite skipped: no ${name} is available (the reason is above).`)
    return isRequired ? 1 : 0
  }
  if (start.code !== 0) return start.code
  try {
    return await runTestsWith(others, { ...urls, [variable]: start.output.trim() })
  } finally {
    await runCommand('bash', [script, 'stop', holder])
  }
}

forwardInterrupts()
const code = await runTestsWith([
  ...(options.postgres ? [servers.postgres] : []),
  ...(options.s3 ? [servers.s3] : []),
])
process.exit(interruptedBy ? signalCode(interruptedBy) : code)
