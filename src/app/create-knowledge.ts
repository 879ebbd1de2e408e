import type { FileService } from '../files/file-service.ts'
import { ChunkService } from '../knowledge/chunk-service.ts'
import { DocumentService } from '../knowledge/document-service.ts'
import { Embedder } from '../knowledge/embedder.ts'
import { KeywordIndex } from '../knowledge/index/keyword-index.ts'
import { SegmentCache } from '../knowledge/index/segment-cache.ts'
import { SegmentMerger } from '../knowledge/index/segment-merger.ts'
import { Ingestor } from '../knowledge/ingest/ingestor.ts'
import { KnowledgeService } from '../knowledge/knowledge-service.ts'
import { SearchService } from '../knowledge/search/search-service.ts'
import type { Metrics } from './metrics.ts'
import type { Adapters, RuntimeConfig } from './runtime-parts.ts'

export interface Chore {
  name: string
  seconds: number
  run(): Promise<void>
}

const embeddingDays = 30

/** The parts of the knowledge bases, put together. */
export function createKnowledge(
  adapters: Adapters,
  files: FileService,
  config: RuntimeConfig,
  metrics: Metrics,
) {
  const { clock, log, documentStore, chunkStore, segmentStore } = adapters
  const embedder = new Embedder(
    adapters.embeddingModel,
    adapters.questionModel,
    adapters.embeddingCache,
    clock,
  )
  const merger = new SegmentMerger(segmentStore, adapters.workers, clock)
  const ingestor = new Ingestor(
    {
      queue: adapters.ingestionQueue,
      staging: adapters.stagingStore,
      swap: adapters.generationSwap,
      files,
      reader: adapters.workers,
      embedder,
      vectors: adapters.vectorIndex,
      merger,
      clock,
      log,
      observer: metrics,
    },
    {
      concurrency: config.ingestWorkers + 3,
      maxLarge: Math.max(1, config.ingestWorkers - 1),
      leaseMilliseconds: 30_000,
      pollMilliseconds: 2000,
      maxRetries: 4,
      isAlone: config.databaseUrl === undefined,
    },
  )
  const wake = (): void => ingestor.wake()
  const bases = new KnowledgeService(
    adapters.knowledgeStore,
    clock,
    { embeddingModel: config.embedding?.model, canRerank: config.rerank !== undefined },
    wake,
  )
  const documents = new DocumentService(documentStore, bases, files, clock, wake)
  const chunks = new ChunkService(chunkStore, documentStore, bases, embedder, clock)
  const keywords = new KeywordIndex(segmentStore, new SegmentCache(segmentStore, config.searchCacheBytes))
  const search = new SearchService({
    bases,
    documents: documentStore,
    chunks: chunkStore,
    keywords,
    vectors: adapters.vectorIndex,
    embedder,
    reranker: adapters.reranker,
  })

  const untilDone = async (signal: AbortSignal, step: () => Promise<boolean>): Promise<void> => {
    while (!signal.aborted && (await step()));
  }
  const chores = (signal: AbortSignal): Chore[] => [
    {
      name: 'sweep deleted knowledge',
      seconds: 2,
      run: () => untilDone(signal, () => adapters.knowledgeSweep.sweep(clock.now())),
    },
    { name: 'merge the keyword index', seconds: 60, run: () => merger.mergeCrowded(signal) },
    { name: 'tidy the vector index', seconds: 60, run: () => adapters.vectorIndex.tidy(signal) },
    {
      name: 'forget unused embeddings',
      seconds: 3600,
      run: () =>
        untilDone(signal, () => adapters.embeddingCache.forget(clock.now() - embeddingDays * 86_400_000)),
    },
  ]
  return { bases, documents, chunks, search, ingestor, chores }
}
