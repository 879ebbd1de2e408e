import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { AccessService, defaultWorkspaceId } from '../access/access-service.ts'
import { Presence } from '../access/presence.ts'
import { AuditLog } from '../audit/audit-log.ts'
import { accessChanged } from '../cluster/cluster.ts'
import type { Config } from '../config/config.ts'
import { limits } from '../contract/limits.ts'
import { createDemo } from '../demo/create-demo.ts'
import type { DemoLanguage } from '../demo/demo-texts.ts'
import { publicationGate } from '../evaluation/test-set-service.ts'
import { FileService } from '../files/file-service.ts'
import { RequestLimiter } from '../http/request-limiter.ts'
import { accessRoutes } from '../http/routes/access-routes.ts'
import { agentRoutes } from '../http/routes/agent-routes.ts'
import { annotationRoutes } from '../http/routes/annotation-routes.ts'
import { auditRoutes } from '../http/routes/audit-routes.ts'
import { consoleRoutes } from '../http/routes/console-routes.ts'
import { conversationFileRoutes } from '../http/routes/conversation-file-routes.ts'
import { conversationRoutes } from '../http/routes/conversation-routes.ts'
import { kindRoutes, layoutRoutes } from '../http/routes/editor-routes.ts'
import { fileRoutes } from '../http/routes/file-routes.ts'
import { goldenRoutes } from '../http/routes/golden-routes.ts'
import { knowledgeRoutes } from '../http/routes/knowledge-routes.ts'
import { mcpRoutes } from '../http/routes/mcp-routes.ts'
import { modelRoutes } from '../http/routes/model-routes.ts'
import { openaiRoutes } from '../http/routes/openai/openai-routes.ts'
import { presenceRoutes } from '../http/routes/presence-routes.ts'
import { profileRoutes } from '../http/routes/profile-routes.ts'
import { runRoutes } from '../http/routes/run-routes.ts'
import { secretRoutes } from '../http/routes/secret-routes.ts'
import { type Readiness, serverInfoRoutes, serverRoutes } from '../http/routes/server-routes.ts'
import { testRoutes } from '../http/routes/test-routes.ts'
import { toolRoutes } from '../http/routes/tool-routes.ts'
import { triggerRoutes } from '../http/routes/trigger-routes.ts'
import { usageRoutes } from '../http/routes/usage-routes.ts'
import { webPageRoutes } from '../http/routes/web-page-routes.ts'
import { workflowRoutes } from '../http/routes/workflow-routes.ts'
import { createServer } from '../http/server.ts'
import { IdempotencyService } from '../idempotency/idempotency-service.ts'
import { ImportService } from '../import/import-service.ts'
import { ConfiguredModels } from '../models/configured-models.ts'
import { ModelSettingsService } from '../models/model-settings-service.ts'
import { ModelTester } from '../models/model-tester.ts'
import { WorkspaceModels } from '../models/workspace-models.ts'
import { nodeKinds } from '../nodes/registry.ts'
import { SecretService } from '../secrets/secret-service.ts'
import { SharedToolService } from '../shared-tools/shared-tool-service.ts'
import { ToolTrials } from '../shared-tools/tool-trials.ts'
import type { FindUsers } from '../workflow/used-by.ts'
import { WorkflowService } from '../workflow/workflow-service.ts'
import type { Adapters } from './adapters.ts'
import { announce } from './announce.ts'
import { every, fileJobs, runJobs } from './background-jobs.ts'
import { createConversations, createTurns } from './create-conversations.ts'
import { createKnowledge } from './create-knowledge.ts'
import { createRuns } from './create-runs.ts'
import { createTests } from './create-tests.ts'
import { createTriggers } from './create-triggers.ts'
import { createWebPages } from './create-web-pages.ts'
import { describeServer } from './describe-server.ts'
import { ageOfDue, countDue, measureProviders } from './measure.ts'
import { Metrics } from './metrics.ts'
import { openRecognition } from './open-recognition.ts'
import { traceProviders } from './trace.ts'

/** How long the server waits for the demo before it reports that it is ready. */
const demoMilliseconds = 30_000

/** The output folder of `npm run build`. */
const consoleFolder = join(import.meta.dirname, '../../console/dist')

export type Runtime = ReturnType<typeof createRuntime>

/** The address of this server for other machines; it may listen on all addresses. */
const addressOf = (listening: AddressInfo | string | null): string =>
  typeof listening === 'object' ? `${hostname()}:${listening?.port ?? 0}` : listening

/** The composition root: the only place where services are constructed. */
export function createRuntime(given: Adapters, config: Config) {
  const { clock, cluster, database, log, stores } = given
  const metrics = new Metrics({
    queuedRuns: countDue(database, 'runs', clock),
    queuedDocuments: countDue(database, 'readings', clock),
    damagedFiles: () => stores.scrub.countDamaged(),
    runQueueAge: ageOfDue(database, 'runs', clock),
    documentQueueAge: ageOfDue(database, 'readings', clock),
    activeDocuments: () => knowledge.ingestor.activeJobs,
    pool: () => database.pool?.(),
    spans: () => given.tracing?.spans,
    replicas: async () => (await cluster.members()).length,
  })
  given.blobs.observe?.((...request) => metrics.s3Request(...request))
  const tracer = given.tracing?.tracer
  const measured = measureProviders(given, metrics)
  const adapters = tracer ? traceProviders(measured, tracer) : measured
  const generation = () => database.generation()
  const access = new AccessService(
    stores.access,
    clock,
    () => cluster.accessGeneration(),
    announce(given, accessChanged),
  )
  const idempotency = new IdempotencyService(stores.idempotency, clock)
  const audit = new AuditLog(stores.audit, database, clock)
  const secrets = new SecretService(stores.secrets, adapters.secretBox, clock)
  const users: FindUsers[] = [
    (...used) => stores.agents.usersOf(...used),
    (...used) => stores.workflowUsers.find(...used),
  ]
  const tools = new SharedToolService(stores.sharedTools, users, clock)
  const trials = new ToolTrials({
    ...{ http: adapters.http, toolServers: adapters.toolServers },
    findSecrets: (...names) => secrets.openMany(...names),
  })
  const workflows = new WorkflowService({
    gate: publicationGate(stores.tests),
    ...{
      store: stores.workflows,
      publications: stores.publications,
      kinds: nodeKinds,
      secrets,
      tools,
      clock,
    },
    users: [...users, (...workflow) => stores.triggers.usersOf(...workflow)],
  })
  const files = new FileService(stores.files, adapters.blobs, clock, config.maxFileBytes, database)
  const settings = new ModelSettingsService(stores.models, adapters.secretBox, clock)
  const workspaceModels = new WorkspaceModels(settings, adapters.connectors, adapters.environmentModels)
  const models = new ConfiguredModels(settings, adapters.connectModel, adapters.environmentModel)
  const recognition = openRecognition(adapters, { chat: models, others: workspaceModels }, config)
  const knowledge = createKnowledge(adapters, files, workspaceModels, recognition, config, metrics)
  const tester = new ModelTester({ settings, models, connectors: adapters.connectors, clock })
  const { lifecycle, listener } = createTurns(adapters, files)
  const speaker = (workspaceId: string) => workspaceModels.speaker(workspaceId)
  const features = {
    files,
    search: knowledge.search,
    reader: knowledge.reader,
    models,
    secrets,
    tools,
    listener,
    speaker,
  }
  const { runs, live, quotas, ...running } = createRuns(adapters, config, metrics, features)
  const conversations = createConversations(
    adapters,
    {
      files,
      models,
      transcriber: id => workspaceModels.transcriber(id),
      runs,
      lifecycle,
      smallModel: config.smallModel,
    },
    workflows,
  )
  const { triggers, worker: schedules } = createTriggers(adapters, { files, runs, quotas })
  const web = createWebPages(adapters, { files, bases: knowledge.bases, quotas, metrics })
  const { tests, worker: testing } = createTests(adapters, { files, runs, quotas, models })
  const readiness: Readiness = {
    stopping: false,
    checks: {
      database: () => database.check(),
      files: () => files.blobs.check(),
      workers: () => knowledge.ingestor.check(),
    },
    optional: config.blobUrl && 'files',
  }
  const limiter = new RequestLimiter(config, clock, cluster.isAlone ? undefined : cluster.exchange('calls'))
  const { trustedProxies } = config
  const logging = { log, writeLog: adapters.writeLog }
  const parts = { access, idempotency, audit, metrics, tracer, limiter, trustedProxies, ...logging }
  const { layouts } = stores
  const server = createServer(parts, [
    ...workflowRoutes(
      workflows,
      new ImportService(workflows, conversations.agents, layouts),
      layouts,
      quotas,
      generation,
    ),
    ...kindRoutes(async () => (await import('../nodes/kind-catalog.ts')).kindCatalog()),
    ...layoutRoutes(layouts),
    ...runRoutes(runs, files, quotas),
    ...agentRoutes(conversations.agents),
    ...profileRoutes({
      ...conversations,
      runs,
      ...config,
      hasTranscriber: async id => (await workspaceModels.transcriber(id)) !== undefined,
    }),
    ...conversationRoutes({ ...conversations, access, quotas, files }),
    ...annotationRoutes(conversations.annotations),
    ...openaiRoutes({ ...conversations, workflows: stores.workflows, runs, files, access, quotas }),
    ...conversationFileRoutes({ ...conversations, ...config, access, idempotency, quotas, files }),
    ...modelRoutes({ settings, models, others: workspaceModels, tester }),
    ...secretRoutes(secrets),
    ...toolRoutes(trials, tools, secrets),
    ...mcpRoutes(config.mcpOrigins),
    ...triggerRoutes({ triggers, runs, quotas, limiter, clock, log }),
    ...testRoutes(tests, runs),
    ...usageRoutes(stores.usage, quotas, clock),
    ...fileRoutes(files, { ...parts, quotas, conversations: stores.conversations }),
    ...knowledgeRoutes({ ...knowledge, quotas, users }),
    ...goldenRoutes(knowledge.golden),
    ...webPageRoutes(web.pages),
    ...accessRoutes(access, runs),
    ...presenceRoutes({
      presence: new Presence(cluster, clock),
      agents: conversations.agents,
      workflows: stores.workflows,
    }),
    ...auditRoutes(audit),
    ...serverInfoRoutes(describeServer(config, stores.scrub, cluster), models, settings),
    ...serverRoutes(() => metrics.text(), readiness),
    ...consoleRoutes(consoleFolder, stores.agents),
  ])
  const stopping = new AbortController()

  const jobs = [
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
    ...knowledge.jobs,
    ...web.jobs,
    ...running.jobs,
    ...conversations.jobs,
  ]
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
    /** Starts background jobs, ingestion, schedules and the run worker. */
    start: () => {
      const { signal } = stopping
      cluster.join(addressOf(server.server.address()))
      background = Promise.all([
        runJobs(jobs, cluster, log, signal),
        knowledge.ingestor.run(signal),
        live.run(signal),
        schedules.run(signal),
        testing.run(signal),
        knowledge.goldenWorker.run(signal),
        web.worker.run(signal),
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
      await adapters.workers.close()
      await adapters.localOcr?.close()
      await adapters.code.close()
      await adapters.toolServers.close()
      await adapters.vectorIndex.close()
      await adapters.keywordIndex.close()
      await adapters.close()
    },
  }
}
