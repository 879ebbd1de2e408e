import type { QuotaService } from '../access/quota-service.ts'
import type { FileService } from '../files/file-service.ts'
import { TriggerService } from '../triggers/trigger-service.ts'
import { schedulesChanged, TriggerWorker } from '../triggers/trigger-worker.ts'
import type { Runs } from '../workflow/run/run-service.ts'
import type { Adapters } from './adapters.ts'
import { announce } from './announce.ts'

export function createTriggers(
  adapters: Adapters,
  { files, runs, quotas }: { files: FileService; runs: Runs; quotas: QuotaService },
) {
  const { clock, cluster, log, secretBox: box, stores } = adapters
  const triggers = new TriggerService({
    ...{ store: stores.triggers, files, runs, box, clock },
    hasWorkflow: async (workspaceId, id) => (await stores.workflows.current(workspaceId, id)) !== undefined,
    changed: announce(adapters, schedulesChanged),
  })
  const worker = new TriggerWorker({ store: stores.triggers, triggers, runs, quotas, cluster, log })
  return { triggers, worker }
}
