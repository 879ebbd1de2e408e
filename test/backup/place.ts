import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Adapters, openAdapters } from '../../src/app/adapters.ts'
import { createArchive, openArchive } from '../../src/app/open-archive.ts'
import { createRuntime } from '../../src/app/runtime.ts'
import { type BackupParts, type BackupSummary, createBackup } from '../../src/backup/create-backup.ts'
import { type RestoreParts, type RestoreSummary, restoreBackup } from '../../src/backup/restore-backup.ts'
import { withAdapters } from '../../src/cli/command.ts'
import { type Config, readConfig } from '../../src/config/config.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import type { FreshDatabase } from '../support/fresh-database.ts'
import { migratedDatabase } from '../support/migrated-database.ts'
import { operatorToken } from '../support/test-server.ts'

export interface RunningPlace {
  /** Sends requests as the operator. */
  api: ApiClient
  stop(): Promise<void>
}

type Restore = (
  path: string,
  options?: { overwrite?: boolean; instead?: Partial<RestoreParts> },
) => Promise<RestoreSummary>

/** The data of one installation: backed up, restored into, and inspected through a server. */
export interface Place {
  config: Config
  database: FreshDatabase
  /** `first` does what a first start does; `atWork` also ingests documents. */
  serve(options?: { first?: boolean; atWork?: boolean }): Promise<RunningPlace>
  backup(path: string, instead?: Partial<BackupParts>, signal?: AbortSignal): Promise<BackupSummary>
  restore: Restore
  /** Opens the place once for many restores. */
  restoreOften<Result>(work: (restore: Restore) => Promise<Result>): Promise<Result>
  drop(): Promise<void>
}

export async function freshSqlite(): Promise<FreshDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-test-'))
  return { url: undefined, folder, drop: () => rm(folder, { recursive: true, force: true }) }
}

export async function openPlace(
  given?: FreshDatabase,
  environment: Record<string, string> = {},
): Promise<Place> {
  const database = given ?? (await migratedDatabase())
  const config = readConfig({
    PORT: '0',
    LOG_LEVEL: 'silent',
    // The same at every place: a backup holds secrets as they are sealed.
    SECRET_KEY: 'sealing-key-of-the-backups',
    DATA_DIR: database.folder,
    DATABASE_URL: database.url,
    ...environment,
  })
  const restoreInto =
    (parts: Adapters): Restore =>
    async (path, { overwrite = false, instead = {} } = {}) =>
      restoreBackup(
        { tables: parts.stores.tables, blobs: parts.blobs, files: parts.stores.files, ...instead },
        await openArchive(path, config.s3),
        { overwrite, signal: new AbortController().signal },
      )
  return {
    config,
    database,
    serve: async ({ first = false, atWork = false } = {}) => {
      const runtime = createRuntime(await openAdapters(config), config)
      if (first) await runtime.access.bootstrap(operatorToken, true)
      const base = await runtime.server.listen({ host: config.host, port: config.port })
      if (atWork) runtime.start()
      return { api: apiClient(base, operatorToken), stop: () => runtime.stop() }
    },
    backup: (path, instead = {}, signal = new AbortController().signal) =>
      withAdapters(config, async parts =>
        createBackup(
          {
            tables: parts.stores.tables,
            blobs: parts.blobs,
            files: parts.stores.files,
            clock: systemClock,
            programVersion: '1.2.3',
            readBootstrapToken: async () => Buffer.from('the-token-of-the-first-start\n'),
            ...instead,
          },
          await createArchive(path, config.s3),
          signal,
        ),
      ),
    restore: (...given) => withAdapters(config, parts => restoreInto(parts)(...given), { fills: true }),
    restoreOften: work => withAdapters(config, parts => work(restoreInto(parts)), { fills: true }),
    drop: () => database.drop(),
  }
}
