import type { QuotaService } from '../access/quota-service.ts'
import { Leases } from '../cluster/leases.ts'
import type { FileService } from '../files/file-service.ts'
import { documentsDue } from '../knowledge/ingest/ingestor.ts'
import type { KnowledgeService } from '../knowledge/knowledge-service.ts'
import { PageIngest } from '../knowledge/web/page-ingest.ts'
import { SiteMapIngest } from '../knowledge/web/site-map-ingest.ts'
import { WebPageService } from '../knowledge/web/web-page-service.ts'
import { WebPageWorker, webPagesChanged } from '../knowledge/web/web-page-worker.ts'
import type { Adapters } from './adapters.ts'
import { announce } from './announce.ts'
import { every, untilDone } from './background-jobs.ts'
import type { Metrics } from './metrics.ts'

interface Features {
  files: FileService
  bases: KnowledgeService
  quotas: QuotaService
  metrics: Metrics
}

export function createWebPages(adapters: Adapters, { files, bases, quotas, metrics }: Features) {
  const { clock, cluster, database, log, stores, workers } = adapters
  const { webPages: store, documents } = stores
  const { time } = cluster
  const commit = async (workspaceId: string, work: () => Promise<void>): Promise<void> => {
    const scope = await stores.access.scopeOf(workspaceId)
    await database.inOneTransaction(() => quotas.within(scope, ['documents', 'storageBytes'], work))
  }
  const fetcher = adapters.pages
  const common = { store, fetcher, time, clock }
  const worker = new WebPageWorker({
    ...{ store, files, documents, cluster, clock, log, observer: metrics },
    leases: new Leases({ rows: store.leases, cluster, log, subject: 'web pages' }),
    pages: new PageIngest({
      ...{ ...common, commit, documents, files, reader: workers },
      wakeIngestion: () => cluster.publish(documentsDue),
    }),
    siteMaps: new SiteMapIngest({
      ...common,
      commit: (_workspaceId, work) => database.inOneTransaction(work),
    }),
  })
  const pages = new WebPageService({
    ...{ store, bases, clock, time },
    removeDocument: (workspaceId, page) => worker.removePage(workspaceId, page),
    wake: announce(adapters, webPagesChanged),
  })
  const jobs = [
    every(2, 'delete web pages of deleted knowledge bases', signal =>
      untilDone(signal, () => worker.sweep()),
    ),
  ]
  return { pages, worker, jobs }
}
