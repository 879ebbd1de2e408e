import { Leases } from '../cluster/leases.ts'
import type { Config } from '../config/config.ts'
import type { FileService } from '../files/file-service.ts'
import { daysAgo } from '../kernel/clock.ts'
import { DocumentService } from '../knowledge/document-service.ts'
import { Embedder } from '../knowledge/embedder.ts'
import { GoldenService } from '../knowledge/golden/golden-service.ts'
import { GoldenWorker, goldenChanged } from '../knowledge/golden/golden-worker.ts'
import { SegmentMerger } from '../knowledge/index/segment-merger.ts'
import { documentsDue, Ingestor } from '../knowledge/ingest/ingestor.ts'
import type { RecognitionService } from '../knowledge/ingest/recognition/recognition-service.ts'
import { KnowledgeService } from '../knowledge/knowledge-service.ts'
import { ManualPassages } from '../knowledge/manual-passages.ts'
import { PreviewService } from '../knowledge/preview-service.ts'
import { SearchService } from '../knowledge/search/search-service.ts'
import type { WorkspaceModels } from '../models/workspace-models.ts'
import type { Adapters } from './adapters.ts'
import { announce } from './announce.ts'
import { every, untilDone } from './background-jobs.ts'
import type { Metrics } from './metrics.ts'

export function createKnowledge(
  adapters: Adapters,
  files: FileService,
  models: WorkspaceModels,
  recognition: RecognitionService,
  config: Config,
  metrics: Metrics,
) {
  const { clock, cluster, log, stores, workers, vectorIndex } = adapters
  const embedder = new Embedder({
    model: models.embeddingModel('ingestion'),
    queryModel: models.embeddingModel('query'),
    cache: stores.embeddings,
    clock,
  })
  const merger = new SegmentMerger(stores.segments, workers, clock, cluster)
  const reader = recognition.extend(workers)
  const ingestor = new Ingestor(
    {
      cluster,
      queue: stores.ingestionQueue,
      staging: stores.staging,
      groups: stores.documentGroups,
      passages: stores.passages,
      bases: stores.bases,
      files,
      reader,
      indexer: workers,
      embedder,
      vectors: vectorIndex,
      merger,
      leases: new Leases({ rows: stores.ingestionQueue.leases, cluster, log, subject: 'ingestion jobs' }),
      log,
      observer: metrics,
    },
    {
      share: { documents: config.ingestWorkers + 3, slow: Math.max(1, config.ingestWorkers - 1) },
      total: { documents: 2 * (config.ingestWorkers + 3), slow: config.ingestWorkers },
    },
  )
  const wake = announce(adapters, documentsDue)
  const bases = new KnowledgeService({
    store: stores.bases,
    clock,
    models,
    embedder,
    wake,
  })
  const documents = new DocumentService({
    store: stores.documents,
    chunks: stores.chunks,
    bases,
    files,
    embedder,
    clock,
    wake,
  })
  const search = new SearchService({
    bases,
    documents: stores.documents,
    chunks: stores.chunks,
    keywords: adapters.keywordIndex,
    vectors: vectorIndex,
    embedder,
    models,
  })

  const passages = new ManualPassages({
    passages: stores.passages,
    documents: stores.documents,
    chunks: stores.chunks,
    bases,
    embedder,
    indexer: workers,
    clock,
    wake,
  })
  const previews = new PreviewService({ bases, files, reader: workers })
  const golden = new GoldenService({
    ...{ store: stores.golden, bases, baseStore: stores.bases, clock },
    wake: announce(adapters, goldenChanged, documentsDue),
  })
  const goldenWorker = new GoldenWorker({
    ...{ store: stores.golden, bases: stores.bases, search, cluster, clock, log },
    finished: () => cluster.publish(documentsDue),
  })

  const jobs = [
    every(2, 'sweep deleted knowledge', signal =>
      untilDone(signal, () => stores.knowledgeSweep.sweep(clock.now())),
    ),
    every(60, 'merge the keyword index', signal => merger.mergeCrowded(signal)),
    every(60, 'maintain the vector index', signal => vectorIndex.tidy(signal)),
    every(3600, 'remove unused recognised texts', signal =>
      untilDone(signal, () => stores.recognisedTexts.forget(daysAgo(clock, config.ocrRetentionDays))),
    ),
    every(3600, 'remove unused embeddings', signal =>
      untilDone(signal, () => stores.embeddings.forget(daysAgo(clock, config.embeddingRetentionDays))),
    ),
  ]
  return { bases, documents, search, previews, passages, golden, goldenWorker, ingestor, reader, jobs }
}
