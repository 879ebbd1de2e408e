import { limits } from '../contract/limits.ts'
import type { Page, PageRequest } from '../contract/paging.ts'
import type { Transaction } from '../database/database.ts'
import { inWorkspace, keywordFilter, searchText } from '../database/keyword.ts'
import { Order } from '../database/order.ts'
import { readPage } from '../database/page.ts'
import { raw, sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { as, bytes, flag, integer, type RowOf } from '../database/table.ts'
import { AppError } from '../kernel/app-error.ts'
import { isUnfinished, keepVersions, newestRunnable, pinName } from './version-sweep.ts'
import { deletedWorkflows, keptVersions, workflows, workflowVersions } from './workflow-tables.ts'

const summaryKeys = workflows.keysExcept('workspaceId', 'search')
const summary = workflows.columns(...summaryKeys)
const summaryInJoin = workflows.columnsOf('w', ...summaryKeys)
const currentVersion = workflows.columns('name', 'version', 'updatedAt', 'publishedVersion', 'publishedAt')
const versionKeys = [
  ...(['version', 'nodeCount', 'createdAt', 'author', 'note', 'restoredFrom', 'publishedAt'] as const),
  'isRunnable',
] as const
const versionSummary = workflowVersions.columns(...versionKeys)
const replaceable = workflowVersions.columns(
  ...(['author', 'note', 'publishedAt', 'autosaveSince', 'isRunnable'] as const),
)
const deletedVersion = deletedWorkflows.columns('version')
const graphBytes = as('graph', bytes())
const graphsSize = as('size', integer())
const hasSameGraph = as('hasSameGraph', flag())
type Replaceable = (typeof replaceable)['row']
const hidden = workflowVersions.columns('hasCredentials')
const latestFirst = new Order('updated_at DESC', 'id')
const newestVersionFirst = new Order('version DESC')

export type WorkflowSummary = Omit<RowOf<typeof workflows>, 'workspaceId' | 'search'>
export type VersionSummary = Pick<RowOf<typeof workflowVersions>, (typeof versionKeys)[number]>

type CurrentVersions = Pick<
  WorkflowSummary,
  'name' | 'version' | 'updatedAt' | 'publishedVersion' | 'publishedAt'
>

interface WithGraph {
  /** The graph's JSON text in UTF-8, exactly as it was sent. */
  graph: Uint8Array
  hasCredentials: boolean
}
export type StoredWorkflow = WorkflowSummary & WithGraph
export type StoredVersion = VersionSummary & WithGraph

/** The condition of a save: none ('anything'), that the workflow exists or does not exist, a version, or a predicate. */
export type Expected = 'anything' | 'present' | 'absent' | number | ((current: WorkflowSummary) => boolean)

export interface Save {
  id: string
  /** By default the workflow keeps its name; a new one gets an empty name. */
  name?: string | undefined
  graph: string
  nodeCount: number
  hasCredentials: boolean
  expected: Expected
  at: number
  /** Undefined if the author is not known. */
  author?: string | undefined
  /** Whether it may replace the autosave before it in the history. */
  isAutosave?: boolean | undefined
  /** By default the version counts as runnable, and starting it is tried. */
  isRunnable?: boolean | undefined
  restoredFrom?: number | undefined
}

/** A lost compare-and-swap is an answer, not an error: it carries the version that is there now (0: none). */
type SaveOutcome =
  | { outcome: 'created' | 'updated' | 'unchanged'; version: number }
  | { outcome: 'conflict'; version: number }

function holds(expected: Expected, current: WorkflowSummary | undefined): boolean {
  if (expected === 'anything') return true
  if (!current || expected === 'absent') return !current && expected === 'absent'
  return (
    expected === 'present' ||
    (typeof expected === 'number' ? expected === current.version : expected(current))
  )
}

/**
 * Whether an autosave replaces the version before it. Versions that were published or named stay, and so does a version
 * that can run if the new one cannot.
 */
function replaces(save: Save, stored: Replaceable): boolean {
  const { author, note, publishedAt, autosaveSince, isRunnable } = stored
  return (
    save.isAutosave === true &&
    autosaveSince !== undefined &&
    save.at < autosaveSince + limits.autosaveMilliseconds &&
    author === (save.author ?? '') &&
    note === '' &&
    publishedAt === undefined &&
    (save.isRunnable !== false || !isRunnable)
  )
}

export function noWorkflow(id: string, version?: number): AppError {
  const what = version === undefined ? 'workflow' : `version ${version} of a workflow`
  return new AppError('not_found', `There is no ${what} ${id}`)
}

/** The part of a stored version that a plan is made from. */
export type PlannedGraph = Pick<StoredVersion, 'version' | 'graph'>

/** In characters. */
const largeGraph = 512 << 10
const noGraphTooLong = 2 ** 31 - 1
const clockSkewMilliseconds = 60_000
/** If a workflow had more runs in that time, the version counts as used. */
const maxComparedRuns = 1000
/** Kinds of nodes may have changed since they were stored. */
const maxTriedVersions = 10

export class WorkflowStore extends Store {
  find(workspaceId: string, id: string): Promise<StoredWorkflow | undefined> {
    return this.database.get(this.#withGraph(workspaceId, id, noGraphTooLong))
  }

  /** The same at once, unless the graph has more than so many bytes; see `Database.getNow`. */
  findNow(workspaceId: string, id: string, maxGraphBytes: number): StoredWorkflow | undefined {
    return this.database.getNow(this.#withGraph(workspaceId, id, maxGraphBytes))
  }

  #withGraph(workspaceId: string, id: string, maxGraphBytes: number) {
    return sql`
      SELECT ${summaryInJoin}, ${hidden}, ${this.database.bytesOf('v.graph')} ${graphBytes}
      FROM workflows w
      JOIN workflow_versions v ON v.workspace_id = w.workspace_id AND v.workflow_id = w.id AND v.version = w.version
      WHERE w.workspace_id = ${workspaceId} AND w.id = ${id} AND octet_length(v.graph) <= ${maxGraphBytes}`
  }

  /** Its name, which versions are the newest and the published one, and since when. */
  current(workspaceId: string, id: string): Promise<CurrentVersions | undefined> {
    return this.database.get(
      sql`SELECT ${currentVersion} FROM workflows WHERE workspace_id = ${workspaceId} AND id = ${id}`,
    )
  }

  /**
   * Adds a version, unless graph and name are unchanged. No save is lost, but an autosave may replace the autosave before
   * it.
   */
  save(workspaceId: string, save: Save): Promise<SaveOutcome> {
    return this.database.transaction(async transaction => {
      let current = await this.#lock(transaction, workspaceId, save.id)
      while (!current && holds(save.expected, undefined)) {
        const version = await this.#insert(transaction, workspaceId, save)
        if (version !== undefined) return { outcome: 'created', version }
        // Another process created it a moment ago; its row is visible now, unless it was deleted again.
        current = await this.#lock(transaction, workspaceId, save.id)
      }
      if (!current || !holds(save.expected, current))
        return { outcome: 'conflict', version: current?.version ?? 0 }
      return this.#update(transaction, workspaceId, save, current)
    }, save.graph.length >= largeGraph)
  }

  /**
   * The row alone is locked: a lock that had to wait sees the newest row, but a join would still look for
   * the version that was current before, and find nothing.
   */
  #lock(transaction: Transaction, workspaceId: string, id: string): Promise<WorkflowSummary | undefined> {
    return transaction.get(
      sql`SELECT ${summary} FROM workflows WHERE workspace_id = ${workspaceId} AND id = ${id} ${this.database.forUpdate}`,
    )
  }

  /** Returns the new version; undefined if a workflow with this id exists. */
  async #insert(transaction: Transaction, workspaceId: string, save: Save): Promise<number | undefined> {
    const { id, name = '', nodeCount, at } = save
    const row = { workspaceId, id, name, search: searchText(name, id), version: 1, nodeCount }
    const insert = workflows.insert({ ...row, createdAt: at, updatedAt: at })
    const inserted = await transaction.run(sql`${insert} ON CONFLICT (workspace_id, id) DO NOTHING`)
    if (inserted === 0) return undefined
    const key = { workspaceId, id }
    // This is read after the insert, which has waited for a delete that another process was about to commit.
    const deleted = await transaction.get(deletedWorkflows.select(deletedVersion, key))
    const version = (deleted?.version ?? 0) + 1
    if (deleted) await transaction.run(workflows.update(key, { version }))
    const autosaveSince = save.isAutosave ? at : undefined
    await this.#addVersion(transaction, workspaceId, save, { version, createdAt: at, autosaveSince })
    return version
  }

  async #update(
    transaction: Transaction,
    workspaceId: string,
    save: Save,
    current: WorkflowSummary,
  ): Promise<SaveOutcome> {
    const name = save.name ?? current.name
    const key = workflowVersions.where({ workspaceId, workflowId: save.id, version: current.version })
    // Compared by the database: a large graph takes several times as long to read.
    const stored = await transaction.get(sql`
      SELECT ${replaceable}, CASE WHEN graph = ${save.graph} THEN 1 ELSE 0 END ${hasSameGraph} FROM workflow_versions WHERE ${key}`)
    // A rollback creates a version even if the graph is the same.
    const isSame = stored?.hasSameGraph && name === current.name
    if (isSame && save.restoredFrom === undefined) return { outcome: 'unchanged', version: current.version }
    // A new name is a new version too: a client with the old ETag must be refused.
    const version = current.version + 1
    // A clock that was set back must not make a newer version look older.
    const updatedAt = Math.max(save.at, current.updatedAt + 1)
    const change = { name, search: searchText(name, save.id), version, nodeCount: save.nodeCount, updatedAt }
    await transaction.run(workflows.update({ workspaceId, id: save.id }, change))
    let autosaveSince = save.isAutosave ? updatedAt : undefined
    if (stored && replaces(save, stored) && !(await this.#mayBeUsed(transaction, workspaceId, current))) {
      autosaveSince = stored.autosaveSince
      await keepVersions(transaction, key, updatedAt)
      await transaction.run(workflowVersions.delete(key))
    }
    await this.#addVersion(transaction, workspaceId, save, { version, createdAt: updatedAt, autosaveSince })
    return { outcome: 'updated', version }
  }

  /** Whether a run may have started with the newest version. */
  async #mayBeUsed(
    transaction: Transaction,
    workspaceId: string,
    { id, version, updatedAt }: WorkflowSummary,
  ): Promise<boolean> {
    const started = await transaction.all(sql`
      SELECT version ${as('version', integer())} FROM runs WHERE workspace_id = ${workspaceId}
        AND workflow_id = ${id} AND created_at >= ${updatedAt - clockSkewMilliseconds}
      ORDER BY created_at DESC LIMIT ${raw(String(maxComparedRuns))}`)
    return started.length === maxComparedRuns || started.some(run => run.version === version)
  }

  async #addVersion(
    transaction: Transaction,
    workspaceId: string,
    { id, graph, nodeCount, hasCredentials, author = '', isRunnable = true, restoredFrom }: Save,
    stored: { version: number; createdAt: number; autosaveSince: number | undefined },
  ): Promise<void> {
    const row = { workspaceId, workflowId: id, graph, nodeCount, hasCredentials, author, isRunnable }
    await transaction.run(workflowVersions.insert({ ...row, ...stored, note: '', restoredFrom }))
  }

  list(
    workspaceId: string,
    keyword: string,
    page: PageRequest,
    { isPublished = false } = {},
  ): Promise<Page<WorkflowSummary>> {
    return readPage(this.database, {
      workspaceId,
      columns: summary,
      source: workflows,
      where: workflows.where({ workspaceId }),
      order: latestFirst,
      page,
      indexedFilter: keywordFilter(this.database, inWorkspace('workflows', workspaceId), keyword),
      ...(isPublished && { filter: sql`published_version IS NOT NULL` }),
    })
  }

  /**
   * Deletes a workflow and disables its triggers; false if there was none. Runs that started with it still find its
   * graph; see `kept`.
   */
  async remove(workspaceId: string, id: string, at: number): Promise<boolean> {
    const versions = workflowVersions.where({ workspaceId, workflowId: id })
    const stored = await this.database.get(
      sql`SELECT CAST(COALESCE(SUM(octet_length(graph)), 0) AS BIGINT) ${graphsSize} FROM workflow_versions WHERE ${versions}`,
    )
    return this.database.deletion(async transaction => {
      const removed = await transaction.get(
        sql`DELETE FROM workflows WHERE ${workflows.where({ workspaceId, id })} RETURNING ${currentVersion}`,
      )
      // Without this, the graph of a workflow that is just being created under this id would be deleted.
      if (!removed) return false
      await transaction.run(
        sql`${deletedWorkflows.insert({ workspaceId, id, version: removed.version })}
         ON CONFLICT (workspace_id, id) DO UPDATE SET version = excluded.version`,
      )
      await this.#keepForRuns(transaction, { workspaceId, workflowId: id }, removed, at)
      for (const table of [workflowVersions, raw('workflow_layouts')])
        await transaction.run(
          sql`DELETE FROM ${table} WHERE workspace_id = ${workspaceId} AND workflow_id = ${id}`,
        )
      await transaction.run(sql`
        UPDATE triggers SET enabled = 0, next_at = NULL, due_at = NULL
        WHERE workspace_id = ${workspaceId} AND workflow_id = ${id}`)
      return true
    }, stored!.size >= largeGraph)
  }

  /**
   * Keeps the versions that unfinished runs use, and those that a new run would use: a run that is just starting is not
   * stored yet.
   */
  async #keepForRuns(
    transaction: Transaction,
    { workspaceId, workflowId }: { workspaceId: string; workflowId: string },
    { version, publishedVersion = version }: CurrentVersions,
    at: number,
  ): Promise<void> {
    const key = workflowVersions.where({ workspaceId, workflowId })
    // CROSS JOIN makes SQLite begin with the unfinished runs. It would look at the effects of all runs of the workspace.
    const insideSteps = sql`
      SELECT e.result FROM runs r CROSS JOIN run_effects e
      WHERE r.workspace_id = ${workspaceId} AND r.${isUnfinished} AND e.workspace_id = r.workspace_id AND e.run_id = r.id
        AND e.name = ${JSON.stringify(pinName(workflowId))}`
    await keepVersions(
      transaction,
      sql`${key} AND (version IN (${version}, ${publishedVersion}, (${newestRunnable(key)})) OR CAST(version AS TEXT) IN (${insideSteps})
        OR version IN (SELECT version FROM runs WHERE workspace_id = ${workspaceId}
          AND workflow_id = ${workflowId} AND ${isUnfinished}))`,
      at,
    )
  }

  /** The graph of a version that was deleted after a run had started with it. */
  kept(workspaceId: string, workflowId: string, version: number): Promise<PlannedGraph | undefined> {
    const where = keptVersions.where({ workspaceId, workflowId, version })
    return this.database.get(sql`
      SELECT ${keptVersions.columns('version')}, ${this.database.bytesOf('graph')} ${graphBytes}
      FROM kept_versions WHERE ${where}`)
  }

  versions(workspaceId: string, workflowId: string, page: PageRequest): Promise<Page<VersionSummary>> {
    return readPage(this.database, {
      workspaceId,
      columns: versionSummary,
      source: workflowVersions,
      where: workflowVersions.where({ workspaceId, workflowId }),
      order: newestVersionFirst,
      page,
    })
  }

  /** Older versions that could run when they were stored, newest first. */
  async runnableBefore(workspaceId: string, workflowId: string, version: number): Promise<number[]> {
    const older = sql`${workflowVersions.where({ workspaceId, workflowId })} AND version < ${version} AND is_runnable = 1`
    const found = await this.database.all(sql`
      SELECT ${workflowVersions.columns('version')} FROM workflow_versions WHERE ${older}
      ORDER BY version DESC LIMIT ${raw(String(maxTriedVersions))}`)
    return found.map(row => row.version)
  }

  version(workspaceId: string, id: string, version: number): Promise<StoredVersion | undefined> {
    return this.database.get(sql`
      SELECT ${versionSummary}, ${hidden}, ${this.database.bytesOf('graph')} ${graphBytes} FROM workflow_versions
      WHERE workspace_id = ${workspaceId} AND workflow_id = ${id} AND version = ${version}`)
  }
}
