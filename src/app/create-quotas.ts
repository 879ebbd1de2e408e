import { QuotaService } from '../access/quota-service.ts'
import type { Config } from '../config.ts'
import type { RunWorker } from '../workflow/run/run-worker.ts'
import type { Adapters } from './adapters.ts'

export function createQuotas(
  { database, stores, clock }: Adapters,
  config: Config,
  runs: RunWorker,
): QuotaService {
  return new QuotaService({
    database,
    store: stores.quotas,
    defaults: {
      callsPerMinute: config.workspaceCallsPerMinute,
      concurrentRuns: config.workspaceConcurrentRuns,
      storageBytes: config.workspaceStorageBytes,
      documents: config.workspaceDocuments,
      tokensPerDay: config.workspaceTokensPerDay,
    },
    tokensOn: async (workspaceId, day) => {
      const [used] = await stores.usage.days(workspaceId, { fromDay: day, toDay: day })
      return used ? used.promptTokens + used.completionTokens : 0
    },
    runs,
    clock,
  })
}
