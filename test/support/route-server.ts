import { join } from 'node:path'
import { pino } from 'pino'
import { AccessService } from '../../src/access/access-service.ts'
import { AccessStore } from '../../src/access/access-store.ts'
import { openDiskBlobStore } from '../../src/adapters/blob/disk-blob-store.ts'
import { openDatabase } from '../../src/adapters/sql/open-database.ts'
import { Metrics } from '../../src/app/metrics.ts'
import { AuditLog } from '../../src/audit/audit-log.ts'
import { AuditStore } from '../../src/audit/audit-store.ts'
import { ConversationStore } from '../../src/conversations/conversation-store.ts'
import { AmbientDatabase } from '../../src/database/ambient-database.ts'
import { FileService } from '../../src/files/file-service.ts'
import { FileStore } from '../../src/files/file-store.ts'
import { RequestLimiter } from '../../src/http/request-limiter.ts'
import type { Route } from '../../src/http/route.ts'
import { accessRoutes } from '../../src/http/routes/access-routes.ts'
import { fileRoutes } from '../../src/http/routes/file-routes.ts'
import { createServer } from '../../src/http/server.ts'
import { IdempotencyService } from '../../src/idempotency/idempotency-service.ts'
import { IdempotencyStore } from '../../src/idempotency/idempotency-store.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { fileUses } from '../../src/knowledge/document-store.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import { migratedDatabase } from './migrated-database.ts'
import { unlimited } from './unlimited.ts'

export interface RouteServer {
  base: string
  /** Sends requests as the operator. */
  api: ApiClient
  stop(): Promise<void>
}

const operatorToken = 'operator-token-of-the-tests'

/** Some routes behind the real gate, with real tokens and files. */
export async function startRouteServer(
  routes: (parts: { database: AmbientDatabase; files: FileService }) => Route[],
): Promise<RouteServer> {
  const fresh = await migratedDatabase()
  const database = new AmbientDatabase(await openDatabase(fresh))
  const access = new AccessService(new AccessStore(database), systemClock, () => database.generation())
  const idempotency = new IdempotencyService(new IdempotencyStore(database), systemClock)
  const blobs = await openDiskBlobStore(join(fresh.folder, 'files'))
  const files = new FileService(new FileStore(database, fileUses), blobs, systemClock, 1 << 20)
  const parts = {
    access,
    idempotency,
    audit: new AuditLog(new AuditStore(database), database, systemClock),
    metrics: new Metrics(),
    limiter: new RequestLimiter({}, systemClock),
    log: pino({ level: 'silent' }),
    writeLog: undefined,
  }
  const server = createServer(parts, [
    ...accessRoutes(access, { abandonWorkspace: async () => {} }),
    ...fileRoutes(files, {
      ...parts,
      quotas: unlimited(database),
      conversations: new ConversationStore(database),
    }),
    ...routes({ database, files }),
  ])
  await access.bootstrap(operatorToken, true)
  const base = await server.listen({ host: '127.0.0.1', port: 0 })
  return {
    base,
    api: apiClient(base, operatorToken),
    stop: async () => {
      await server.close()
      await database.close()
      await fresh.drop()
    },
  }
}
