import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { type ApiClient, apiClient } from './api-client.ts'
import { type FreshDatabase, freshDatabase } from './fresh-database.ts'
import { type ServerProcess, spawnServer } from './server-process.ts'
import { TcpProxy } from './tcp-proxy.ts'
import { createTestBucket } from './test-bucket.ts'
import { until } from './watch.ts'

const ownHost = new URL('own-host.ts', import.meta.url).href
/** How far their clocks are ahead. */
const clocks = [0, 60_000, -60_000]

export const operatorToken = 'operator-token-of-the-replicas'

export interface ReplicaOptions {
  environment?: Record<string, string>
  /** The entry of another version. */
  entry?: string
}

export interface Replicas {
  /** The load balancer gives requests to these. */
  all: ServerProcess[]
  /** Between the replicas and PostgreSQL. */
  database: TcpProxy
  /** A connection to the database, past that proxy unless told otherwise. */
  connect(options?: { throughProxy: boolean }): Promise<pg.Client>
  /** Through the load balancer, which gives each request to the next replica. */
  api: ApiClient
  /** The settings that they have in common, for the command line. */
  environment: NodeJS.ProcessEnv
  /** Gives it no more requests, and waits until it has answered those that it has. */
  drain(replica: ServerProcess): Promise<void>
  /** Starts one more. */
  add(options?: ReplicaOptions): Promise<ServerProcess>
  stop(): Promise<void>
}

/** Gives each request to the next server, or the one after that when it cannot be reached. No sticky sessions. */
async function startBalancer(targets: () => string[]) {
  let turn = 0
  /** Requests in progress by server. */
  const inProgress = new Map<string, number>()
  const count = (target: string, more: number): void => {
    inProgress.set(target, (inProgress.get(target) ?? 0) + more)
  }
  const server = createServer((incoming, response) => {
    const forward = (attempts: number): void => {
      const all = targets()
      const { method = 'GET', headers, url = '/' } = incoming
      const target = all[turn++ % all.length]!
      const outgoing = request(new URL(url, target), { method, headers, agent: false })
      count(target, 1)
      outgoing.once('close', () => count(target, -1))
      outgoing.on('response', answer => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
        answer.on('error', () => response.destroy())
      })
      outgoing.on('error', error => {
        const isRefused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
        if (isRefused && attempts < all.length) forward(attempts + 1)
        else if (response.headersSent) response.destroy()
        else response.writeHead(502).end(String(error))
      })
      response.on('close', () => outgoing.destroy())
      body.then(bytes => outgoing.end(bytes))
    }
    const body = incoming.toArray().then(chunks => Buffer.concat(chunks as Buffer[]))
    forward(1)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    base: `http://127.0.0.1:${port}`,
    isIdle: (target: string) => (inProgress.get(target) ?? 0) === 0,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * Replicas that start at once on an empty database, each as on a machine of its own. They share nothing but the database
 * and the S3 store in TEST_S3_URL or, without one, a folder for files.
 */
export async function startReplicas(
  shared: Record<string, string>,
  { count = 3, server, entry }: { count?: number; server?: string | undefined; entry?: string } = {},
): Promise<Replicas> {
  const fresh = await freshDatabase(server)
  const url = new URL(fresh.url!)
  const proxy = new TcpProxy(fresh.url!)
  url.host = new URL(await proxy.open()).host
  const database: FreshDatabase = { ...fresh, url: url.href }
  const bucket = process.env['TEST_S3_URL'] ? await createTestBucket() : undefined
  const common = {
    ...{ BOOTSTRAP_TOKEN: operatorToken, LOG_LEVEL: 'warn', SECRET_KEY: 'secret-of-the-replicas' },
    ...bucket?.environment(),
    ...shared,
  }
  const started: ServerProcess[] = []
  let number = 0
  const spawn = async (options: ReplicaOptions = {}): Promise<ServerProcess> => {
    const index = number++
    const environment = {
      NODE_OPTIONS: `--import ${ownHost}`,
      ...{ TEST_HOST: `replica-${index}`, TEST_CLOCK_AHEAD: String(clocks[index % clocks.length]) },
      ...(bucket && { DATA_DIR: join(fresh.folder, String(index)) }),
      ...common,
      ...options.environment,
    }
    const replica = await spawnServer(database, environment, [], options.entry ?? entry)
    started.push(replica)
    return replica
  }
  const all = await Promise.all(Array.from({ length: count }, () => spawn()))
  const balancer = await startBalancer(() => all.map(({ base }) => base))
  return {
    all,
    database: proxy,
    connect: async ({ throughProxy } = { throughProxy: false }) => {
      const client = new pg.Client({ connectionString: throughProxy ? url.href : fresh.url })
      client.on('error', () => {})
      await client.connect()
      return client
    },
    api: apiClient(balancer.base, operatorToken),
    environment: { ...process.env, ...common, DATABASE_URL: fresh.url, DATA_DIR: fresh.folder },
    drain: async replica => {
      all.splice(all.indexOf(replica), 1)
      await until('the last answer', async () => balancer.isIdle(replica.base))
    },
    add: async options => {
      const replica = await spawn(options)
      all.push(replica)
      return replica
    },
    stop: async () => {
      balancer.stop()
      proxy.set('pass')
      await Promise.all(started.map(replica => replica.kill('SIGKILL')))
      await proxy.close()
      await fresh.drop()
    },
  }
}
