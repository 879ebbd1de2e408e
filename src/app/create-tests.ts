import type { QuotaService } from '../access/quota-service.ts'
import { agentGraph } from '../agents/agent-graph.ts'
import { noAgent } from '../agents/agent-service.ts'
import { TestSetService } from '../evaluation/test-set-service.ts'
import { TestWorker, testsChanged } from '../evaluation/test-worker.ts'
import type { FileService } from '../files/file-service.ts'
import { isConfigured, type LanguageModels } from '../models/language-model.ts'
import { jsonProblems } from '../nodes/llm/answer-schema.ts'
import { runInputs } from '../workflow/run/run-inputs.ts'
import type { Runs } from '../workflow/run/run-service.ts'
import type { Adapters } from './adapters.ts'
import { announce } from './announce.ts'

export function createTests(
  adapters: Adapters,
  features: { files: FileService; runs: Runs; quotas: QuotaService; models: LanguageModels },
) {
  const { clock, cluster, code, log, stores } = adapters
  const { files, runs, quotas, models } = features
  const store = stores.tests
  const tests = new TestSetService({
    store,
    clock,
    findWorkflow: (workspaceId, id) => stores.workflows.current(workspaceId, id),
    findAgent: async (workspaceId, id) => {
      const agent = await stores.agents.find(workspaceId, id)
      return agent && { workflowId: agent.config.workflow_id || undefined }
    },
    changed: announce(adapters, testsChanged),
  })
  const worker = new TestWorker({
    ...{ store, runs, cluster, clock, code, log, jsonProblems },
    inputs: (workspaceId, sent) => runInputs(files, workspaceId, sent),
    admit: async workspaceId => quotas.admitRun(await stores.access.scopeOf(workspaceId)),
    subject: async (workspaceId, setId, version) => {
      const { workflowId, agentId } = await tests.get(workspaceId, setId)
      if (agentId === '') return { target: { workflowId, version } }
      const agent = await stores.agents.find(workspaceId, agentId)
      if (agent?.config.workflow_id)
        return { target: { workflowId: agent.config.workflow_id, version }, agentId }
      if (!agent) throw noAgent(agentId)
      const hasDefault = (await models.defaultName(workspaceId)) !== ''
      const hasModel = hasDefault || (await isConfigured(models, workspaceId, agent.config.model))
      return { target: { graph: agentGraph(agent, { hasModel }) }, agentId }
    },
  })
  return { tests, worker }
}
