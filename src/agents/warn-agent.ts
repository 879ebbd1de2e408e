import { type Finding, pointerSegment } from '../contract/finding.ts'
import type { Graph } from '../workflow/graph.ts'
import type { Agent } from './agent.ts'
import { agentGraph, toolsOf } from './agent-graph.ts'

export interface AgentReferences {
  hasWorkflow(workspaceId: string, workflowId: string): Promise<boolean>
  /** The ids that are not knowledge bases of the workspace. */
  missingKnowledge(workspaceId: string, knowledgeIds: readonly string[]): Promise<string[]>
  hasModel(workspaceId: string, name: string): Promise<boolean>
  /** The problems of a graph, with JSON pointers relative to the graph. */
  checkGraph(workspaceId: string, graph: Graph): Promise<Finding[]>
}

const modelData = '/nodes/1/data/'
const listName = pointerSegment('数据源/API工具')

/** The field of the agent that a finding in the persona's graph comes from. */
function placeInAgent(agent: Agent, path: string): string {
  if (!path.startsWith(modelData)) return '/config'
  const [field, index] = path.slice(modelData.length).split('/')
  if (field === 'system_prompt') return '/config/character_profile'
  if (field !== listName || index === undefined) return '/config'
  const knowledge = Object.keys(agent.learn)
  const id = knowledge[Number(index)]
  if (id !== undefined) return `/learn/${pointerSegment(id)}`
  const tool = toolsOf(agent).used[Number(index) - knowledge.length]
  return tool ? `/config/tools/${pointerSegment(tool[0])}` : '/config/tools'
}

async function warnPersona(references: AgentReferences, workspaceId: string, agent: Agent) {
  const found = await references.checkGraph(workspaceId, agentGraph(agent, { hasModel: true }))
  const ignored = toolsOf(agent).ignored.map(name => ({
    path: `/config/tools/${pointerSegment(name)}`,
    message: 'is ignored: its running_config needs the type http, workflow, mcp, knowledge or tool',
  }))
  return [...found.map(({ path, message }) => ({ path: placeInAgent(agent, path), message })), ...ignored]
}

/** Problems that prevent an agent from answering. No errors, because its parts may be created in any order. */
export async function warnAgent(
  references: AgentReferences,
  workspaceId: string,
  agent: Agent,
): Promise<Finding[]> {
  const warnings: Finding[] = []
  const { workflow_id: workflowId, model } = agent.config
  if (workflowId && !(await references.hasWorkflow(workspaceId, workflowId)))
    warnings.push({ path: '/config/workflow_id', message: `There is no workflow ${workflowId} yet` })
  if (model && !(await references.hasModel(workspaceId, model)))
    warnings.push({
      path: '/config/model',
      message: `There is no model ${model}; add it, or remove this setting`,
    })
  // The check of a persona's graph reports them, too.
  const ids = workflowId ? Object.keys(agent.learn) : []
  for (const id of ids.length > 0 ? await references.missingKnowledge(workspaceId, ids) : [])
    warnings.push({ path: `/learn/${pointerSegment(id)}`, message: `There is no knowledge base ${id}` })
  return workflowId ? warnings : [...warnings, ...(await warnPersona(references, workspaceId, agent))]
}
