import { join } from 'node:path'
import { pino } from 'pino'
import { AccessStore } from '../access/access-store.ts'
import { openDiskBlobStore } from '../adapters/blob/disk-blob-store.ts'
import { openUsearchVectorIndex } from '../adapters/index/usearch-vector-index.ts'
import { openDatabase } from '../adapters/sql/open-database.ts'
import type { PostgresDatabase } from '../adapters/sql/postgres-database.ts'
import { WorkerPool } from '../adapters/workers/worker-pool.ts'
import { AgentStore } from '../agents/agent-store.ts'
import { TableArchive } from '../backup/table-archive.ts'
import type { Config } from '../config.ts'
import { limits } from '../contract/limits.ts'
import { ConversationStore } from '../conversations/conversation-store.ts'
import { TurnStore } from '../conversations/turn-store.ts'
import type { Database } from '../database/database.ts'
import { FileStore } from '../files/file-store.ts'
import { IdempotencyStore } from '../idempotency/idempotency-store.ts'
import { systemClock } from '../kernel/clock.ts'
import { createSecretBox, type SecretBox } from '../kernel/secret-box.ts'
import { ChunkStore } from '../knowledge/chunk-store.ts'
import { DocumentStore, fileUses } from '../knowledge/document-store.ts'
import { EmbeddingCache } from '../knowledge/embedding-cache.ts'
import { SegmentStore } from '../knowledge/index/segment-store.ts'
import { GenerationSwap } from '../knowledge/ingest/generation-swap.ts'
import { IngestionQueue } from '../knowledge/ingest/ingestion-queue.ts'
import { StagingStore } from '../knowledge/ingest/staging-store.ts'
import { KnowledgeStore } from '../knowledge/knowledge-store.ts'
import { KnowledgeSweep } from '../knowledge/knowledge-sweep.ts'
import type { VectorIndex } from '../knowledge/search/vector-index.ts'
import { ModelSettingsStore } from '../models/model-settings-store.ts'
import { LayoutStore } from '../workflow/layout-store.ts'
import { OutputStore } from '../workflow/run/output-store.ts'
import { RunStore } from '../workflow/run/run-store.ts'
import { UsageStore } from '../workflow/run/usage-store.ts'
import { WorkflowStore } from '../workflow/workflow-store.ts'
import { keptSecret } from './kept-secret.ts'
import { countDue } from './measure.ts'
import { openModels } from './open-models.ts'
import type { Adapters } from './runtime-parts.ts'

/** Beside SQLite an index in this process; PostgreSQL has its own. */
async function openVectorIndex(config: Config, database: Database): Promise<VectorIndex> {
  if (database.dialect === 'postgres') {
    const { PgvectorIndex } = await import('../adapters/sql/pgvector-index.ts')
    return new PgvectorIndex(database as PostgresDatabase)
  }
  return openUsearchVectorIndex({
    databasePath: join(config.dataDir, 'banyan.db'),
    folder: config.dataDir,
    memoryBytes: config.vectorMemoryBytes,
  })
}

/** Beside SQLite a key is made where none is set; replicas could not agree on one. */
async function openSecretBox({ secretKey, databaseUrl, dataDir }: Config): Promise<SecretBox | undefined> {
  if (secretKey === undefined && databaseUrl !== undefined) return undefined
  return createSecretBox(secretKey ?? (await keptSecret(dataDir, 'secret-key')).secret)
}

/** Chooses the adapters that the settings ask for. */
export async function openAdapters(config: Config): Promise<Adapters> {
  const destination = pino.destination({ dest: 1, sync: false })
  const log = pino({ level: config.logLevel, base: { pid: process.pid } }, destination)
  const database = await openDatabase({ url: config.databaseUrl, folder: config.dataDir })
  const models = await openModels(config)
  return {
    database,
    accessStore: new AccessStore(database),
    workflowStore: new WorkflowStore(database),
    layoutStore: new LayoutStore(database),
    fileStore: new FileStore(database, fileUses),
    idempotencyStore: new IdempotencyStore(database),
    blobStore: await openDiskBlobStore(join(config.dataDir, 'files')),
    tableArchive: new TableArchive(database),
    knowledgeStore: new KnowledgeStore(database),
    documentStore: new DocumentStore(database),
    ingestionQueue: new IngestionQueue(database),
    stagingStore: new StagingStore(database),
    generationSwap: new GenerationSwap(database),
    chunkStore: new ChunkStore(database),
    segmentStore: new SegmentStore(database),
    embeddingCache: new EmbeddingCache(database),
    knowledgeSweep: new KnowledgeSweep(database),
    vectorIndex: await openVectorIndex(config, database),
    workers: new WorkerPool({
      size: config.ingestWorkers,
      memoryMegabytes: config.ingestMemoryMegabytes,
      silenceMilliseconds: limits.ingestionStallMilliseconds,
      idleMilliseconds: 60_000,
    }),
    ...models,
    runStore: new RunStore(database),
    usageStore: new UsageStore(database),
    outputStore: new OutputStore(database),
    agentStore: new AgentStore(database),
    conversationStore: new ConversationStore(database),
    turnStore: new TurnStore(database),
    modelSettingsStore: new ModelSettingsStore(database),
    secretBox: await openSecretBox(config),
    checkDatabase: () => database.check(),
    metricSources: {
      queuedRuns: countDue(database, 'runs', systemClock),
      queuedDocuments: countDue(database, 'readings', systemClock),
      pool: () => database.pool?.(),
    },
    generation: () => database.generation(),
    clock: systemClock,
    log,
    writeLog: log.isLevelEnabled('info') ? lines => void destination.write(lines) : undefined,
    close: async () => {
      models.closeEgress()
      await database.close()
      destination.flushSync()
    },
  }
}
