import type { Page, PageRequest } from '../../contract/paging.ts'
import type {
  Expected,
  Save,
  SaveOutcome,
  StoredVersion,
  StoredWorkflow,
  VersionSummary,
  WorkflowStore,
  WorkflowSummary,
} from '../../workflow/workflow-store.ts'
import { type Database, searchPattern, searchText, type Transaction } from './database.ts'

interface Row {
  id: string
  name: string
  version: number
  node_count: number
  created_at: number
  updated_at: number
}

const summary = (row: Row): WorkflowSummary => ({
  id: row.id,
  name: row.name,
  version: row.version,
  nodeCount: row.node_count,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

function holds(expected: Expected, current: number): boolean {
  if (expected === 'anything') return true
  if (expected === 'present') return current > 0
  return current === (expected === 'absent' ? 0 : expected)
}

export class SqlWorkflowStore implements WorkflowStore {
  readonly #database: Database
  readonly #findSql: string
  readonly #versionSql: string

  constructor(database: Database) {
    this.#database = database
    this.#findSql = `
      SELECT w.id, w.name, w.version, w.node_count, w.created_at, w.updated_at, ${database.bytesOf('v.graph')} AS graph
      FROM workflows w
      JOIN workflow_versions v ON v.workspace_id = w.workspace_id AND v.workflow_id = w.id AND v.version = w.version
      WHERE w.workspace_id = ? AND w.id = ?`
    this.#versionSql = `
      SELECT ${database.bytesOf('graph')} AS graph, node_count, created_at FROM workflow_versions
      WHERE workspace_id = ? AND workflow_id = ? AND version = ?`
  }

  async find(workspaceId: string, id: string): Promise<StoredWorkflow | undefined> {
    const row = await this.#database.get<Row & { graph: Uint8Array }>(this.#findSql, workspaceId, id)
    return row && { ...summary(row), graph: row.graph }
  }

  save(workspaceId: string, save: Save): Promise<SaveOutcome> {
    return this.#database.transaction(async transaction => {
      const current = await this.#lock(transaction, workspaceId, save.id)
      if (!holds(save.expected, current?.version ?? 0))
        return { outcome: 'conflict', version: current?.version ?? 0 }
      if (current) return this.#update(transaction, workspaceId, save, current)
      if (await this.#insert(transaction, workspaceId, save)) return { outcome: 'created', version: 1 }
      // Another process made it a moment ago; its row is visible now, so the ordinary way works.
      const made = await this.#lock(transaction, workspaceId, save.id)
      if (!made || !holds(save.expected, made.version))
        return { outcome: 'conflict', version: made?.version ?? 0 }
      return this.#update(transaction, workspaceId, save, made)
    })
  }

  /**
   * The row alone is locked: a lock that had to wait sees the newest row, but a join would still look for
   * the version that was current before, and find nothing.
   */
  #lock(transaction: Transaction, workspaceId: string, id: string): Promise<Row | undefined> {
    return transaction.get<Row>(
      `SELECT id, name, version, node_count, created_at, updated_at FROM workflows
       WHERE workspace_id = ? AND id = ? ${this.#database.forUpdate}`,
      workspaceId,
      id,
    )
  }

  async #insert(transaction: Transaction, workspaceId: string, save: Save): Promise<boolean> {
    const inserted = await transaction.run(
      `INSERT INTO workflows (workspace_id, id, name, search, version, node_count, created_at, updated_at)
       VALUES (?, ?, ?, ?, 1, ?, ?, ?) ON CONFLICT (workspace_id, id) DO NOTHING`,
      workspaceId,
      save.id,
      save.name ?? '',
      searchText(save.name ?? '', save.id),
      save.nodeCount,
      save.at,
      save.at,
    )
    if (inserted > 0) await this.#addVersion(transaction, workspaceId, save, 1, save.at)
    return inserted > 0
  }

  async #update(
    transaction: Transaction,
    workspaceId: string,
    save: Save,
    current: Row,
  ): Promise<SaveOutcome> {
    const name = save.name ?? current.name
    const stored = await transaction.get<{ graph: string }>(
      'SELECT graph FROM workflow_versions WHERE workspace_id = ? AND workflow_id = ? AND version = ?',
      workspaceId,
      save.id,
      current.version,
    )
    if (stored?.graph === save.graph && name === current.name)
      return { outcome: 'unchanged', version: current.version }
    // A new name is a new version too: whoever holds the old ETag has to learn of it.
    const version = current.version + 1
    // A clock that was set back must not make a newer version look older.
    const at = Math.max(save.at, current.updated_at + 1)
    await transaction.run(
      'UPDATE workflows SET name = ?, search = ?, version = ?, node_count = ?, updated_at = ? WHERE workspace_id = ? AND id = ?',
      name,
      searchText(name, save.id),
      version,
      save.nodeCount,
      at,
      workspaceId,
      save.id,
    )
    await this.#addVersion(transaction, workspaceId, save, version, at)
    return { outcome: 'updated', version }
  }

  async #addVersion(
    transaction: Transaction,
    workspaceId: string,
    save: Save,
    version: number,
    at: number,
  ): Promise<void> {
    await transaction.run(
      `INSERT INTO workflow_versions (workspace_id, workflow_id, version, graph, node_count, created_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
      workspaceId,
      save.id,
      version,
      save.graph,
      save.nodeCount,
      at,
    )
  }

  async list(workspaceId: string, keyword: string, page: PageRequest): Promise<Page<WorkflowSummary>> {
    const matches = keyword === '' ? '' : `AND search LIKE ? ESCAPE '\\'`
    const parameters = keyword === '' ? [] : [searchPattern(keyword)]
    const count = await this.#database.get<{ total: number }>(
      `SELECT COUNT(*) AS total FROM workflows WHERE workspace_id = ? ${matches}`,
      workspaceId,
      ...parameters,
    )
    const rows = await this.#database.all<Row>(
      `SELECT id, name, version, node_count, created_at, updated_at FROM workflows
       WHERE workspace_id = ? ${matches} ORDER BY updated_at DESC, id LIMIT ? OFFSET ?`,
      workspaceId,
      ...parameters,
      page.pageSize,
      (page.page - 1) * page.pageSize,
    )
    return { total: count?.total ?? 0, items: rows.map(summary) }
  }

  remove(workspaceId: string, id: string): Promise<boolean> {
    return this.#database.transaction(async transaction => {
      const removed = await transaction.run(
        'DELETE FROM workflows WHERE workspace_id = ? AND id = ?',
        workspaceId,
        id,
      )
      // Where there was none, one may be made this very moment, and its graph is not ours to take.
      if (removed === 0) return false
      for (const table of ['workflow_versions', 'workflow_layouts'])
        await transaction.run(
          `DELETE FROM ${table} WHERE workspace_id = ? AND workflow_id = ?`,
          workspaceId,
          id,
        )
      return true
    })
  }

  async versions(workspaceId: string, id: string, page: PageRequest): Promise<Page<VersionSummary>> {
    const count = await this.#database.get<{ total: number }>(
      'SELECT COUNT(*) AS total FROM workflow_versions WHERE workspace_id = ? AND workflow_id = ?',
      workspaceId,
      id,
    )
    const rows = await this.#database.all<{ version: number; node_count: number; created_at: number }>(
      `SELECT version, node_count, created_at FROM workflow_versions
       WHERE workspace_id = ? AND workflow_id = ? ORDER BY version DESC LIMIT ? OFFSET ?`,
      workspaceId,
      id,
      page.pageSize,
      (page.page - 1) * page.pageSize,
    )
    return {
      total: count?.total ?? 0,
      items: rows.map(row => ({
        version: row.version,
        nodeCount: row.node_count,
        createdAt: row.created_at,
      })),
    }
  }

  async version(workspaceId: string, id: string, version: number): Promise<StoredVersion | undefined> {
    const row = await this.#database.get<{ graph: Uint8Array; node_count: number; created_at: number }>(
      this.#versionSql,
      workspaceId,
      id,
      version,
    )
    return row && { version, graph: row.graph, nodeCount: row.node_count, createdAt: row.created_at }
  }
}
