/**
 * Sends seeded malformed requests to a real server process and checks every response.
 *
 *   npm run fuzz -- [--requests 100000] [--seed 1] [--only 4711]
 *
 * The server stores its data in a temporary folder, or in the PostgreSQL database of FUZZ_DATABASE_URL. `--only` sends
 * a single request, by its number in the sequence of the seed, to inspect it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import type { FuzzResult } from '../test/support/fuzz/fuzz-result.ts'
import { runFuzz } from '../test/support/fuzz/run-fuzz.ts'
import { startScriptedModel } from '../test/support/scripted-model.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
})

const wholeNumber = (name: string, text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number`)
  return Number(text)
}

interface ServerProcess {
  child: ChildProcess
  base: string
}

async function startServer(
  dataDir: string,
  token: string,
  modelSettings: Record<string, string>,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', 'src', 'main.ts')], {
    env: {
      PATH: process.env['PATH'],
      NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: process.env['FUZZ_DATABASE_URL'] ?? '',
      BOOTSTRAP_TOKEN: token,
      LOG_LEVEL: 'error',
      // The ledger counts every file, and the demo has some.
      DEMO: 'off',
      // Every wrong token has to be checked, so their number is not limited.
      WRONG_TOKENS_PER_MINUTE: '0',
      ...modelSettings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout! })) {
    const base = /(http:\/\/[\w.:]+\d)\//.exec(line)?.[1]
    if (!base) continue
    // Later output is logged errors, which belong to the report.
    child.stdout!.on('data', chunk => process.stdout.write(chunk))
    child.stdout!.resume()
    return { child, base }
  }
  throw new Error('The server did not start')
}

const table = (title: string, counts: Map<string, number>): string =>
  [title, ...[...counts].sort().map(([key, times]) => `  ${key.padEnd(28)} ${times}`)].join('\n')

function summary(result: FuzzResult, seed: number, seconds: number): string {
  const { slowest, sent, failures, byStatus, byOperation } = result
  return [
    table('Responses by status', byStatus),
    table('Requests by operation', byOperation),
    `Slowest response: ${Math.round(slowest.milliseconds)} ms (${slowest.description})`,
    `Seed ${seed}, ${Math.round(sent / seconds)} requests a second for ${Math.round(seconds)} s`,
    `${sent - failures.length} passed, ${failures.length} failed`,
  ].join('\n')
}

async function main(): Promise<number> {
  const seed = wholeNumber('seed', values.seed)
  const requests = wholeNumber('requests', values.requests)
  const only = values.only === undefined ? undefined : wholeNumber('only', values.only)
  const token = randomBytes(24).toString('base64url')
  const dataDir = await mkdtemp(join(tmpdir(), 'banyan-fuzz-'))
  const model = await startScriptedModel()
  const { child, base } = await startServer(dataDir, token, model.environment)
  const { pid } = child
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null
  console.log(`Seed ${seed}, ${requests} requests to ${base}, process ${pid}`)
  const startedAt = performance.now()
  try {
    const result = await runFuzz({
      base,
      token,
      dataDir,
      modelUrl: `${model.origin}/v1`,
      seed,
      requests,
      only,
      isAlive,
      report: text => {
        // The model records every call.
        model.reset()
        console.log(text)
      },
    })
    if (!isAlive()) result.failures.push(`process ${pid} ended`)
    console.log(summary(result, seed, (performance.now() - startedAt) / 1000))
    return result.failures.length === 0 ? 0 : 1
  } finally {
    await model.stop()
    if (isAlive()) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    await rm(dataDir, { recursive: true, force: true })
  }
}

process.exitCode = await main()
