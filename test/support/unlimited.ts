import { QuotaService } from '../../src/access/quota-service.ts'
import { QuotaStore } from '../../src/access/quota-store.ts'
import type { AmbientDatabase } from '../../src/database/ambient-database.ts'
import { systemClock } from '../../src/kernel/clock.ts'

/** Quotas that limit nothing. */
export const unlimited = (database: AmbientDatabase): QuotaService =>
  new QuotaService({
    database,
    store: new QuotaStore(database),
    defaults: { callsPerMinute: 0, concurrentRuns: 0, storageBytes: 0, documents: 0, tokensPerDay: 0 },
    tokensOn: async () => 0,
    runs: { runsOf: () => 0, limit: () => {} },
    runsElsewhere: async () => 0,
    clock: systemClock,
  })
