/** What an agent names besides itself. */
export interface AgentReferences {
  hasWorkflow(workspaceId: string, workflowId: string): Promise<boolean>
  /** Those of the ids that name no knowledge base of the workspace. */
  missingKnowledge(workspaceId: string, knowledgeIds: readonly string[]): Promise<string[]>
}
