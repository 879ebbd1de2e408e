import type { Finding } from '../contract/finding.ts'
import type { Graph } from '../workflow/graph.ts'

/** What an agent names besides itself. */
export interface AgentReferences {
  hasWorkflow(workspaceId: string, workflowId: string): Promise<boolean>
  /** Those of the ids that name no knowledge base of the workspace. */
  missingKnowledge(workspaceId: string, knowledgeIds: readonly string[]): Promise<string[]>
  hasModel(workspaceId: string, name: string): Promise<boolean>
  /** What is wrong with a graph, with pointers that begin at the graph. */
  checkGraph(graph: Graph): Finding[]
}
