import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { FreshDatabase } from '../support/fresh-database.ts'

const main = join(import.meta.dirname, '../../src/cli/main.ts')

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

/** The real command, as a separate process, on the given data. */
export function spawnBanyan(
  database: FreshDatabase,
  words: string[],
  nodeFlags: string[] = [],
  environment: Record<string, string> = {},
): ChildProcess {
  const { TEST_DATABASE_URL: _, BOOTSTRAP_TOKEN: __, ...inherited } = process.env
  return spawn(process.execPath, [...nodeFlags, main, ...words], {
    env: { ...inherited, DATA_DIR: database.folder, DATABASE_URL: database.url ?? '', ...environment },
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
