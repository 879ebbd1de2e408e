import { join } from 'node:path'
import { pino } from 'pino'
import { openDiskBlobStore } from './adapters/blob/disk-blob-store.ts'
import { openDatabase } from './adapters/sql/open-database.ts'
import { SqlAccessStore } from './adapters/sql/sql-access-store.ts'
import { SqlFileStore } from './adapters/sql/sql-file-store.ts'
import { SqlIdempotencyStore } from './adapters/sql/sql-idempotency-store.ts'
import { SqlTableArchive } from './adapters/sql/sql-table-archive.ts'
import { SqlWorkflowStore } from './adapters/sql/sql-workflow-store.ts'
import type { Config } from './config.ts'
import { systemClock } from './kernel/clock.ts'
import type { Adapters } from './runtime.ts'

/** Chooses the adapters that the settings ask for. */
export async function openAdapters(config: Config): Promise<Adapters> {
  const destination = pino.destination({ dest: 1, sync: false })
  const log = pino({ level: config.logLevel, base: { pid: process.pid } }, destination)
  const database = await openDatabase({ url: config.databaseUrl, folder: config.dataDir })
  return {
    accessStore: new SqlAccessStore(database),
    workflowStore: new SqlWorkflowStore(database),
    fileStore: new SqlFileStore(database),
    idempotencyStore: new SqlIdempotencyStore(database),
    blobStore: await openDiskBlobStore(join(config.dataDir, 'files')),
    tableArchive: new SqlTableArchive(database),
    checkDatabase: () => database.check(),
    generation: () => database.generation(),
    clock: systemClock,
    log,
    writeLog: log.isLevelEnabled('info') ? lines => void destination.write(lines) : undefined,
    close: async () => {
      await database.close()
      destination.flushSync()
    },
  }
}
