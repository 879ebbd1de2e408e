import type { Logger } from 'pino'
import type { AccessStore } from '../access/access-store.ts'
import type { AgentStore } from '../agents/agent-store.ts'
import type { TableArchive } from '../backup/table-archive.ts'
import type { Config } from '../config.ts'
import type { ConversationStore } from '../conversations/conversation-store.ts'
import type { TurnStore } from '../conversations/turn-store.ts'
import type { Database } from '../database/database.ts'
import type { BlobStore } from '../files/blob-store.ts'
import type { FileStore } from '../files/file-store.ts'
import type { IdempotencyStore } from '../idempotency/idempotency-store.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Generation } from '../kernel/commit-cache.ts'
import type { SecretBox } from '../kernel/secret-box.ts'
import type { ChunkStore } from '../knowledge/chunk-store.ts'
import type { DocumentStore } from '../knowledge/document-store.ts'
import type { EmbeddingCache } from '../knowledge/embedding-cache.ts'
import type { MergeWorker } from '../knowledge/index/segment-merger.ts'
import type { SegmentStore } from '../knowledge/index/segment-store.ts'
import type { DocumentReader } from '../knowledge/ingest/document-reader.ts'
import type { GenerationSwap } from '../knowledge/ingest/generation-swap.ts'
import type { IngestionQueue } from '../knowledge/ingest/ingestion-queue.ts'
import type { StagingStore } from '../knowledge/ingest/staging-store.ts'
import type { KnowledgeStore } from '../knowledge/knowledge-store.ts'
import type { KnowledgeSweep } from '../knowledge/knowledge-sweep.ts'
import type { VectorIndex } from '../knowledge/search/vector-index.ts'
import type { ConnectModel, EnvironmentModel } from '../models/configured-models.ts'
import type { EmbeddingModel } from '../models/embedding-model.ts'
import type { ModelSettingsStore } from '../models/model-settings-store.ts'
import type { Reranker } from '../models/reranker.ts'
import type { Transcriber } from '../models/transcriber.ts'
import type { WebSearch } from '../models/web-search.ts'
import type { CodeRunner } from '../tools/code-runner.ts'
import type { HttpClient } from '../tools/http-client.ts'
import type { ToolServers } from '../tools/tool-server.ts'
import type { LayoutStore } from '../workflow/layout-store.ts'
import type { OutputStore } from '../workflow/run/output-store.ts'
import type { RunStore } from '../workflow/run/run-store.ts'
import type { UsageStore } from '../workflow/run/usage-store.ts'
import type { WorkflowStore } from '../workflow/workflow-store.ts'
import type { MetricSources } from './metrics.ts'

/** What the outside world looks like: everything that differs between a laptop, a cluster and a test. */
export interface Adapters {
  database: Database
  accessStore: AccessStore
  workflowStore: WorkflowStore
  layoutStore: LayoutStore
  fileStore: FileStore
  idempotencyStore: IdempotencyStore
  blobStore: BlobStore
  tableArchive: TableArchive
  knowledgeStore: KnowledgeStore
  documentStore: DocumentStore
  ingestionQueue: IngestionQueue
  stagingStore: StagingStore
  generationSwap: GenerationSwap
  chunkStore: ChunkStore
  segmentStore: SegmentStore
  embeddingCache: EmbeddingCache
  knowledgeSweep: KnowledgeSweep
  vectorIndex: VectorIndex
  workers: DocumentReader & MergeWorker & { close(): Promise<void> }
  embeddingModel: EmbeddingModel | undefined
  /** The same endpoint with less patience: for questions. */
  questionModel: EmbeddingModel | undefined
  reranker: Reranker | undefined
  runStore: RunStore
  usageStore: UsageStore
  outputStore: OutputStore
  agentStore: AgentStore
  conversationStore: ConversationStore
  turnStore: TurnStore
  modelSettingsStore: ModelSettingsStore
  /** The model of the settings. */
  environmentModel: EnvironmentModel | undefined
  connectModel: ConnectModel
  transcriber: Transcriber | undefined
  webSearch: WebSearch | undefined
  http: HttpClient
  toolServers: ToolServers & { close(): Promise<void> | void }
  code: CodeRunner & { close(): Promise<void> | void }
  /** Seals what must not be read in the database; undefined where no key for that is set. */
  secretBox: SecretBox | undefined
  checkDatabase(): Promise<void>
  metricSources: MetricSources
  generation: Generation
  clock: Clock
  log: Logger
  /** Takes lines of the log that are already in its form; undefined when requests are not logged. */
  writeLog: ((lines: string) => void) | undefined
  close(): Promise<void>
}

export type RuntimeConfig = Pick<
  Config,
  | 'databaseUrl'
  | 'maxFileBytes'
  | 'embedding'
  | 'rerank'
  | 'ingestWorkers'
  | 'searchCacheBytes'
  | 'runRetentionDays'
  | 'publicCallsPerMinute'
  | 'transcribe'
  | 'webSearch'
  | 'shownSettings'
>
