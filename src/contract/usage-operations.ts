import Type from 'typebox'
import { limits } from './limits.ts'
import { basePath, type Operation } from './operation.ts'
import { id, text } from './text.ts'

const counts = {
  runs: Type.Integer({ description: 'Runs that ended, with any status.', examples: [12] }),
  failures: Type.Integer({ description: 'Runs that failed.', examples: [1] }),
  prompt_tokens: Type.Integer({ examples: [2100] }),
  completion_tokens: Type.Integer({ examples: [900] }),
  elapsed_ms: Type.Integer({ description: 'Total run time in milliseconds.', examples: [9800] }),
}

const date = (description: string) =>
  text({
    maxLength: 10,
    description: `${description} A date in UTC, such as 2026-11-15.`,
    examples: ['2026-11-15'],
  })

export const usageOperations = {
  get: {
    family: 'usage',
    name: 'usage.get',
    method: 'GET',
    path: `${basePath}/usage`,
    access: 'read',
    summary: 'Get usage: runs and tokens by day, agent and workflow',
    details: `At most ${limits.usageDays} days. A run counts on the day it ended, and still counts after it is deleted.`,
    query: Type.Object({
      from: Type.Optional(date('First day; default: 29 days before the last day.')),
      to: Type.Optional(date('Last day; default: today.')),
      agent_id: Type.Optional(id('Only runs of this agent.', 'agent_x')),
      workflow_id: Type.Optional(id('Only runs of this workflow.', 'wf_hello')),
    }),
    data: Type.Object({
      from: Type.String({ description: 'First day.', examples: ['2026-10-17'] }),
      to: Type.String({ description: 'Last day.', examples: ['2026-11-15'] }),
      days: Type.Array(Type.Object({ date: Type.String({ examples: ['2026-11-15'] }), ...counts }), {
        description: 'Every day, oldest first.',
      }),
      totals: Type.Object(counts, { description: 'Totals of all days.' }),
      by_agent: Type.Array(
        Type.Object({
          agent_id: Type.String({ description: 'Empty for runs without an agent.' }),
          ...counts,
        }),
        { description: 'Top 20 by tokens.' },
      ),
      by_workflow: Type.Array(
        Type.Object({
          workflow_id: Type.String({ description: 'Empty for runs of an agent without a workflow.' }),
          ...counts,
        }),
        { description: 'Top 20 by tokens.' },
      ),
    }),
  },
} as const satisfies Record<string, Operation>
