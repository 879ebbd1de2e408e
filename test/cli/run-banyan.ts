import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { FreshDatabase } from '../support/fresh-database.ts'

/** Bundled by the runner, as for the server (test/support/server-process.ts); npm in test/docs runs the sources. */
const program = process.env['TEST_PROGRAM']
export const commandModule = program
  ? join(program, 'cli.mjs')
  : join(import.meta.dirname, '../../src/cli/main.ts')

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

function environmentOf(database: FreshDatabase): NodeJS.ProcessEnv {
  const { TEST_DATABASE_URL: _, BOOTSTRAP_TOKEN: __, ...inherited } = process.env
  return { ...inherited, DATA_DIR: database.folder, DATABASE_URL: database.url ?? '' }
}

/** The real command, as a separate process, on the given data. */
export function spawnBanyan(
  database: FreshDatabase,
  words: string[],
  nodeFlags: string[] = [],
  environment: Record<string, string> = {},
): ChildProcess {
  return spawn(process.execPath, [...nodeFlags, commandModule, ...words], {
    env: { ...environmentOf(database), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

export async function runBanyan(
  database: FreshDatabase,
  words: string[],
  nodeFlags: string[] = [],
  environment: Record<string, string> = {},
): Promise<Finished> {
  const child = spawnBanyan(database, words, nodeFlags, environment)
  let stdout = ''
  let stderr = ''
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

/** The command in this process, which is much faster; for tests of its answers and not of its process. */
export async function callBanyan(
  database: FreshDatabase,
  words: string[],
  environment: Record<string, string> = {},
): Promise<Finished> {
  let stdout = ''
  let stderr = ''
  const output = {
    log: (text: string) => {
      stdout += `${text}\n`
    },
    error: (text: string) => {
      stderr += `${text}\n`
    },
  }
  // Loaded on demand: most tests start processes.
  const { runCommandLine } = await import('../../src/cli/command-line.ts')
  const code = await runCommandLine(words, output, { ...environmentOf(database), ...environment })
  return { code, stdout, stderr }
}

/** Runs each command as a process the first time, and then in this one. */
export function commandRunner(): typeof callBanyan {
  const known = new Set<string>()
  return (database, words, environment = {}) => {
    const name = words
      .filter(word => /^[a-z]+$/.test(word))
      .slice(0, 2)
      .join(' ')
    if (known.has(name)) return callBanyan(database, words, environment)
    known.add(name)
    return runBanyan(database, words, [], environment)
  }
}
