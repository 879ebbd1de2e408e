import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { defaultWorkspaceId } from '../access/access-service.ts'
import type { Config } from '../config/config.ts'
import { limits } from '../contract/limits.ts'
import { createDemo } from '../demo/create-demo.ts'
import type { DemoLanguage } from '../demo/demo-texts.ts'
import { RequestLimiter } from '../http/request-limiter.ts'
import type { Readiness } from '../http/routes/server-routes.ts'
import { createServer } from '../http/server.ts'
import type { Adapters } from './adapters.ts'
import { type BackgroundJob, every, fileJobs, runJobs } from './background-jobs.ts'
import { createServices, type Services } from './create-services.ts'
import { ageOfDue, countDue, measureProviders } from './measure.ts'
import { Metrics } from './metrics.ts'
import { createRoutes } from './routes.ts'
import { traceProviders } from './trace.ts'

/** How long the server waits for the demo before it reports that it is ready. */
const demoMilliseconds = 30_000

export type Runtime = ReturnType<typeof createRuntime>

/** The address of this server for other machines; it may listen on all addresses. */
const addressOf = (listening: AddressInfo | string | null): string =>
  typeof listening === 'object' ? `${hostname()}:${listening?.port ?? 0}` : listening

/** The composition root: services are constructed here and in the functions that it calls, and nowhere else. */
export function createRuntime(given: Adapters, config: Config) {
  const { clock, cluster, database, log, stores } = given
  const metrics = createMetrics(given, () => services.knowledge.ingestor.activeJobs)
  const adapters = observed(given, metrics)
  const services = createServices(adapters, config, metrics)
  const { access, audit, idempotency, knowledge, workflows } = services
  const readiness = readinessOf(adapters, config, services)
  const limiter = new RequestLimiter(config, clock, cluster.isAlone ? undefined : cluster.exchange('calls'))
  const server = createServer(
    {
      ...{ access, idempotency, audit, metrics, limiter, log, writeLog: given.writeLog },
      tracer: given.tracing?.tracer,
      trustedProxies: config.trustedProxies,
    },
    createRoutes(adapters, config, services, { limiter, metrics, readiness }),
  )
  const jobs = jobsOf(adapters, config, services)
  const stopping = new AbortController()
  let background: Promise<unknown> | undefined

  return {
    access,
    server,
    /** Creates the default workspace and its demo in one transaction, at the first start only. */
    openWorkspace: (demo: DemoLanguage | undefined) =>
      database.inOneTransaction(async () => {
        const isNew = await access.openDefaultWorkspace()
        if (!isNew || !demo) return undefined
        const parts = { ...knowledge, agents: stores.agents, workflows, clock }
        return createDemo(parts, defaultWorkspaceId, demo)
      }),
    /** Waits for the documents of the demo, so that the first question finds them; false if it takes too long. */
    async demoReady(knowledgeId: string): Promise<boolean> {
      for (const giveUpAt = clock.now() + demoMilliseconds; clock.now() < giveUpAt; await delay(50)) {
        const base = await knowledge.bases.get(defaultWorkspaceId, knowledgeId).catch(() => undefined)
        if (base === undefined || base.counts.open === 0 || stopping.signal.aborted) return true
      }
      return false
    },
    /** Starts background jobs and all workers. */
    start: () => {
      const { signal } = stopping
      cluster.join(addressOf(server.server.address()))
      background = Promise.all([
        runJobs(jobs, cluster, log, signal),
        ...services.workers.map(worker => worker.run(signal)),
      ])
    },
    /** Stops new work, lets open requests finish, closes everything. */
    stop: async () => {
      readiness.stopping = true
      const cut = setTimeout(() => server.server.closeAllConnections(), limits.stopMilliseconds)
      // Background work stops only when the server stops waiting for requests, because these may depend on runs.
      server.stopping.addEventListener('abort', () => stopping.abort())
      await server.close()
      clearTimeout(cut)
      await background
      await cluster.leave()
      metrics.close()
      await closeAll(adapters)
    },
  }
}

function createMetrics(
  { clock, cluster, database, stores, ...given }: Adapters,
  activeDocuments: () => number,
) {
  const metrics = new Metrics({
    queuedRuns: countDue(database, 'runs', clock),
    queuedDocuments: countDue(database, 'readings', clock),
    damagedFiles: () => stores.scrub.countDamaged(),
    runQueueAge: ageOfDue(database, 'runs', clock),
    documentQueueAge: ageOfDue(database, 'readings', clock),
    activeDocuments,
    pool: () => database.pool?.(),
    spans: () => given.tracing?.spans,
    replicas: async () => (await cluster.members()).length,
  })
  given.blobs.observe?.((...request) => metrics.s3Request(...request))
  return metrics
}

/** The same adapters, with calls to providers measured and, where traces are exported, traced. */
function observed(given: Adapters, metrics: Metrics): Adapters {
  const measured = measureProviders(given, metrics)
  return given.tracing ? traceProviders(measured, given.tracing.tracer) : measured
}

const readinessOf = ({ database }: Adapters, config: Config, { files, knowledge }: Services): Readiness => ({
  stopping: false,
  checks: {
    database: () => database.check(),
    files: () => files.blobs.check(),
    workers: () => knowledge.ingestor.check(),
  },
  optional: config.blobUrl && 'files',
})

function jobsOf(adapters: Adapters, config: Config, services: Services): BackgroundJob[] {
  const { access, audit, files, idempotency } = services
  return [
    ...fileJobs(adapters),
    every(20, 'purge deleted workspaces', async signal => {
      // Contents come first: without their rows they would be orphans, and stay for another week.
      await files.purge(signal)
      await access.purge(signal)
    }),
    every(600, 'remove expired idempotency keys', () => idempotency.removeExpired()),
    every(5, 'index audit entries', signal => audit.indexQueued(signal)),
    every(3600, 'remove old audit entries', signal =>
      audit.removeOlderThan(config.auditRetentionDays, signal),
    ),
    ...services.jobs,
  ]
}

async function closeAll(adapters: Adapters): Promise<void> {
  await adapters.workers.close()
  await adapters.localOcr?.close()
  await adapters.code.close()
  await adapters.toolServers.close()
  await adapters.vectorIndex.close()
  await adapters.keywordIndex.close()
  await adapters.close()
}
