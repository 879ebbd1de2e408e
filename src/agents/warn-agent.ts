import { type Finding, pointerSegment } from '../contract/finding.ts'
import type { Agent } from './agent.ts'
import { agentGraph, toolsOf } from './agent-graph.ts'
import type { AgentReferences } from './agent-references.ts'

const modelData = '/nodes/1/data/'
const listName = pointerSegment('数据源/API工具')

/** Where a finding in the graph of a persona comes from. */
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

function warnPersona(references: AgentReferences, agent: Agent): Finding[] {
  const found = references.checkGraph(agentGraph(agent, { hasModel: true }))
  const dropped = toolsOf(agent).leftOut.map(name => ({
    path: `/config/tools/${pointerSegment(name)}`,
    message: 'is left out: its running_config needs a type that is http, workflow, mcp or knowledge',
  }))
  return [...found.map(({ path, message }) => ({ path: placeInAgent(agent, path), message })), ...dropped]
}

/** What keeps an agent from answering as it should. It may be put together in any order, so all of it is only told. */
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
    warnings.push({ path: '/config/model', message: `There is no model ${model}; add it, or leave this out` })
  const ids = Object.keys(agent.learn)
  for (const id of ids.length > 0 ? await references.missingKnowledge(workspaceId, ids) : [])
    warnings.push({ path: `/learn/${pointerSegment(id)}`, message: `There is no knowledge base ${id}` })
  return workflowId ? warnings : [...warnings, ...warnPersona(references, agent)]
}
