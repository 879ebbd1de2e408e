/** Fixed names: the documentation quotes them, and a restore can tell demo data from user data. */
export const demo = {
  agentId: 'agent_demo',
  workflowId: 'demo',
  knowledgeName: 'Banyan 文档 Banyan docs',
} as const
