import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { AccessService, defaultWorkspaceId } from '../access/access-service.ts'
import { limits } from '../contract/limits.ts'
import { createDemo } from '../demo/create-demo.ts'
import { FileService } from '../files/file-service.ts'
import { RateLimit } from '../http/rate-limit.ts'
import { accessRoutes } from '../http/routes/access-routes.ts'
import { agentRoutes } from '../http/routes/agent-routes.ts'
import { ConsoleFiles, consoleRoutes } from '../http/routes/console-routes.ts'
import { conversationRoutes } from '../http/routes/conversation-routes.ts'
import { kindRoutes, layoutRoutes } from '../http/routes/editor-routes.ts'
import { fileRoutes } from '../http/routes/file-routes.ts'
import { knowledgeRoutes } from '../http/routes/knowledge-routes.ts'
import { modelRoutes } from '../http/routes/model-routes.ts'
import { runRoutes } from '../http/routes/run-routes.ts'
import { type Readiness, serverInfoRoutes, serverRoutes } from '../http/routes/server-routes.ts'
import { usageRoutes } from '../http/routes/usage-routes.ts'
import { workflowRoutes } from '../http/routes/workflow-routes.ts'
import { createServer } from '../http/server.ts'
import { IdempotencyService } from '../idempotency/idempotency-service.ts'
import { ConfiguredModels } from '../models/configured-models.ts'
import { ModelSettingsService } from '../models/model-settings-service.ts'
import { nodeKinds } from '../nodes/registry.ts'
import { LayoutService } from '../workflow/layout-service.ts'
import { WorkflowService } from '../workflow/workflow-service.ts'
import { createConversations, createTurns } from './create-conversations.ts'
import { createKnowledge } from './create-knowledge.ts'
import { createRuns } from './create-runs.ts'
import { describeServer } from './describe-server.ts'
import { measureProviders } from './measure.ts'
import { Metrics } from './metrics.ts'
import type { Adapters, RuntimeConfig } from './runtime-parts.ts'

/** Where `npm run build` puts the console. */
const consoleFolder = join(import.meta.dirname, '../../console/dist')

export interface Runtime {
  access: AccessService
  server: FastifyInstance
  /** Makes something to talk to. */
  createDemo(): Promise<void>
  /** Begins the work that goes on beside requests. */
  start(): void
  /** No new work, requests under way end, everything is closed. */
  stop(): Promise<void>
}

/** Puts the parts together. It is the only place where one is made. */
export function createRuntime(given: Adapters, config: RuntimeConfig): Runtime {
  const metrics = new Metrics(given.metricSources)
  const adapters = measureProviders(given, metrics)
  const { clock, log } = adapters
  const access = new AccessService(adapters.accessStore, clock, adapters.generation)
  const idempotency = new IdempotencyService(adapters.idempotencyStore, clock)
  const workflows = new WorkflowService(adapters.workflowStore, nodeKinds, clock)
  const files = new FileService(adapters.fileStore, adapters.blobStore, clock, config.maxFileBytes)
  const knowledge = createKnowledge(adapters, files, config, metrics)
  const settings = new ModelSettingsService(adapters.modelSettingsStore, adapters.secretBox, clock)
  const models = new ConfiguredModels(settings, adapters.connectModel, adapters.environmentModel)
  const { lifecycle, listener } = createTurns(adapters, files)
  const { runs, live, ...running } = createRuns(adapters, config, metrics, {
    files,
    search: knowledge.search,
    models,
    listener,
  })
  const conversations = createConversations(adapters, {
    ...{ files, models, runs, lifecycle },
    isAlone: config.databaseUrl === undefined,
  })
  const readiness: Readiness = {
    stopping: false,
    checks: {
      database: () => adapters.checkDatabase(),
      files: () => files.check(),
      workers: () => knowledge.ingestor.check(),
    },
  }
  const anonymous = new RateLimit(config.publicCallsPerMinute, clock)
  const parts = { access, idempotency, metrics, anonymous, log, writeLog: adapters.writeLog }
  const server = createServer(parts, [
    ...workflowRoutes(workflows, adapters.generation),
    ...kindRoutes(async () => (await import('../nodes/kind-catalog.ts')).kindCatalog()),
    ...layoutRoutes(new LayoutService(adapters.layoutStore)),
    ...runRoutes(runs, files),
    ...agentRoutes(conversations.agents),
    ...conversationRoutes(conversations),
    ...modelRoutes(settings, models, clock),
    ...usageRoutes(adapters.usageStore, clock),
    ...fileRoutes(files, parts),
    ...knowledgeRoutes(knowledge),
    ...accessRoutes(access),
    ...serverInfoRoutes(describeServer(config), models, settings),
    ...serverRoutes(() => metrics.text(), readiness),
    ...consoleRoutes(new ConsoleFiles(consoleFolder)),
  ])
  const stopping = new AbortController()

  /** Does a chore now and then every so often; one that fails is logged and gets its next turn. */
  const repeat = async (chore: string, seconds: number, run: () => Promise<void>): Promise<void> => {
    while (!stopping.signal.aborted) {
      await run().catch((error: unknown) =>
        log.warn({ chore, err: error }, 'A chore failed; it is tried again'),
      )
      await sleep(seconds * 1000, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
    }
  }
  const keepHouse = (): Promise<unknown> =>
    Promise.all([
      repeat('sweep temporary files', 20, () => files.sweepTemporary()),
      repeat('sweep orphaned blobs', 3600, () => files.sweepOrphans(stopping.signal)),
      repeat('purge deleted workspaces', 20, () => access.purge(stopping.signal)),
      repeat('forget idempotency keys', 600, () => idempotency.removeExpired()),
      ...knowledge.chores(stopping.signal).map(({ name, seconds, run }) => repeat(name, seconds, run)),
      ...[...running.chores, ...conversations.chores(stopping.signal)].map(({ name, seconds, run }) =>
        repeat(name, seconds, run),
      ),
      knowledge.ingestor.run(stopping.signal),
      live.run(stopping.signal),
    ])
  let housekeeping: Promise<unknown> | undefined

  return {
    access,
    server,
    createDemo: () =>
      createDemo(
        {
          agents: adapters.agentStore,
          workflows,
          bases: knowledge.bases,
          documents: knowledge.documents,
          clock,
        },
        defaultWorkspaceId,
      ),
    start: () => {
      housekeeping = keepHouse()
    },
    stop: async () => {
      readiness.stopping = true
      stopping.abort()
      const cut = setTimeout(() => server.server.closeAllConnections(), limits.stopMilliseconds)
      await server.close()
      clearTimeout(cut)
      await housekeeping
      metrics.close()
      await adapters.workers.close()
      await adapters.code.close()
      await adapters.toolServers.close()
      await adapters.vectorIndex.close()
      await adapters.close()
    },
  }
}
