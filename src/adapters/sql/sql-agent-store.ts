import type { Agent, AgentAccess, AgentSummary } from '../../agents/agent.ts'
import type { AgentStore } from '../../agents/agent-store.ts'
import type { Page, PageRequest } from '../../contract/paging.ts'
import type { Database } from '../../database/database.ts'
import { marks, searchPattern, searchText } from '../../database/sql.ts'

interface Row {
  workspace_id: string
  id: string
  name: string
  access: string
  created_at: number
  updated_at: number
  intro: string
  memory: string
  learn: string
  config: string
}

const columns = 'workspace_id, id, name, access, created_at, updated_at, intro, memory, learn, config'

const summaryColumns = 'id, name, access, created_at, updated_at, intro, config'

const summaryOf = (row: Omit<Row, 'memory' | 'learn'>): AgentSummary => ({
  id: row.id,
  name: row.name,
  intro: row.intro,
  config: JSON.parse(row.config) as Agent['config'],
  access: row.access as AgentAccess,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const agentOf = (row: Row): Agent => ({
  ...summaryOf(row),
  memory: JSON.parse(row.memory) as Agent['memory'],
  learn: JSON.parse(row.learn) as Agent['learn'],
})

export class SqlAgentStore implements AgentStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async add(workspaceId: string, agent: Agent): Promise<void> {
    await this.#database.transaction(transaction =>
      transaction.run(
        `INSERT INTO agents (${columns}, search) VALUES (${marks(11)})`,
        workspaceId,
        agent.id,
        agent.name,
        agent.access,
        agent.createdAt,
        agent.updatedAt,
        agent.intro,
        JSON.stringify(agent.memory),
        JSON.stringify(agent.learn),
        JSON.stringify(agent.config),
        searchText(agent.name, agent.id),
      ),
    )
  }

  update(workspaceId: string, id: string, change: (agent: Agent) => Agent): Promise<Agent | undefined> {
    return this.#database.transaction(async transaction => {
      const row = await transaction.get<Row>(
        `SELECT ${columns} FROM agents WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL ${this.#database.forUpdate}`,
        workspaceId,
        id,
      )
      if (!row) return undefined
      const agent = change(agentOf(row))
      await transaction.run(
        `UPDATE agents SET name = ?, search = ?, access = ?, updated_at = ?, intro = ?, memory = ?, learn = ?, config = ?
         WHERE workspace_id = ? AND id = ?`,
        agent.name,
        searchText(agent.name, id),
        agent.access,
        agent.updatedAt,
        agent.intro,
        JSON.stringify(agent.memory),
        JSON.stringify(agent.learn),
        JSON.stringify(agent.config),
        workspaceId,
        id,
      )
      return agent
    })
  }

  async find(workspaceId: string, id: string): Promise<Agent | undefined> {
    return (await this.findMany(workspaceId, [id]))[0]
  }

  async findPublic(id: string): Promise<{ workspaceId: string; agent: Agent } | undefined> {
    // A deleted workspace keeps its rows for a while, and nobody may use them any more.
    const row = await this.#database.get<Row>(
      `SELECT ${columns} FROM agents WHERE id = ? AND access = 'public' AND deleted_at IS NULL AND NOT EXISTS
         (SELECT 1 FROM workspaces w WHERE w.id = agents.workspace_id AND w.deleted_at IS NOT NULL)`,
      id,
    )
    return row && { workspaceId: row.workspace_id, agent: agentOf(row) }
  }

  async findMany(workspaceId: string, ids: readonly string[]): Promise<Agent[]> {
    if (ids.length === 0) return []
    const rows = await this.#database.all<Row>(
      `SELECT ${columns} FROM agents WHERE workspace_id = ? AND id IN (${marks(ids.length)}) AND deleted_at IS NULL`,
      workspaceId,
      ...ids,
    )
    return rows.map(agentOf)
  }

  async list(workspaceId: string, keyword: string, page: PageRequest): Promise<Page<AgentSummary>> {
    const matches = keyword === '' ? '' : `AND search LIKE ? ESCAPE '\\'`
    const parameters = keyword === '' ? [] : [searchPattern(keyword)]
    const where = `WHERE workspace_id = ? AND deleted_at IS NULL ${matches}`
    const count = await this.#database.get<{ total: number }>(
      `SELECT COUNT(*) AS total FROM agents ${where}`,
      workspaceId,
      ...parameters,
    )
    const rows = await this.#database.all<Row>(
      `SELECT ${summaryColumns} FROM agents ${where} ORDER BY updated_at DESC, id LIMIT ? OFFSET ?`,
      workspaceId,
      ...parameters,
      page.pageSize,
      (page.page - 1) * page.pageSize,
    )
    return { total: count?.total ?? 0, items: rows.map(summaryOf) }
  }

  remove(workspaceId: string, id: string, at: number): Promise<boolean> {
    return this.#database.transaction(
      async transaction =>
        (await transaction.run(
          'UPDATE agents SET deleted_at = ? WHERE workspace_id = ? AND id = ? AND deleted_at IS NULL',
          at,
          workspaceId,
          id,
        )) > 0,
    )
  }
}
