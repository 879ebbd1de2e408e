import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type ApiClient, apiClient } from './api-client.ts'
import type { FreshDatabase } from './fresh-database.ts'

/** The module of the server as users start it. */
export const serverSource = join(import.meta.dirname, '../../src/main.ts')
/** The runner bundles the program (scripts/bundle-program.ts), which starts in two thirds of the CPU time. */
const program = process.env['TEST_PROGRAM']
const main = program ? join(program, 'main.mjs') : serverSource

/** A test that failed midway must not leave a server behind. */
const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

export interface StartingServer {
  pid: number
  /** Its output so far, logs included. */
  output(): string
  /** Resolves with the exit code, or the signal that ended it. */
  kill(signal: NodeJS.Signals): Promise<number | string>
  ended: Promise<number | string>
  /** The address, once it listens. */
  listening: Promise<string>
}

/**
 * Starts the real server as a separate process. `wrapper` is a command that is given the server's own command line as
 * further arguments; `entry` is the server's module, of this version unless given.
 */
export function launchServer(
  database: FreshDatabase,
  environment: Record<string, string> = {},
  wrapper: readonly string[] = [],
  entry = main,
): StartingServer {
  const { TEST_DATABASE_URL: _, BOOTSTRAP_TOKEN: __, ...inherited } = process.env
  const [program = '', ...words] = [...wrapper, process.execPath, entry]
  const child: ChildProcess = spawn(program, words, {
    env: {
      ...inherited,
      PORT: '0',
      DATA_DIR: database.folder,
      DATABASE_URL: database.url ?? '',
      LOG_LEVEL: 'info',
      // Most drills start with an empty folder.
      DEMO: 'off',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  let output = ''
  // After its last output.
  const ended = once(child, 'close').then(([code, signal]) => (code as number | null) ?? (signal as string))
  const listening = new Promise<string>((resolve, reject) => {
    const onData = (chunk: Buffer): void => {
      output += chunk.toString()
      const found = /Console\s+(http:\/\/\S+?)\/\s/.exec(output)?.[1]
      if (found) resolve(found)
    }
    child.stdout?.on('data', onData)
    child.stderr?.on('data', onData)
    ended.then(code => reject(new Error(`The server ended with ${code}:\n${output}`)))
  })
  listening.catch(() => {})
  return {
    pid: child.pid!,
    output: () => output,
    kill: signal => {
      child.kill(signal)
      return ended
    },
    ended,
    listening,
  }
}

export interface ServerProcess extends StartingServer {
  base: string
  api: ApiClient
}

/** The real server as a separate process, so that it can be killed. Resolves when it listens. */
export async function spawnServer(
  database: FreshDatabase,
  environment: Record<string, string> = {},
  wrapper: readonly string[] = [],
  entry = main,
): Promise<ServerProcess> {
  const starting = launchServer(database, environment, wrapper, entry)
  const base = await starting.listening
  const token = environment['BOOTSTRAP_TOKEN'] ?? /Your token\s+(\S+)/.exec(starting.output())?.[1]
  return { ...starting, base, api: apiClient(base, token) }
}
