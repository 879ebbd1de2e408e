import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { KeywordThreads } from '../adapters/index/keyword-threads.ts'
import { UsearchVectorIndex } from '../adapters/index/usearch-vector-index.ts'
import { createLocalRecogniser, isOcrInstalled } from '../adapters/ocr/local-recogniser.ts'
import { databasePlace, openDatabase } from '../adapters/sql/open-database.ts'
import type { PostgresDatabase } from '../adapters/sql/postgres-database.ts'
import { WorkerPool } from '../adapters/workers/worker-pool.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { LocalCluster } from '../cluster/local-cluster.ts'
import type { Config } from '../config/config.ts'
import { limits } from '../contract/limits.ts'
import { AmbientDatabase } from '../database/ambient-database.ts'
import type { Database } from '../database/database.ts'
import type { BlobStore } from '../files/blob-store.ts'
import { Installation } from '../files/installation.ts'
import { type Clock, systemClock } from '../kernel/clock.ts'
import { SecretBox } from '../kernel/secret-box.ts'
import type { KeywordSearch } from '../knowledge/index/keyword-index.ts'
import type { MergeWorker } from '../knowledge/index/segment-merger.ts'
import type { DocumentReader } from '../knowledge/ingest/document-reader.ts'
import type { TextRecogniser } from '../knowledge/ingest/recognition/medium.ts'
import type { VectorIndex } from '../knowledge/search/vector-index.ts'
import type { TextIndexer } from '../knowledge/text-indexer.ts'
import { type Connections, openConnections } from './connections.ts'
import { LogDestination } from './log-destination.ts'
import { openBlobStore } from './open-blob-store.ts'
import type { Tracing } from './open-tracing.ts'
import { programVersion } from './program-version.ts'
import { storedSecret } from './stored-secret.ts'
import { createStores, type Stores } from './stores.ts'

const maxSearchThreads = 4

/** Everything that differs between a laptop, a cluster and a test. */
export interface Adapters extends Connections {
  database: AmbientDatabase
  /** The processes that share the database. */
  cluster: Cluster
  stores: Stores
  blobs: BlobStore
  installation: Installation
  vectorIndex: VectorIndex
  keywordIndex: KeywordSearch & { close(): Promise<void> }
  workers: DocumentReader & MergeWorker & TextIndexer & { close(): Promise<void> }
  /** Undefined if its package is not installed, or local OCR is not enabled. */
  localOcr: (TextRecogniser & { close(): Promise<void> }) | undefined
  /** Encrypts secrets in the database; undefined where no key is set. */
  secretBox: SecretBox | undefined
  /** Undefined where traces are not exported. */
  tracing: Tracing | undefined
  clock: Clock
  log: Logger
  /** Writes log lines that are already formatted; undefined when requests are not logged. */
  writeLog: ((lines: string) => void) | undefined
  close(): Promise<void>
}

/** SQLite gets an index in this process; PostgreSQL has pgvector. */
async function openVectorIndex(config: Config, database: Database): Promise<VectorIndex> {
  if (database.dialect === 'postgres') {
    const { PgvectorIndex } = await import('../adapters/sql/pgvector-index.ts')
    return new PgvectorIndex(database as PostgresDatabase)
  }
  return new UsearchVectorIndex({
    databasePath: join(config.dataDir, 'banyan.db'),
    folder: config.dataDir,
    memoryBytes: config.vectorMemoryBytes,
  })
}

async function openCluster(database: Database, log: Logger): Promise<Cluster> {
  const version = await programVersion()
  if (database.dialect === 'sqlite') return new LocalCluster(database, systemClock, version)
  const { PostgresCluster } = await import('../adapters/sql/postgres-cluster.ts')
  const cluster = new PostgresCluster(database as PostgresDatabase, { clock: systemClock, version, log })
  await cluster.time.refresh()
  return cluster
}

/** With SQLite a missing key is generated; replicas on PostgreSQL could not agree on one. */
async function openSecretBox({ secretKey, databaseUrl, dataDir }: Config): Promise<SecretBox | undefined> {
  if (secretKey === undefined && databaseUrl !== undefined) return undefined
  return new SecretBox(secretKey ?? (await storedSecret(dataDir, 'secret-key')).secret)
}

async function openTraces(config: Config): Promise<Tracing | undefined> {
  const { otelExporterOtlpEndpoint: endpoint } = config
  return endpoint ? (await import('./open-tracing.ts')).openTracing(config, endpoint) : undefined
}

function openLocalOcr({ ocr }: Config, log: Logger): Adapters['localOcr'] {
  if (ocr !== 'auto' && ocr !== 'local') return undefined
  if (isOcrInstalled()) return createLocalRecogniser()
  if (ocr === 'local')
    log.warn(
      'OCR is local, but @gutenye/ocr-node is not installed: run npm install --no-save @gutenye/ocr-node',
    )
  return undefined
}

/** The database and the blobs, which must belong together. */
async function openStorage(config: Config, log: Logger, adopt: boolean) {
  const options = { url: config.databaseUrl, folder: config.dataDir }
  const driver = await openDatabase({
    ...options,
    log,
    pool: {
      poolSize: config.databasePoolSize,
      waitMilliseconds: config.databaseWaitSeconds * 1000,
      statementMilliseconds: config.databaseStatementSeconds * 1000,
    },
  })
  try {
    const database = new AmbientDatabase(driver)
    const stores = createStores(database)
    const cluster = await openCluster(driver, log)
    // Replicas compare the times that they store, and their own clocks may differ.
    const clock = cluster.isAlone ? systemClock : cluster.time
    const { blobs, place } = await openBlobStore(config, clock)
    const places = { database: databasePlace(options), blobs: place }
    const installation = new Installation({ database, files: stores.files, blobs, places })
    await (adopt ? installation.adopt() : installation.open())
    return { driver, database, cluster, clock, stores, blobs, installation }
  } catch (error) {
    await driver.close()
    throw error
  }
}

/** With `adopt` the stored files belong to this database from now on. `logTo`: a command may use standard output. */
export async function openAdapters(config: Config, { adopt = false, logTo = 1 } = {}): Promise<Adapters> {
  const destination = new LogDestination(logTo)
  const log = pino({ level: config.logLevel, base: { pid: process.pid } }, destination)
  const { driver, ...storage } = await openStorage(config, log, adopt)
  const tracing = await openTraces(config)
  const exchangeOf = (topic: string) => storage.cluster.exchange(topic)
  const connections = await openConnections(config, exchangeOf, tracing?.tracer)
  return {
    ...connections,
    ...storage,
    vectorIndex: await openVectorIndex(config, driver),
    keywordIndex: new KeywordThreads(storage.stores.segments, {
      threads: Math.min(maxSearchThreads, availableParallelism()),
      cacheBytes: config.searchCacheBytes,
    }),
    workers: new WorkerPool({
      threads: config.ingestWorkers,
      memoryMegabytes: config.ingestMemoryMb,
      silenceMilliseconds: limits.ingestionStallMilliseconds,
      idleMilliseconds: 60_000,
      soffice: config.sofficePath,
      ffmpeg: config.ffmpegPath,
    }),
    localOcr: openLocalOcr(config, log),
    secretBox: await openSecretBox(config),
    tracing,
    log,
    writeLog: log.isLevelEnabled('info') ? lines => destination.write(lines) : undefined,
    close: async () => {
      await tracing?.close()
      connections.closeOutbound()
      await driver.close()
      destination.close()
    },
  }
}
