import { Readable } from 'node:stream'
import type { QuotaScope } from '../access/access-store.ts'
import { QuotaService } from '../access/quota-service.ts'
import { JinjaRenderer } from '../adapters/code/jinja-renderer.ts'
import { personaSettings } from '../agents/agent-graph.ts'
import { Leases } from '../cluster/leases.ts'
import type { Config } from '../config/config.ts'
import { limits } from '../contract/limits.ts'
import { storableName } from '../files/file-name.ts'
import type { FileService } from '../files/file-service.ts'
import { daysAgo } from '../kernel/clock.ts'
import type { DocumentReader } from '../knowledge/ingest/document-reader.ts'
import type { SearchService } from '../knowledge/search/search-service.ts'
import type { LanguageModels } from '../models/language-model.ts'
import type { NewFile, NodeServices } from '../nodes/node-services.ts'
import { nodeKinds } from '../nodes/registry.ts'
import type { SecretService } from '../secrets/secret-service.ts'
import type { SharedToolService } from '../shared-tools/shared-tool-service.ts'
import { Plans } from '../workflow/run/plans.ts'
import { RunCapacity } from '../workflow/run/run-capacity.ts'
import type { RunDependencies, RunLimits } from '../workflow/run/run-context.ts'
import { runFileOf } from '../workflow/run/run-inputs.ts'
import type { RunListener } from '../workflow/run/run-listener.ts'
import { RunService } from '../workflow/run/run-service.ts'
import { RunWorker } from '../workflow/run/run-worker.ts'
import type { RunFile } from '../workflow/step.ts'
import type { Adapters } from './adapters.ts'
import { type BackgroundJob, every } from './background-jobs.ts'
import { measureKinds } from './measure.ts'
import type { Metrics } from './metrics.ts'
import { extractText, readFileForModel } from './read-files.ts'
import { traceKinds, traceRuns } from './trace.ts'

const runLimits: RunLimits = {
  nestedSteps: limits.nestedSteps,
  parallel: 16,
  milliseconds: limits.runMilliseconds,
  pollMilliseconds: 2000,
  storageMilliseconds: 120_000,
  graceMilliseconds: 10_000,
}

const sweepBatch = 1000
/** Long enough for a run that was being started when its workflow was deleted. */
const keptMilliseconds = 600_000

export function createRuns(
  adapters: Adapters,
  config: Config,
  metrics: Metrics,
  features: {
    files: FileService
    search: SearchService
    reader: DocumentReader
    models: LanguageModels
    secrets: SecretService
    tools: SharedToolService
    listener: RunListener
    synthesizer: NodeServices['synthesizer']
  },
) {
  const { clock, cluster, log, stores, webSearch, http, code, toolServers } = adapters
  const { files, search, reader, models, secrets, tools, listener, synthesizer } = features
  const services: NodeServices = {
    models,
    searchKnowledge: (workspaceId, knowledgeId, request) => search.search(workspaceId, knowledgeId, request),
    findAgent: async (workspaceId, agentId) => {
      const agent = await stores.agents.find(workspaceId, agentId)
      if (!agent?.config.workflow_id) return agent && { settings: personaSettings(agent) }
      return { workflowId: agent.config.workflow_id }
    },
    findWorkflow: (workspaceId, id) => stores.workflows.current(workspaceId, id),
    findTools: (workspaceId, ids) => tools.settingsOf(workspaceId, ids),
    ...{ webSearch, http, code, toolServers, synthesizer },
    jinja: new JinjaRenderer(code),
    readFile: (workspaceId, fileId, signal) => readFileForModel(files, reader, workspaceId, fileId, signal),
    extractText: (workspaceId, request) => extractText(files, reader, workspaceId, request),
    fileContent: async function* (workspaceId, fileId) {
      yield* await files.read(await files.find(workspaceId, fileId))
    },
    findFiles: async (workspaceId, ids) => (await files.info(workspaceId, [...ids])).items.map(runFileOf),
    storeFile: async (workspaceId, file) =>
      storeFile(files, quotas, await stores.access.scopeOf(workspaceId), file),
  }
  const tracer = adapters.tracing?.tracer
  const measured = measureKinds(nodeKinds, metrics)
  const kinds = tracer ? traceKinds(measured, tracer) : measured
  const leases = new Leases({ rows: stores.runs.leases, cluster, log, subject: 'runs' })
  const parts: RunDependencies = {
    store: stores.runs,
    plans: new Plans(stores.workflows, kinds),
    observer: metrics,
    ...(tracer && { trace: traceRuns(tracer) }),
    services,
    files,
    listener,
    outputStore: stores.outputs,
    clock,
    leases,
    cluster,
    capacity: new RunCapacity({ live: limits.liveRuns, memoryBytes: config.runMemoryMb * 2 ** 20 }, leases),
    log,
    defaultModel: workspaceId => models.defaultName(workspaceId),
    findSecrets: (workspaceId, names) => secrets.openMany(workspaceId, names),
    limits: runLimits,
  }
  const live = new RunWorker(parts)
  const quotas = new QuotaService({
    database: adapters.database,
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
    runs: parts.capacity,
    runsElsewhere: async workspaceId => (cluster.isAlone ? 0 : stores.runs.countElsewhere(workspaceId)),
    clock,
  })
  return { runs: new RunService(parts, live), live, quotas, jobs: retentionJobs(adapters, config) }
}

/** Deletes what is older than the settings say; see docs/operating.md. */
function retentionJobs({ clock, stores }: Adapters, config: Config): BackgroundJob[] {
  return [
    every(2, 'index the texts of runs', signal => stores.runTexts.index(signal)),
    every(600, 'remove old runs', () =>
      stores.runSweep.sweepRuns(daysAgo(clock, config.runRetentionDays), sweepBatch),
    ),
    every(600, 'remove events of old runs', signal =>
      stores.runSweep.sweepEvents(daysAgo(clock, config.eventRetentionDays), signal),
    ),
    every(3600, 'remove old versions of workflows', signal =>
      stores.versionSweep.sweep(daysAgo(clock, config.versionRetentionDays), () => clock.now(), signal),
    ),
    every(600, 'remove graphs of deleted workflows', () =>
      stores.versionSweep.sweepKept(clock.now() - keptMilliseconds),
    ),
  ]
}

/** Stores a file that a node received, within the limits of the workspace. */
async function storeFile(
  files: FileService,
  quotas: QuotaService,
  scope: QuotaScope,
  { name, bytes }: NewFile,
): Promise<RunFile> {
  await quotas.refuseLarger(scope, bytes.length)
  const blob = await files.receive(Readable.from([bytes]))
  await files.repair(scope.workspaceId, blob)
  const stored = await quotas.within(scope, ['storageBytes'], () =>
    files.add(scope.workspaceId, storableName(name), blob),
  )
  return runFileOf(stored)
}
