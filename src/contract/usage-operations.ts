import { array, id, integer, named, number, optional, string, text } from './fields.ts'
import { limits } from './limits.ts'
import { basePath, defineOperations } from './operation.ts'
import { quotaFields } from './quotas.ts'
import { Type } from './schema.ts'

export const usageCounts = {
  runs: integer('Runs that ended, with any status.', 12),
  failures: integer('Runs that failed.', 1),
  prompt_tokens: Type.Integer({ examples: [2100] }),
  completion_tokens: Type.Integer({ examples: [900] }),
  cost: number('By the prices of the models, in their currency; models without prices count as 0.', 0.0042),
  elapsed_ms: integer('Total run time in milliseconds.', 9800),
}

const date = (description: string) =>
  text(`${description} A date in UTC, such as 2026-11-15.`, [0, 10], { example: '2026-11-15' })

export const usageOperations = defineOperations('usage', {
  get: {
    method: 'GET',
    path: `${basePath}/usage`,
    access: 'read',
    summary: 'Get usage: runs and tokens by day, agent and workflow',
    details: `At most ${limits.usageDays} days. A run counts on the day it ended, and still counts after it is deleted.`,
    query: Type.Object(
      optional({
        from: date('First day; default: 29 days before the last day.'),
        to: date('Last day; default: today.'),
        agent_id: id('Only runs of this agent.', 'agent_x'),
        workflow_id: id('Only runs of this workflow.', 'wf_hello'),
      }),
    ),
    data: named(
      'UsageReport',
      Type.Object({
        from: string('First day.', '2026-10-17'),
        to: string('Last day.', '2026-11-15'),
        days: array(
          Type.Object({ date: Type.String({ examples: ['2026-11-15'] }), ...usageCounts }),
          'Every day, oldest first.',
        ),
        totals: Type.Object(usageCounts, { description: 'Totals of all days.' }),
        by_agent: array(
          Type.Object({ agent_id: string('Empty for runs without an agent.'), ...usageCounts }),
          'Top 20 by tokens.',
        ),
        by_workflow: array(
          Type.Object({
            workflow_id: string('Empty for runs of an agent without a workflow.'),
            ...usageCounts,
          }),
          'Top 20 by tokens.',
        ),
        quotas: Type.Object(quotaFields, { description: 'Limits of the workspace and what is used now.' }),
      }),
    ),
  },
})
