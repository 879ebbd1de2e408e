/**
 * Fixed names of the demo objects that the first start creates: the documentation can quote them, and a restore can
 * tell a database with only demo data from one with user data.
 */
export const demo = {
  agentId: 'agent_demo',
  workflowId: 'demo',
  knowledgeName: 'Banyan 文档 Banyan docs',
} as const
