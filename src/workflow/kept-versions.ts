import type { Transaction } from '../database/database.ts'
import { type Query, raw, sql } from '../database/sql.ts'

/** The name of the effect by which a step remembers which version of a workflow it runs. */
export const pinName = (workflowId: string): string => `workflow ${workflowId}`

/** Copies versions that are about to be deleted, maybe by two replicas at once, to where runs in progress still find them. */
export async function keepVersions(transaction: Transaction, which: Query, at: number): Promise<void> {
  await transaction.run(sql`
    INSERT INTO kept_versions (workspace_id, workflow_id, version, deleted_at, graph)
    SELECT workspace_id, workflow_id, version, CAST(${at} AS BIGINT), graph FROM workflow_versions WHERE ${which}
    ON CONFLICT (workspace_id, workflow_id, version) DO NOTHING`)
}

export const isUnfinished = raw("status IN ('queued', 'running', 'waiting')")

/** Whether a run that is not over uses the kept version, itself or inside a step; names and results of effects are JSON. */
export const isNeeded: Query = sql`EXISTS (SELECT 1 FROM runs r
  WHERE r.workspace_id = kept_versions.workspace_id AND r.${isUnfinished}
    AND ((r.workflow_id = kept_versions.workflow_id AND r.version = kept_versions.version)
      OR EXISTS (SELECT 1 FROM run_effects e WHERE e.workspace_id = r.workspace_id AND e.run_id = r.id
        AND e.name = ${raw(`'"${pinName('')}'`)} || kept_versions.workflow_id || '"'
        AND e.result = CAST(kept_versions.version AS TEXT))))`
