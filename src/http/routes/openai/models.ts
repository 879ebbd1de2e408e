import type { TokenRecord } from '../../../access/access-store.ts'
import { isAllowed } from '../../../access/permissions.ts'
import type { Agent } from '../../../agents/agent.ts'
import type { AgentService } from '../../../agents/agent-service.ts'
import { limits } from '../../../contract/limits.ts'
import { AppError } from '../../../kernel/app-error.ts'
import type { WorkflowStore, WorkflowSummary } from '../../../workflow/workflow-store.ts'
import { agentFor, mayUse } from '../agent-access.ts'

export interface ModelParts {
  agents: AgentService
  workflows: Pick<WorkflowStore, 'find' | 'list'>
}

/** The agent or workflow that a model name stands for, in the workspace of the token, or of a public agent. */
export type Target = { workspaceId: string } & ({ agent: Agent } | { workflow: WorkflowSummary })

const workflowPrefix = 'workflow/'
export const workflowModelId = (workflowId: string): string => workflowPrefix + workflowId

const noModel = (model: string): AppError =>
  new AppError(
    'not_found',
    `The model ${model} does not exist, or this token may not use it; GET /v1/models lists the models`,
    { errors: [{ path: '/model', message: 'does not exist' }] },
  )

const ambiguous = (model: string): AppError =>
  new AppError('invalid_request', `Several agents are named ${model}; send the id of the agent`, {
    errors: [{ path: '/model', message: 'is the name of several agents' }],
  })

/** Finds the target of a model name: an agent by id or name, or a workflow. Without a token, a public agent by its id. */
export async function findTarget(
  { agents, workflows }: ModelParts,
  token: TokenRecord | undefined,
  model: string,
): Promise<Target> {
  if (!token) return agentFor(agents, token, model, 'run')
  if (!isAllowed(token, 'run'))
    throw new AppError('forbidden', `A token with the role ${token.role} may not chat with agents`)
  const { workspaceId } = token
  if (model.startsWith(workflowPrefix)) {
    if (token.agentIds.length > 0) throw noModel(model)
    const workflow = await workflows.find(workspaceId, model.slice(workflowPrefix.length))
    if (!workflow) throw noModel(model)
    return { workspaceId, workflow }
  }
  const byId = mayUse(token, model) ? await agents.store.find(workspaceId, model) : undefined
  if (byId) return { workspaceId, agent: byId }
  const [agent, other] = await agentsNamed(agents, token, model)
  if (other) throw ambiguous(model)
  if (!agent) throw noModel(model)
  return { workspaceId, agent }
}

/** Finds agents by name. A runner sees only its own few agents; others may have the same name. */
async function agentsNamed(agents: AgentService, token: TokenRecord, name: string): Promise<Agent[]> {
  const { workspaceId, agentIds } = token
  if (agentIds.length === 0) return agents.store.named(workspaceId, name)
  return (await agents.store.findMany(workspaceId, agentIds)).filter(agent => agent.name === name)
}

const modelOf = (id: string, ownedBy: 'agent' | 'workflow', { name, createdAt }: Named) => ({
  id,
  object: 'model' as const,
  created: Math.floor(createdAt / 1000),
  owned_by: ownedBy,
  name,
})

type Named = Pick<Agent, 'name' | 'createdAt'>

const agentModel = (agent: Pick<Agent, 'id'> & Named) => modelOf(agent.id, 'agent', agent)

const workflowModel = (workflow: WorkflowSummary) =>
  modelOf(workflowModelId(workflow.id), 'workflow', { ...workflow, name: workflow.name || workflow.id })

/** A target as clients of OpenAI see it. */
export const targetOnWire = (target: Target) =>
  'agent' in target ? agentModel(target.agent) : workflowModel(target.workflow)

/** All models that a token may use. */
export async function listModels({ agents, workflows }: ModelParts, token: TokenRecord) {
  const { workspaceId, agentIds } = token
  if (agentIds.length > 0) return (await agents.store.findMany(workspaceId, agentIds)).map(agentModel)
  const page = { page: 1, pageSize: limits.openaiModels }
  const listed = await agents.store.list(workspaceId, '', page)
  const runnable = await workflows.list(workspaceId, '', page)
  return [...listed.items.map(agentModel), ...runnable.items.map(workflowModel)]
}
