import { join } from 'node:path'
import { Presence } from '../access/presence.ts'
import type { Config } from '../config/config.ts'
import type { RequestLimiter } from '../http/request-limiter.ts'
import type { Route } from '../http/route.ts'
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
import { ImportService } from '../import/import-service.ts'
import type { Adapters } from './adapters.ts'
import type { Services } from './create-services.ts'
import { describeServer } from './describe-server.ts'
import type { Metrics } from './metrics.ts'

/** The output folder of `npm run build`. */
const consoleFolder = join(import.meta.dirname, '../../console/dist')

interface ServerState {
  limiter: RequestLimiter
  metrics: Metrics
  readiness: Readiness
}

/** Everything that the server answers, one line per family of operations. */
export function createRoutes(
  { clock, cluster, database, log, stores }: Adapters,
  config: Config,
  services: Services,
  { limiter, metrics, readiness }: ServerState,
): Route[] {
  const { access, audit, conversations, files, idempotency, knowledge, models, others, quotas } = services
  const {
    runs,
    secrets,
    settings,
    tester,
    tests,
    tools,
    transcriber,
    trials,
    triggers,
    users,
    web,
    workflows,
  } = services
  const { layouts } = stores
  const imports = new ImportService(workflows, conversations.agents, layouts, stores.bases)
  const presence = new Presence(cluster, clock)
  const hasTranscriber = async (workspaceId: string) => (await transcriber(workspaceId)) !== undefined
  return [
    ...workflowRoutes(workflows, imports, layouts, quotas, () => database.generation()),
    ...kindRoutes(async () => (await import('../nodes/kind-catalog.ts')).kindCatalog()),
    ...layoutRoutes(layouts),
    ...runRoutes(runs, files, quotas),
    ...agentRoutes(conversations.agents),
    ...profileRoutes({ ...conversations, runs, ...config, hasTranscriber }),
    ...conversationRoutes({ ...conversations, access, quotas, files }),
    ...annotationRoutes(conversations.annotations),
    ...openaiRoutes({ ...conversations, workflows: stores.workflows, runs, files, access, quotas }),
    ...conversationFileRoutes({ ...conversations, ...config, access, idempotency, quotas, files }),
    ...modelRoutes({ settings, models, others, tester }),
    ...secretRoutes(secrets),
    ...toolRoutes(trials, tools, secrets),
    ...mcpRoutes(config.mcpOrigins),
    ...triggerRoutes({ triggers, runs, quotas, limiter, clock, log }),
    ...testRoutes(tests, runs),
    ...usageRoutes(stores.usage, quotas, clock),
    ...fileRoutes(files, { access, idempotency, quotas, conversations: stores.conversations }),
    ...knowledgeRoutes({ ...knowledge, quotas, users }),
    ...goldenRoutes(knowledge.golden),
    ...webPageRoutes(web.pages),
    ...accessRoutes(access, runs),
    ...presenceRoutes({ presence, agents: conversations.agents, workflows: stores.workflows }),
    ...auditRoutes(audit),
    ...serverInfoRoutes(describeServer(config, stores.scrub, cluster), models, settings),
    ...serverRoutes(() => metrics.text(), readiness),
    ...consoleRoutes(consoleFolder, stores.agents),
  ]
}
