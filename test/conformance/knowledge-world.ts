import assert from 'node:assert/strict'
import type { Database } from '../../src/database/database.ts'
import { FileStore } from '../../src/files/file-store.ts'
import { ChunkStore } from '../../src/knowledge/chunk-store.ts'
import type { Chunking } from '../../src/knowledge/chunking.ts'
import { DocumentStore, fileUses } from '../../src/knowledge/document-store.ts'
import { SegmentBuilder } from '../../src/knowledge/index/segment-builder.ts'
import { SegmentStore } from '../../src/knowledge/index/segment-store.ts'
import { GroupStore } from '../../src/knowledge/ingest/group-store.ts'
import { type IngestionJob, IngestionQueue } from '../../src/knowledge/ingest/ingestion-queue.ts'
import { type StagedChunk, type StagedPart, StagingStore } from '../../src/knowledge/ingest/staging-store.ts'
import type { KnowledgeBase, KnowledgeSettings, Metadata } from '../../src/knowledge/knowledge-base.ts'
import { KnowledgeStore } from '../../src/knowledge/knowledge-store.ts'
import { KnowledgeSweep } from '../../src/knowledge/knowledge-sweep.ts'
import { textTerms } from '../../src/knowledge/text/text-terms.ts'
import { openTestDatabase } from '../support/open-test-database.ts'

export const chunking: Chunking = { strategy: 'auto', size: 512, overlap: 64 }
export const otherChunking: Chunking = { strategy: 'paragraph', size: 300, overlap: 0 }

export const settingsOf = (name: string, more: Partial<KnowledgeSettings> = {}): KnowledgeSettings => ({
  name,
  description: `About ${name}`,
  chunking,
  embeddingModel: null,
  retrieval: { topK: 5, scoreThreshold: 0, rerank: false },
  metadata: {},
  goldenMaxLost: 0,
  ...more,
})

export const knowledgeTables = [
  'knowledge_bases',
  'generations',
  'documents',
  'document_values',
  'readings',
  'batches',
  'chunks',
  'segments',
  'segment_blocks',
  'vectors',
] as const

const chunkOf = (job: IngestionJob, position: number, content: string): StagedChunk => ({
  id: `${job.batchId}_${position}`,
  position,
  content,
  heading: ['Part one'],
  page: position + 1,
  lastPage: position + 2,
  boxes: [{ page: position + 1, width: 595, height: 842, boxes: [[72, 90.5, 523, 104]] }],
  from: position * 100,
  to: position * 100 + content.length,
  tokens: content.length,
})

/** A part of a document with these texts, starting at a position. */
export function partOf(
  job: IngestionJob,
  texts: string[],
  vectors: Float32Array[] = [],
  { from = 0, segmentOrdinal = 0 } = {},
): StagedPart {
  const builder = new SegmentBuilder()
  for (const text of texts) builder.add(textTerms(text))
  return {
    chunks: texts.map((text, index) => chunkOf(job, from + index, text)),
    segment: texts.length > 0 ? builder.finish({ batchId: job.batchId, from }) : undefined,
    segmentOrdinal,
    vectors,
  }
}

/** The stores over one database, and the steps that ingest documents into them. */
export class KnowledgeWorld {
  readonly database: Database
  readonly bases: KnowledgeStore
  readonly documents: DocumentStore
  readonly queue: IngestionQueue
  readonly staging: StagingStore
  readonly groups: GroupStore
  readonly chunks: ChunkStore
  readonly segments: SegmentStore
  readonly sweeper: KnowledgeSweep
  readonly files: FileStore
  #serial = 0

  constructor(database: Database) {
    this.database = database
    this.bases = new KnowledgeStore(database)
    this.documents = new DocumentStore(database)
    this.queue = new IngestionQueue(database)
    this.staging = new StagingStore(database)
    this.groups = new GroupStore(database)
    this.chunks = new ChunkStore(database)
    this.segments = new SegmentStore(database)
    this.sweeper = new KnowledgeSweep(database)
    this.files = new FileStore(database, fileUses)
  }

  name(prefix: string): string {
    return `${prefix}${++this.#serial}`
  }

  async makeBase(
    workspaceId: string,
    id: string,
    more: Partial<KnowledgeSettings> = {},
  ): Promise<KnowledgeBase> {
    const base = { ...settingsOf(`Base ${id}`, more), id, generationId: `${id}-g1`, createdAt: 1000 }
    assert.ok(await this.bases.create(workspaceId, base))
    return this.base(workspaceId, id)
  }

  async base(workspaceId: string, id: string): Promise<KnowledgeBase> {
    const base = await this.bases.find(workspaceId, id)
    return base ?? assert.fail(`base ${id} does not exist`)
  }

  update(
    workspaceId: string,
    id: string,
    change: Partial<KnowledgeSettings>,
    options: { nextGenerationId: string; now: number },
  ): ReturnType<KnowledgeStore['update']> {
    return this.bases.update(workspaceId, id, () => change, options)
  }

  async addFile(workspaceId: string, id: string, { size = 3, mimeType = 'text/plain' } = {}): Promise<void> {
    await this.files.add(workspaceId, {
      id,
      name: `${id}.txt`,
      size,
      mimeType,
      sha256: `sum of ${id}`,
      createdAt: 1,
      userId: '',
      blobKey: `${workspaceId} ${id}`,
      conversationId: undefined,
    })
  }

  /** Creates a file and a document of it that is queued at `now`. */
  async addDocument(
    workspaceId: string,
    knowledgeId: string,
    fileId: string,
    {
      metadata = {},
      now = 1000,
      ...file
    }: { metadata?: Metadata; now?: number; size?: number; mimeType?: string } = {},
  ): Promise<void> {
    await this.addFile(workspaceId, fileId, file)
    const result = await this.documents.add(workspaceId, knowledgeId, [fileId], {
      chunking: undefined,
      metadata,
      now,
    })
    assert.equal(result?.added.length, 1)
  }

  async claim(now = 2000, until = now + 30_000): Promise<IngestionJob> {
    const workspaceId = (await this.queue.nextWorkspace('', now)) ?? assert.fail('no job is due')
    const names = { workspaceId, lease: this.name('lease'), batchId: this.name('batch') }
    return (await this.queue.claim({ ...names, now, until })) ?? assert.fail('no job is due')
  }

  /** Stages a part with these texts; false when the lease is lost. */
  stage(job: IngestionJob, texts: string[], vectors: Float32Array[] = []): Promise<boolean> {
    return this.staging.stage(job, partOf(job, texts, vectors), 2000)
  }

  async finish(
    job: IngestionJob,
    texts: string[],
    vectors: Float32Array[] = [],
    now = 3000,
  ): Promise<boolean> {
    return this.staging.finish(job, partOf(job, texts, vectors), texts.length, now)
  }

  /** Ingests the next document. */
  async ingestNext(texts: string[], vectors: Float32Array[] = []): Promise<IngestionJob> {
    const job = await this.claim()
    assert.ok(await this.finish(job, texts, vectors))
    return job
  }

  /** Adds a searchable document. */
  async addIngested(
    workspaceId: string,
    knowledgeId: string,
    fileId: string,
    texts: string[],
    more: { metadata?: Metadata; vectors?: Float32Array[] } = {},
  ): Promise<IngestionJob> {
    await this.addDocument(workspaceId, knowledgeId, fileId, more)
    const job = await this.ingestNext(texts, more.vectors)
    assert.equal(job.fileId, fileId)
    return job
  }

  /** The contents of the first `count` chunks of the batch that a search may return. */
  async shown(workspaceId: string, generationId: string, batchId: string, count = 3): Promise<string[]> {
    const addresses = Array.from({ length: count }, (_, position) => ({ batchId, position }))
    const found = await this.chunks.fetch(workspaceId, generationId, addresses)
    return found.toSorted((left, right) => left.position - right.position).map(({ content }) => content)
  }

  async countRows(where = '1 = 1'): Promise<Record<string, number>> {
    const counts: Record<string, number> = {}
    for (const table of knowledgeTables) {
      const row = await this.database.get<{ total: number }>(
        `SELECT COUNT(*) AS total FROM ${table} WHERE ${where}`,
      )
      counts[table] = row!.total
    }
    return counts
  }

  /** Sweeps until nothing is left, and returns the number of steps. */
  async sweepAll(now = 10_000): Promise<number> {
    let steps = 0
    while (await this.sweeper.sweep(now)) assert.ok(++steps < 10_000, 'the sweep does not finish')
    return steps
  }
}

export interface OpenedWorld {
  world: KnowledgeWorld
  /** Opens the same data as another process would. */
  openAgain(): Promise<KnowledgeWorld>
  cleanup(): Promise<void>
}

export async function openWorld(): Promise<OpenedWorld> {
  const opened = await openTestDatabase()
  return {
    world: new KnowledgeWorld(opened.database),
    openAgain: async () => new KnowledgeWorld(await opened.openAgain()),
    cleanup: () => opened.cleanup(),
  }
}
