import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { AccessService } from './access/access-service.ts'
import type { AccessStore } from './access/access-store.ts'
import type { TableArchive } from './backup/table-archive.ts'
import { limits } from './contract/limits.ts'
import type { BlobStore } from './files/blob-store.ts'
import { FileService } from './files/file-service.ts'
import type { FileStore } from './files/file-store.ts'
import { Metrics } from './http/metrics.ts'
import { accessRoutes } from './http/routes/access-routes.ts'
import { fileRoutes } from './http/routes/file-routes.ts'
import { type Readiness, serverRoutes } from './http/routes/server-routes.ts'
import { workflowRoutes } from './http/routes/workflow-routes.ts'
import { createServer } from './http/server.ts'
import { IdempotencyService } from './idempotency/idempotency-service.ts'
import type { IdempotencyStore } from './idempotency/idempotency-store.ts'
import type { Clock } from './kernel/clock.ts'
import type { Generation } from './kernel/commit-cache.ts'
import { nodeKinds } from './nodes/registry.ts'
import { WorkflowService } from './workflow/workflow-service.ts'
import type { WorkflowStore } from './workflow/workflow-store.ts'

/** What the outside world looks like: everything that differs between a laptop, a cluster and a test. */
export interface Adapters {
  accessStore: AccessStore
  workflowStore: WorkflowStore
  fileStore: FileStore
  idempotencyStore: IdempotencyStore
  blobStore: BlobStore
  tableArchive: TableArchive
  checkDatabase(): Promise<void>
  generation: Generation
  clock: Clock
  log: Logger
  /** Takes lines of the log that are already in its form; undefined when requests are not logged. */
  writeLog: ((lines: string) => void) | undefined
  close(): Promise<void>
}

export interface Runtime {
  access: AccessService
  server: FastifyInstance
  /** Begins the work that goes on beside requests. */
  start(): void
  /** No new work, requests under way end, everything is closed. */
  stop(): Promise<void>
}

/** Puts the parts together. It is the only place where one is made. */
export function createRuntime(adapters: Adapters, options: { maxFileBytes: number }): Runtime {
  const { clock, log } = adapters
  const access = new AccessService(adapters.accessStore, clock, adapters.generation)
  const idempotency = new IdempotencyService(adapters.idempotencyStore, clock)
  const workflows = new WorkflowService(adapters.workflowStore, nodeKinds, clock)
  const files = new FileService(adapters.fileStore, adapters.blobStore, clock, options.maxFileBytes)
  const metrics = new Metrics()
  const readiness: Readiness = {
    stopping: false,
    checks: { database: () => adapters.checkDatabase(), files: () => files.check() },
  }
  const parts = { access, idempotency, metrics, log, writeLog: adapters.writeLog }
  const server = createServer(parts, [
    ...workflowRoutes(workflows, adapters.generation),
    ...fileRoutes(files, parts),
    ...accessRoutes(access),
    ...serverRoutes(metrics, readiness),
  ])
  const stopping = new AbortController()

  /** Does a chore now and then every so often; one that fails is logged and gets its next turn. */
  const repeat = async (chore: string, seconds: number, run: () => Promise<void>): Promise<void> => {
    while (!stopping.signal.aborted) {
      await run().catch((error: unknown) =>
        log.warn({ chore, err: error }, 'A chore failed; it is tried again'),
      )
      await sleep(seconds * 1000, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
    }
  }
  const keepHouse = (): Promise<unknown> =>
    Promise.all([
      repeat('sweep temporary files', 20, () => files.sweepTemporary()),
      repeat('sweep orphaned blobs', 3600, () => files.sweepOrphans(stopping.signal)),
      repeat('purge deleted workspaces', 20, () => access.purge(stopping.signal)),
      repeat('forget idempotency keys', 600, () => idempotency.forget()),
    ])
  let housekeeping: Promise<unknown> | undefined

  return {
    access,
    server,
    start: () => {
      housekeeping = keepHouse()
    },
    stop: async () => {
      readiness.stopping = true
      stopping.abort()
      const cut = setTimeout(() => server.server.closeAllConnections(), limits.stopMilliseconds)
      await server.close()
      clearTimeout(cut)
      await housekeeping
      await adapters.close()
    },
  }
}
