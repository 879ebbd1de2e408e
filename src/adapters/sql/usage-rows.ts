import type { Database, Transaction } from '../../database/database.ts'
import type { RunStatus } from '../../workflow/run/run-store.ts'

export interface EndedRun {
  workspaceId: string
  agentId: string
  workflowId: string
  status: RunStatus
  finishedAt: number
  promptTokens: number
  completionTokens: number
  activeMilliseconds: number
}

const dayMilliseconds = 86_400_000
const shards = 16

/** Replicas that add to the same row wait for each other's commits. With SQLite there is one writer anyway. */
export const usageShard = ({ dialect }: Database): number =>
  dialect === 'sqlite' ? 0 : Math.floor(Math.random() * shards)

const add = ['runs', 'failures', 'prompt_tokens', 'completion_tokens', 'active_milliseconds']
  .map(column => `${column} = usage_days.${column} + excluded.${column}`)
  .join(', ')

/** Comes last in a transaction, since from here on others wait for the row. */
export async function addUsage(transaction: Transaction, shard: number, run: EndedRun): Promise<void> {
  await transaction.run(
    `INSERT INTO usage_days (workspace_id, day, agent_id, workflow_id, shard,
       runs, failures, prompt_tokens, completion_tokens, active_milliseconds) VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?)
     ON CONFLICT (workspace_id, day, agent_id, workflow_id, shard) DO UPDATE SET ${add}`,
    run.workspaceId,
    Math.floor(run.finishedAt / dayMilliseconds),
    run.agentId,
    run.workflowId,
    shard,
    run.status === 'failed' ? 1 : 0,
    run.promptTokens,
    run.completionTokens,
    run.activeMilliseconds,
  )
}
