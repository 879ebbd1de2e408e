import type { Transaction } from '../../database/database.ts'
import type { RawSql } from '../../database/sql.ts'
import type { RunStatus } from '../../workflow/run/run-store.ts'
import { addUsage } from './usage-rows.ts'

interface Row {
  status: RunStatus
  agent_id: string
  workflow_id: string
  prompt_tokens: number
  completion_tokens: number
  active_milliseconds: number
}

/** The status that it has then: `running` means that whoever works on it was asked. */
export async function stopRun(
  transaction: Transaction,
  forUpdate: RawSql,
  { workspaceId, id, now, shard }: { workspaceId: string; id: string; now: number; shard: number },
): Promise<RunStatus | undefined> {
  const row = await transaction.get<Row>(
    `SELECT status, agent_id, workflow_id, prompt_tokens, completion_tokens, active_milliseconds FROM runs
     WHERE workspace_id = ? AND id = ? ${forUpdate}`,
    workspaceId,
    id,
  )
  if (row?.status === 'running')
    await transaction.run(
      'UPDATE runs SET stop_requested = 1 WHERE workspace_id = ? AND id = ?',
      workspaceId,
      id,
    )
  if (row?.status !== 'waiting' && row?.status !== 'queued') return row?.status
  await transaction.run(
    `UPDATE runs SET status = 'stopped', lease = NULL, due_at = NULL, settled_at = ?, finished_at = ?
     WHERE workspace_id = ? AND id = ?`,
    now,
    now,
    workspaceId,
    id,
  )
  // Nobody works on it who could say so of its steps.
  await transaction.run(
    `UPDATE run_steps SET status = 'stopped', finished_at = ?
     WHERE workspace_id = ? AND run_id = ? AND status IN ('running', 'waiting')`,
    now,
    workspaceId,
    id,
  )
  await addUsage(transaction, shard, {
    workspaceId,
    agentId: row.agent_id,
    workflowId: row.workflow_id,
    status: 'stopped',
    finishedAt: now,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    activeMilliseconds: row.active_milliseconds,
  })
  return 'stopped'
}
