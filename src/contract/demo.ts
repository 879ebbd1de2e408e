/**
 * What the first start makes is known by these names: a newcomer's first call can be written down, and a restore knows
 * that nobody's work would be lost.
 */
export const demo = {
  agentId: 'agent_demo',
  workflowId: 'demo',
  knowledgeName: 'Banyan 文档 Banyan docs',
} as const
