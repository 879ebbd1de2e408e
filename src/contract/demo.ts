/** Fixed names: the documentation quotes them, and a restore can tell demo data from user data. */
export const demo = {
  agentId: 'agent_demo',
  workflowId: 'demo',
  knowledgeName: { en: 'Banyan docs', zh: 'Banyan 文档' },
} as const
