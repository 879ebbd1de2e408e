import { AccessService } from '../access/access-service.ts'
import { AuditLog } from '../audit/audit-log.ts'
import { accessChanged } from '../cluster/cluster.ts'
import type { Config } from '../config/config.ts'
import { publicationGate } from '../evaluation/test-set-service.ts'
import { FileService } from '../files/file-service.ts'
import { IdempotencyService } from '../idempotency/idempotency-service.ts'
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
import { createConversations, createTurns } from './create-conversations.ts'
import { createKnowledge } from './create-knowledge.ts'
import { createRuns } from './create-runs.ts'
import { createTests } from './create-tests.ts'
import { createTriggers } from './create-triggers.ts'
import { createWebPages } from './create-web-pages.ts'
import type { Metrics } from './metrics.ts'
import { openRecognition } from './open-recognition.ts'

/** Everything that a request can use, and what works in the background. */
export type Services = ReturnType<typeof createServices>

export function createServices(adapters: Adapters, config: Config, metrics: Metrics) {
  const { clock, cluster, database, stores } = adapters
  const access = new AccessService(
    stores.access,
    clock,
    () => cluster.accessGeneration(),
    announce(adapters, accessChanged),
  )
  const files = new FileService(stores.files, adapters.blobs, clock, config.maxFileBytes, database)
  const { workflows, ...parts } = createWorkflows(adapters)
  const { models, others, ...modelSettings } = createModels(adapters)
  const recognition = openRecognition(adapters, { chat: models, others }, config)
  const knowledge = createKnowledge(adapters, files, others, recognition, config, metrics)
  const { lifecycle, listener } = createTurns(adapters, files)
  const { search, reader } = knowledge
  const { runs, live, quotas, ...running } = createRuns(adapters, config, metrics, {
    ...{ files, search, reader, models, secrets: parts.secrets, tools: parts.tools, listener },
    synthesizer: workspaceId => others.synthesizer(workspaceId),
  })
  const transcriber = (workspaceId: string) => others.transcriber(workspaceId)
  const conversations = createConversations(
    adapters,
    { files, models, transcriber, runs, lifecycle, smallModel: config.smallModel },
    workflows,
  )
  const { triggers, worker: schedules } = createTriggers(adapters, { files, runs, quotas })
  const web = createWebPages(adapters, { files, bases: knowledge.bases, quotas, metrics })
  const { tests, worker: testing } = createTests(adapters, { files, runs, quotas, models })
  return {
    ...{ access, files, workflows, ...parts, models, others, ...modelSettings },
    ...{ knowledge, web, runs, quotas, conversations, transcriber, triggers, tests },
    idempotency: new IdempotencyService(stores.idempotency, clock),
    audit: new AuditLog(stores.audit, database, clock),
    workers: [knowledge.ingestor, live, schedules, testing, knowledge.goldenWorker, web.worker],
    jobs: [...knowledge.jobs, ...web.jobs, ...running.jobs, ...conversations.jobs],
  }
}

/** Workflows, and what agents and workflows share. */
function createWorkflows({ clock, http, secretBox, stores, toolServers }: Adapters) {
  const secrets = new SecretService(stores.secrets, secretBox, clock)
  const users: FindUsers[] = [
    (...used) => stores.agents.usersOf(...used),
    (...used) => stores.workflowUsers.find(...used),
  ]
  const tools = new SharedToolService(stores.sharedTools, users, clock)
  const trials = new ToolTrials({
    ...{ http, toolServers },
    findSecrets: (...names) => secrets.openMany(...names),
  })
  const workflows = new WorkflowService({
    ...{
      store: stores.workflows,
      publications: stores.publications,
      kinds: nodeKinds,
      secrets,
      tools,
      knowledge: stores.bases,
      clock,
    },
    gate: publicationGate(stores.tests),
    users: [...users, (...workflow) => stores.triggers.usersOf(...workflow)],
  })
  return { secrets, users, tools, trials, workflows }
}

function createModels({ clock, connectors, stores, secretBox, ...adapters }: Adapters) {
  const settings = new ModelSettingsService(stores.models, secretBox, clock)
  const models = new ConfiguredModels(settings, adapters.connectModel, adapters.environmentModel)
  /** Models of the other types. */
  const others = new WorkspaceModels(settings, connectors, adapters.environmentModels)
  const tester = new ModelTester({ settings, models, connectors, clock })
  return { settings, models, others, tester }
}
