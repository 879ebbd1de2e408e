import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ApiClient, apiClient } from './api-client.ts'
import { type FreshDatabase, freshDatabase } from './fresh-database.ts'
import { type ServerProcess, spawnServer } from './server-process.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

const ownHost = new URL('own-host.ts', import.meta.url).href
/** How far their clocks are ahead. */
const clocks = [0, 60_000, -60_000]

export const operatorToken = 'operator-token-of-the-replicas'

export interface Replicas {
  all: ServerProcess[]
  /** Between the replicas and PostgreSQL. */
  database: TcpProxy
  /** Through the load balancer, which gives each request to the next replica. */
  base: string
  api: ApiClient
  /** Starts a replica in the place of one that ended. */
  restart(index: number): Promise<void>
  stop(): Promise<void>
}

/** Gives each request to the next server, or the one after that when it cannot be reached. No sticky sessions. */
async function startBalancer(targets: () => string[]) {
  let turn = 0
  const server = createServer((incoming, response) => {
    const forward = (attempts: number): void => {
      const all = targets()
      const outgoing = request(new URL(incoming.url ?? '/', all[turn++ % all.length]), {
        method: incoming.method ?? 'GET',
        headers: incoming.headers,
      })
      outgoing.on('response', answer => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
        answer.on('error', () => response.destroy())
      })
      outgoing.on('error', error => {
        const isRefused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
        if (isRefused && attempts < all.length) forward(attempts + 1)
        else if (response.headersSent) response.destroy()
        else response.writeHead(502).end()
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
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Replicas that start at once on an empty database, each as on a machine of its own. They share one folder for files. */
export async function startReplicas(environment: Record<string, string>, count = 3): Promise<Replicas> {
  const fresh = await freshDatabase()
  const { hostname, port } = new URL(fresh.url!)
  const proxy = await startTcpProxy({ host: hostname, port: Number(port) || 5432 })
  const url = new URL(fresh.url!)
  url.host = `127.0.0.1:${proxy.port}`
  const database: FreshDatabase = { ...fresh, url: url.href }
  const spawn = (index: number): Promise<ServerProcess> =>
    spawnServer(database, {
      ...{ BOOTSTRAP_TOKEN: operatorToken, LOG_LEVEL: 'warn', ...environment },
      ...{ TEST_HOST: `replica-${index}`, TEST_CLOCK_AHEAD: String(clocks[index % clocks.length]) },
      NODE_OPTIONS: `--import ${ownHost}`,
    })
  const all = await Promise.all(Array.from({ length: count }, (_, index) => spawn(index)))
  const balancer = await startBalancer(() => all.map(({ base }) => base))
  return {
    all,
    database: proxy,
    base: balancer.base,
    api: apiClient(balancer.base, operatorToken),
    restart: async index => {
      all[index] = await spawn(index)
    },
    stop: async () => {
      balancer.stop()
      proxy.restore()
      for (const { pid } of all)
        try {
          process.kill(pid, 'SIGCONT')
        } catch {
          // It has ended.
        }
      await Promise.all(all.map(server => server.kill('SIGKILL')))
      await proxy.stop()
      await fresh.drop()
    },
  }
}
