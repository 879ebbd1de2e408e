import type { AccessStore, TokenRecord, Workspace } from '../../access/access-store.ts'
import type { Role } from '../../contract/access-operations.ts'
import type { Page, PageRequest } from '../../contract/paging.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { workspaceTables } from '../../database/tables.ts'

interface TokenRow {
  workspace_id: string
  id: string
  name: string
  role: string
  operator: number
  agent_ids: string
  created_at: number
  expires_at: number | null
}

interface WorkspaceRow {
  id: string
  name: string
  created_at: number
}

const tokenColumns = 'workspace_id, id, name, role, operator, agent_ids, created_at, expires_at'

const token = (row: TokenRow): TokenRecord => ({
  id: row.id,
  workspaceId: row.workspace_id,
  name: row.name,
  role: row.role as Role,
  operator: row.operator === 1,
  agentIds: row.agent_ids === '[]' ? [] : (JSON.parse(row.agent_ids) as string[]),
  createdAt: row.created_at,
  expiresAt: row.expires_at ?? undefined,
})

const workspace = (row: WorkspaceRow): Workspace => ({
  id: row.id,
  name: row.name,
  createdAt: row.created_at,
})

const purgeBatch = 500

export class SqlAccessStore implements AccessStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  addWorkspace(
    { id, name, createdAt }: Workspace,
    first?: { token: TokenRecord; hash: string },
  ): Promise<boolean> {
    return this.#database.transaction(async transaction => {
      const sql = 'INSERT INTO workspaces (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
      if ((await transaction.run(sql, id, name, createdAt)) === 0) return false
      if (first) await this.#insertToken(transaction, first.token, first.hash)
      return true
    })
  }

  async findWorkspace(id: string): Promise<Workspace | undefined> {
    const row = await this.#database.get<WorkspaceRow>(
      'SELECT id, name, created_at FROM workspaces WHERE id = ? AND deleted_at IS NULL',
      id,
    )
    return row && workspace(row)
  }

  async listWorkspaces(page: PageRequest): Promise<Page<Workspace>> {
    const count = await this.#database.get<{ total: number }>(
      'SELECT COUNT(*) AS total FROM workspaces WHERE deleted_at IS NULL',
    )
    const rows = await this.#database.all<WorkspaceRow>(
      'SELECT id, name, created_at FROM workspaces WHERE deleted_at IS NULL ORDER BY created_at, id LIMIT ? OFFSET ?',
      page.pageSize,
      (page.page - 1) * page.pageSize,
    )
    return { total: count?.total ?? 0, items: rows.map(workspace) }
  }

  removeWorkspace(id: string, at: number): Promise<boolean> {
    return this.#database.transaction(async transaction => {
      // The name is free again at once; the id in its place is never used twice.
      const removed = await transaction.run(
        `UPDATE workspaces SET deleted_at = ?, name = 'deleted ' || id WHERE id = ? AND deleted_at IS NULL`,
        at,
        id,
      )
      await transaction.run('DELETE FROM tokens WHERE workspace_id = ?', id)
      return removed > 0
    })
  }

  purge(settledBefore: number): Promise<boolean> {
    return this.#database.transaction(async transaction => {
      const deleted = await transaction.all<{ id: string; deleted_at: number }>(
        'SELECT id, deleted_at FROM workspaces WHERE deleted_at IS NOT NULL ORDER BY deleted_at',
      )
      for (const { id, deleted_at } of deleted) {
        for (const table of workspaceTables) if (await this.#purgeTable(transaction, table, id)) return true
        if (deleted_at < settledBefore)
          return (await transaction.run('DELETE FROM workspaces WHERE id = ?', id)) > 0
      }
      return false
    })
  }

  async #purgeTable(transaction: Transaction, table: string, workspaceId: string): Promise<boolean> {
    const row = this.#database.rowName
    const sql = `DELETE FROM ${table} WHERE ${row} IN (SELECT ${row} FROM ${table} WHERE workspace_id = ? LIMIT ${purgeBatch})`
    return (await transaction.run(sql, workspaceId)) > 0
  }

  addToken(record: TokenRecord, hash: string): Promise<boolean> {
    return this.#database.transaction(async transaction => {
      const alive = await transaction.get(
        `SELECT 1 AS one FROM workspaces WHERE id = ? AND deleted_at IS NULL ${this.#database.forUpdate}`,
        record.workspaceId,
      )
      if (!alive) return false
      await this.#insertToken(transaction, record, hash)
      return true
    })
  }

  async #insertToken(transaction: Transaction, record: TokenRecord, hash: string): Promise<void> {
    await transaction.run(
      `INSERT INTO tokens (${tokenColumns}, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      record.workspaceId,
      record.id,
      record.name,
      record.role,
      record.operator ? 1 : 0,
      JSON.stringify(record.agentIds),
      record.createdAt,
      record.expiresAt ?? null,
      hash,
    )
  }

  async findToken(hash: string): Promise<TokenRecord | undefined> {
    const row = await this.#database.get<TokenRow>(`SELECT ${tokenColumns} FROM tokens WHERE hash = ?`, hash)
    return row && token(row)
  }

  async listTokens(workspaceId: string, page: PageRequest): Promise<Page<TokenRecord>> {
    const count = await this.#database.get<{ total: number }>(
      'SELECT COUNT(*) AS total FROM tokens WHERE workspace_id = ?',
      workspaceId,
    )
    const rows = await this.#database.all<TokenRow>(
      `SELECT ${tokenColumns} FROM tokens WHERE workspace_id = ? ORDER BY created_at, id LIMIT ? OFFSET ?`,
      workspaceId,
      page.pageSize,
      (page.page - 1) * page.pageSize,
    )
    return { total: count?.total ?? 0, items: rows.map(token) }
  }

  removeToken(workspaceId: string, id: string): Promise<boolean> {
    return this.#database.transaction(async transaction => {
      const sql = 'DELETE FROM tokens WHERE workspace_id = ? AND id = ? AND operator = 0'
      return (await transaction.run(sql, workspaceId, id)) > 0
    })
  }

  setOperatorToken(record: TokenRecord, hash: string, replace: boolean): Promise<boolean> {
    return this.#database.transaction(async transaction => {
      // Locking the workspace's row makes two processes that start at once take turns.
      await transaction.get(
        `SELECT 1 AS one FROM workspaces WHERE id = ? ${this.#database.forUpdate}`,
        record.workspaceId,
      )
      const current = await transaction.get<{ hash: string }>(
        'SELECT hash FROM tokens WHERE operator = 1 LIMIT 1',
      )
      if (current && (!replace || current.hash === hash)) return false
      await transaction.run('DELETE FROM tokens WHERE operator = 1 OR hash = ?', hash)
      await this.#insertToken(transaction, record, hash)
      return true
    })
  }
}
