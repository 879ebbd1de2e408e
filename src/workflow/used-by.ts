import { limits } from '../contract/limits.ts'
import { type Query, raw, sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { workflows } from './workflow-tables.ts'

/** Something that runs a workflow. */
export interface WorkflowUser {
  kind: 'agent' | 'workflow' | 'trigger'
  id: string
  name: string
}

/** The users of one kind, up to `usersPerKind`. */
export type FindUsers = (workspaceId: string, workflowId: string) => Promise<WorkflowUser[]>

export const someUsers: Query = sql`ORDER BY name, id LIMIT ${raw(String(limits.usersPerKind))}`

/** Whether JSON text holds the id as a whole string; ids need no escapes. */
export const holdsId = (dialect: 'sqlite' | 'postgres', column: string, id: string): Query =>
  sql`${raw(`${dialect === 'sqlite' ? 'instr' : 'strpos'}(${column}`)}, ${JSON.stringify(id)}) > 0`

/** Finds workflows that run a workflow. There is no index for this, so the graphs are read in the background. */
export class WorkflowUsers extends Store {
  async find(workspaceId: string, workflowId: string): Promise<WorkflowUser[]> {
    const { dialect } = this.database
    const found = await this.database.background(workspaceId).all(sql`
      SELECT ${workflows.columns('id', 'name')} FROM workflows
      WHERE workspace_id = ${workspaceId} AND id <> ${workflowId} AND EXISTS (SELECT 1 FROM workflow_versions v
        WHERE v.workspace_id = workflows.workspace_id AND v.workflow_id = workflows.id
          AND v.version IN (workflows.version, workflows.published_version)
          AND ${holdsId(dialect, 'v.graph', workflowId)})
      ${someUsers}`)
    return found.map(row => ({ kind: 'workflow', ...row }))
  }
}
