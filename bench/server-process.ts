import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from './work-folder.ts'

export const token = 'operator-token-of-the-bench'
const startTimeoutMilliseconds = 30_000

export interface ServerProcess {
  pid: number
  port: number
  base: string
  /** Time from the spawn until /readyz responded with 200. */
  startMilliseconds: number
  stop(): Promise<void>
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  if (address === null || typeof address === 'string') throw new Error('There is no free port')
  return address.port
}

async function isReady(base: string): Promise<boolean> {
  try {
    const answer = await fetch(`${base}/readyz`, { headers: { connection: 'close' } })
    await answer.arrayBuffer()
    return answer.status === 200
  } catch {
    return false
  }
}

/** Starts the real server in a process of its own, with default settings except for those given. */
export async function startServer(
  dataFolder: string,
  environment: Record<string, string> = {},
  command: readonly string[] = [process.execPath, 'src/main.ts'],
): Promise<ServerProcess> {
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const [program, ...programArguments] = command
  const begun = performance.now()
  const child = spawn(program!, programArguments, {
    cwd: root,
    // A minimal environment, so that settings of the user's shell do not leak in.
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: String(port),
      DATA_DIR: dataFolder,
      BOOTSTRAP_TOKEN: token,
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
    // npm does not forward every signal; a process group can be ended as a whole.
    detached: true,
  })
  const exit = once(child, 'exit')
  while (!(await isReady(base))) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}`)
    if (performance.now() - begun > startTimeoutMilliseconds)
      throw new Error('The server did not become ready')
    await sleep(5)
  }
  return {
    pid: child.pid!,
    port,
    base,
    startMilliseconds: performance.now() - begun,
    stop: async () => {
      process.kill(-child.pid!, 'SIGTERM')
      await exit
    },
  }
}

export async function withServer<Result>(
  dataFolder: string,
  work: (server: ServerProcess) => Promise<Result>,
  environment?: Record<string, string>,
): Promise<Result> {
  const server = await startServer(dataFolder, environment)
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

async function memoryField(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]
  return Number(kilobytes) * 1024
}

export const residentBytes = (pid: number): Promise<number> => memoryField(pid, 'VmRSS')

/** The peak memory of a process while `work` ran. */
export async function peakBytes(pid: number, work: () => Promise<unknown>): Promise<number> {
  // Resets the peak of earlier work. Where that is not allowed, the figure may be too high.
  await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => {})
  await work()
  return memoryField(pid, 'VmHWM')
}
