import { limits } from '../contract/limits.ts'
import type { Transaction } from '../database/database.ts'
import { list, type Query, raw, sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { runs } from './run/store/run-records.ts'
import { keptVersions, workflows, workflowVersions } from './workflow-tables.ts'

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
const isNeeded: Query = sql`EXISTS (SELECT 1 FROM runs r
  WHERE r.workspace_id = kept_versions.workspace_id AND r.${isUnfinished}
    AND ((r.workflow_id = kept_versions.workflow_id AND r.version = kept_versions.version)
      OR EXISTS (SELECT 1 FROM run_effects e WHERE e.workspace_id = r.workspace_id AND e.run_id = r.id
        AND e.name = ${raw(`'"${pinName('')}'`)} || kept_versions.workflow_id || '"'
        AND e.result = CAST(kept_versions.version AS TEXT))))`

/** The newest version that could run when it was stored. */
export const newestRunnable = (versionsOfWorkflow: Query): Query =>
  sql`SELECT MAX(version) FROM workflow_versions WHERE ${versionsOfWorkflow} AND is_runnable = 1`

const workflowKey = workflows.columns('workspaceId', 'id', 'version')
type WorkflowKey = (typeof workflowKey)['row']

const versionNumber = workflowVersions.columns('version')
const workflowsPerRead = raw('100')
/** Graphs may be large, and other writers wait meanwhile. */
const versionsPerDeletion = 20
const keptPerDeletion = 100
// The number is part of the SQL text, because a partial index has the same condition.
const hasMany = raw(`version > ${limits.keptVersions}`)

const versionsOf = ({ workspaceId, id }: WorkflowKey): Query =>
  workflowVersions.where({ workspaceId, workflowId: id })

/** Deletes old versions except the newest and those published, named, restored or used by a stored run. */
export class VersionSweep extends Store {
  /** Deletes versions that were stored before that time. */
  async sweep(before: number, now: () => number, signal: AbortSignal): Promise<void> {
    for await (const workflow of this.#workflows(signal)) {
      const numbers = await this.#unused(workflow, before)
      for (let start = 0; start < numbers.length && !signal.aborted; start += versionsPerDeletion)
        await this.#delete(workflow, numbers.slice(start, start + versionsPerDeletion), now())
    }
  }

  /** The workflows with more versions than are always kept. */
  async *#workflows(signal: AbortSignal): AsyncGenerator<WorkflowKey> {
    // Checks first, with an index: starting a thread for background reads would take a tenth of the server's start.
    if (!(await this.database.get(sql`SELECT ${workflowKey} FROM workflows WHERE ${hasMany} LIMIT 1`))) return
    let page: WorkflowKey[]
    let after: { workspaceId: string; id: string } | undefined = { workspaceId: '', id: '' }
    do {
      page = await this.database.background('').all(sql`
        SELECT ${workflowKey} FROM workflows
        WHERE ${hasMany} AND (workspace_id, id) > (${after.workspaceId}, ${after.id})
        ORDER BY workspace_id, id LIMIT ${workflowsPerRead}`)
      for (const workflow of page) if (!signal.aborted) yield workflow
      after = page.at(-1)
    } while (after && !signal.aborted)
  }

  async #unused(workflow: WorkflowKey, before: number): Promise<number[]> {
    const reader = this.database.background('')
    const all = versionsOf(workflow)
    const beyond = await reader.get(sql`
      SELECT ${versionNumber} FROM workflow_versions WHERE ${all}
      ORDER BY version DESC LIMIT 1 OFFSET ${raw(String(limits.keptVersions))}`)
    if (!beyond) return []
    const last = beyond.version
    const old = await reader.all(sql`
      SELECT ${versionNumber} FROM workflow_versions
      WHERE ${all} AND version <= ${last} AND created_at < ${before}
        AND note = '' AND published_at IS NULL AND restored_from IS NULL
        AND version NOT IN (SELECT restored_from FROM workflow_versions WHERE ${all} AND restored_from IS NOT NULL)
        AND version <> COALESCE((${newestRunnable(all)}), 0)
      ORDER BY version`)
    if (old.length === 0) return []
    const key = runs.where({ workspaceId: workflow.workspaceId, workflowId: workflow.id })
    const used = await reader.all(
      sql`SELECT DISTINCT ${runs.columns('version')} FROM runs WHERE ${key} AND version <= ${last}`,
    )
    const isUsed = new Set(used.map(({ version }) => version))
    return old.map(({ version }) => version).filter(version => !isUsed.has(version))
  }

  /** A run that starts with such a version right now, or has started it inside a step, still finds it; see `kept`. */
  async #delete(workflow: WorkflowKey, numbers: readonly number[], at: number): Promise<void> {
    const unused = sql`${versionsOf(workflow)} AND version IN ${list(numbers)}`
    await this.database.deletion(async transaction => {
      await keepVersions(transaction, unused, at)
      await transaction.run(workflowVersions.delete(unused))
    }, true)
  }

  /** Deletes kept versions that were deleted before that time and that no run needs any more. */
  async sweepKept(before: number): Promise<void> {
    const key = keptVersions.columns('workspaceId', 'workflowId', 'version')
    // The table is nearly always empty, which needs no thread that reads in the background.
    if (!(await this.database.get(sql`SELECT ${key} FROM kept_versions LIMIT 1`))) return
    for (;;) {
      const needless = await this.database.background('').all(sql`
        SELECT ${key} FROM kept_versions WHERE deleted_at < ${before} AND NOT ${isNeeded}
        LIMIT ${raw(String(keptPerDeletion))}`)
      if (needless.length === 0) return
      await this.database.deletion(async transaction => {
        for (const row of needless) await transaction.run(keptVersions.delete(row))
      }, true)
    }
  }
}
