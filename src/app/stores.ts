import { AccessStore } from '../access/access-store.ts'
import { QuotaStore } from '../access/quota-store.ts'
import { AgentStore } from '../agents/agent-store.ts'
import { AuditStore } from '../audit/audit-store.ts'
import { TableArchive } from '../backup/table-archive.ts'
import { AnnotationStore } from '../conversations/annotation-store.ts'
import { ConversationStore } from '../conversations/conversation-store.ts'
import { ConversationSweep } from '../conversations/conversation-sweep.ts'
import { TurnStore } from '../conversations/turn-store.ts'
import type { AmbientDatabase } from '../database/ambient-database.ts'
import { TestSetStore } from '../evaluation/test-set-store.ts'
import { FileStore } from '../files/file-store.ts'
import { ScrubStore } from '../files/scrubber.ts'
import { IdempotencyStore } from '../idempotency/idempotency-store.ts'
import { ChunkStore } from '../knowledge/chunk-store.ts'
import { DocumentStore, fileUses } from '../knowledge/document-store.ts'
import { EmbeddingCache } from '../knowledge/embedding-cache.ts'
import { GoldenStore } from '../knowledge/golden/golden-store.ts'
import { SegmentStore } from '../knowledge/index/segment-store.ts'
import { GroupStore } from '../knowledge/ingest/group-store.ts'
import { IngestionQueue } from '../knowledge/ingest/ingestion-queue.ts'
import { RecognitionCache } from '../knowledge/ingest/recognition/recognition-cache.ts'
import { StagingStore } from '../knowledge/ingest/staging-store.ts'
import { KnowledgeStore } from '../knowledge/knowledge-store.ts'
import { KnowledgeSweep } from '../knowledge/knowledge-sweep.ts'
import { ManualPassageStore } from '../knowledge/manual-passage-store.ts'
import { WebPageStore } from '../knowledge/web/web-page-store.ts'
import { ModelSettingsStore } from '../models/model-settings-store.ts'
import { SecretStore } from '../secrets/secret-store.ts'
import { SharedToolStore } from '../shared-tools/shared-tool-store.ts'
import { TriggerStore } from '../triggers/trigger-store.ts'
import { LayoutStore } from '../workflow/layout-store.ts'
import { PublicationStore } from '../workflow/publication-store.ts'
import { OutputStore } from '../workflow/run/store/output-store.ts'
import { RunStore, RunTextIndex } from '../workflow/run/store/run-store.ts'
import { RunSweep } from '../workflow/run/store/run-sweep.ts'
import { UsageStore } from '../workflow/run/store/usage-store.ts'
import { WorkflowUsers } from '../workflow/used-by.ts'
import { VersionSweep } from '../workflow/version-sweep.ts'
import { WorkflowStore } from '../workflow/workflow-store.ts'

export const createStores = (database: AmbientDatabase) => ({
  access: new AccessStore(database),
  quotas: new QuotaStore(database),
  idempotency: new IdempotencyStore(database),
  audit: new AuditStore(database),
  workflows: new WorkflowStore(database),
  publications: new PublicationStore(database),
  workflowUsers: new WorkflowUsers(database),
  versionSweep: new VersionSweep(database),
  layouts: new LayoutStore(database),
  runs: new RunStore(database),
  runSweep: new RunSweep(database),
  runTexts: new RunTextIndex(database),
  outputs: new OutputStore(database),
  usage: new UsageStore(database),
  agents: new AgentStore(database),
  conversations: new ConversationStore(database),
  conversationSweep: new ConversationSweep(database),
  turns: new TurnStore(database),
  annotations: new AnnotationStore(database),
  models: new ModelSettingsStore(database),
  secrets: new SecretStore(database),
  sharedTools: new SharedToolStore(database),
  triggers: new TriggerStore(database),
  tests: new TestSetStore(database),
  files: new FileStore(database, fileUses),
  scrub: new ScrubStore(database),
  bases: new KnowledgeStore(database),
  documents: new DocumentStore(database),
  golden: new GoldenStore(database),
  webPages: new WebPageStore(database),
  chunks: new ChunkStore(database),
  passages: new ManualPassageStore(database),
  segments: new SegmentStore(database),
  embeddings: new EmbeddingCache(database.apart),
  recognisedTexts: new RecognitionCache(database.apart),
  ingestionQueue: new IngestionQueue(database),
  documentGroups: new GroupStore(database),
  staging: new StagingStore(database),
  knowledgeSweep: new KnowledgeSweep(database),
  tables: new TableArchive(database),
})

export type Stores = ReturnType<typeof createStores>
