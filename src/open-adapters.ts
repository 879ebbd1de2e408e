import { join } from 'node:path'
import { pino } from 'pino'
import { openDiskBlobStore } from './adapters/blob/disk-blob-store.ts'
import { openUsearchVectorIndex } from './adapters/index/usearch-vector-index.ts'
import type { Database } from './adapters/sql/database.ts'
import { openDatabase } from './adapters/sql/open-database.ts'
import type { PostgresDatabase } from './adapters/sql/postgres-database.ts'
import { SqlAccessStore } from './adapters/sql/sql-access-store.ts'
import { SqlChunkStore } from './adapters/sql/sql-chunk-store.ts'
import { SqlDocumentStore } from './adapters/sql/sql-document-store.ts'
import { SqlEmbeddingCache } from './adapters/sql/sql-embedding-cache.ts'
import { SqlFileStore } from './adapters/sql/sql-file-store.ts'
import { SqlIdempotencyStore } from './adapters/sql/sql-idempotency-store.ts'
import { SqlKnowledgeStore } from './adapters/sql/sql-knowledge-store.ts'
import { SqlKnowledgeSweep } from './adapters/sql/sql-knowledge-sweep.ts'
import { SqlReadingStore } from './adapters/sql/sql-reading-store.ts'
import { SqlSegmentStore } from './adapters/sql/sql-segment-store.ts'
import { SqlTableArchive } from './adapters/sql/sql-table-archive.ts'
import { SqlWorkflowStore } from './adapters/sql/sql-workflow-store.ts'
import { WorkerPool } from './adapters/workers/worker-pool.ts'
import type { Config } from './config.ts'
import { limits } from './contract/limits.ts'
import { systemClock } from './kernel/clock.ts'
import type { VectorIndex } from './knowledge/search/vector-index.ts'
import type { Adapters } from './runtime-parts.ts'

/** Somebody waits for the answer to a question; a document can wait for minutes. */
const questionPatience = { attemptMilliseconds: 6000, totalMilliseconds: 8000, pauseMilliseconds: 2000 }

/** Beside SQLite an index in this process; PostgreSQL has its own. */
async function openVectorIndex(config: Config, database: Database): Promise<VectorIndex> {
  if (database.dialect === 'postgres') {
    const { PgvectorIndex } = await import('./adapters/sql/pgvector-index.ts')
    return new PgvectorIndex(database as PostgresDatabase)
  }
  return openUsearchVectorIndex({
    databasePath: join(config.dataDir, 'banyan.db'),
    folder: config.dataDir,
    memoryBytes: config.vectorMemoryBytes,
  })
}

/** Loaded only where a model is configured: a laptop's start does not pay for TLS. */
async function openModels({
  embedding,
  rerank,
  egressAllow,
}: Config): Promise<Pick<Adapters, 'embeddingModel' | 'questionModel' | 'reranker'>> {
  if (!embedding && !rerank)
    return { embeddingModel: undefined, questionModel: undefined, reranker: undefined }
  const { createEgress } = await import('./adapters/egress/create-egress.ts')
  const { createEmbeddingModel } = await import('./adapters/model/openai-embedding-model.ts')
  const { createReranker } = await import('./adapters/model/rerank-model.ts')
  const egress = createEgress({ allow: egressAllow })
  return {
    embeddingModel: embedding && createEmbeddingModel({ egress, ...embedding }),
    questionModel: embedding && createEmbeddingModel({ egress, ...embedding, ...questionPatience }),
    reranker: rerank && createReranker({ egress, ...rerank }),
  }
}

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
    knowledgeStore: new SqlKnowledgeStore(database),
    documentStore: new SqlDocumentStore(database),
    readingStore: new SqlReadingStore(database),
    chunkStore: new SqlChunkStore(database),
    segmentStore: new SqlSegmentStore(database),
    embeddingCache: new SqlEmbeddingCache(database),
    knowledgeSweep: new SqlKnowledgeSweep(database),
    vectorIndex: await openVectorIndex(config, database),
    workers: new WorkerPool({
      size: config.ingestWorkers,
      memoryMegabytes: config.ingestMemoryMegabytes,
      silenceMilliseconds: limits.readingSilenceMilliseconds,
      idleMilliseconds: 60_000,
    }),
    ...(await openModels(config)),
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
