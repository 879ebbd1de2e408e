import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const script = join(import.meta.dirname, '../../scripts/postgres.sh')

export interface OwnPostgres {
  url: string
  /** As after a crash: all connections break, and it answers again on the same port. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** A PostgreSQL server of this suite alone, which may break it. Fails where `scripts/postgres.sh` cannot provide one. */
export async function startOwnPostgres(instance: string): Promise<OwnPostgres> {
  const { TEST_DATABASE_URL: _, ...environment } = process.env
  const run = async (...args: string[]): Promise<string> => {
    const env = { ...environment, POSTGRES_INSTANCE: instance }
    return (await promisify(execFile)('bash', [script, ...args], { env })).stdout.trim()
  }
  const holder = String(process.pid)
  return {
    url: await run('start', holder),
    restart: async () => void (await run('restart')),
    stop: async () => void (await run('stop', holder)),
  }
}
