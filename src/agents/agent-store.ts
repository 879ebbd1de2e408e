import type { Page, PageRequest } from '../contract/paging.ts'
import { inWorkspace, keywordFilter, searchText } from '../database/keyword.ts'
import { Order } from '../database/order.ts'
import { readPage } from '../database/page.ts'
import { list, sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { integer, json, optional, table, text } from '../database/table.ts'
import { holdsId, someUsers, type WorkflowUser } from '../workflow/used-by.ts'
import type { Agent, AgentAccess, AgentSummary } from './agent.ts'

export const agents = table('agents', {
  workspaceId: text(),
  id: text(),
  name: text(),
  search: text(),
  access: text<AgentAccess>(),
  createdAt: integer(),
  updatedAt: integer(),
  deletedAt: optional(integer()),
  intro: text(),
  memory: json<Agent['memory']>(),
  learn: json<Agent['learn']>(),
  config: json<Agent['config']>(),
  allowedOrigins: json<readonly string[]>(),
})

const summary = agents.columns('id', 'name', 'access', 'createdAt', 'updatedAt', 'intro', 'config')
const details = agents.columns('memory', 'learn', 'allowedOrigins')
const workspace = agents.columns('workspaceId')
const order = new Order('updated_at DESC', 'id')

/** A deleted agent is never found and never changed; `ConversationSweep` removes its rows later. */
export class AgentStore extends Store {
  async add(workspaceId: string, agent: Agent): Promise<void> {
    const row = { workspaceId, ...agent, search: searchText(agent.name, agent.id) }
    await this.run(agents.insert(row))
  }

  /** Changes an agent under a lock, so that no concurrent change is lost. `change` may be called again after a conflict. */
  update(workspaceId: string, id: string, change: (agent: Agent) => Agent): Promise<Agent | undefined> {
    return this.database.transaction(async transaction => {
      const key = agents.where({ workspaceId, id })
      const before = await transaction.get(
        sql`SELECT ${summary}, ${details} FROM agents WHERE ${key} AND deleted_at IS NULL ${this.database.forUpdate}`,
      )
      if (!before) return undefined
      const agent = change(before)
      const { name, access, allowedOrigins, updatedAt, intro, memory, learn, config } = agent
      const search = searchText(name, id)
      const values = agents.set({
        ...{ name, search, access, allowedOrigins, updatedAt, intro, memory, learn, config },
      })
      await transaction.run(sql`UPDATE agents SET ${values} WHERE ${key}`)
      return agent
    })
  }

  async find(workspaceId: string, id: string): Promise<Agent | undefined> {
    return (await this.findMany(workspaceId, [id]))[0]
  }

  /** The only lookup by id alone: it finds only public agents of workspaces that are not deleted. */
  async findPublic(id: string): Promise<{ workspaceId: string; agent: Agent } | undefined> {
    const row = await this.database.get(sql`
      SELECT ${workspace}, ${summary}, ${details} FROM agents
      WHERE id = ${id} AND access = 'public' AND deleted_at IS NULL AND NOT EXISTS
        (SELECT 1 FROM workspaces w WHERE w.id = agents.workspace_id AND w.deleted_at IS NOT NULL)`)
    if (!row) return undefined
    const { workspaceId, ...agent } = row
    return { workspaceId, agent }
  }

  async findMany(workspaceId: string, ids: readonly string[]): Promise<Agent[]> {
    if (ids.length === 0) return []
    return this.database.all(sql`
      SELECT ${summary}, ${details} FROM agents
      WHERE workspace_id = ${workspaceId} AND id IN ${list(ids)} AND deleted_at IS NULL`)
  }

  /** Most recently updated first. */
  list(workspaceId: string, keyword: string, page: PageRequest): Promise<Page<AgentSummary>> {
    const where = sql`workspace_id = ${workspaceId} AND deleted_at IS NULL`
    const indexedFilter = keywordFilter(this.database, inWorkspace('agents', workspaceId), keyword)
    const list = { workspaceId, columns: summary, source: agents, where, order, page, indexedFilter }
    return readPage(this.database, list)
  }

  /** Agents that run a workflow, have it or a shared tool as a tool, or answer from a knowledge base. */
  async usersOf(workspaceId: string, usedId: string): Promise<WorkflowUser[]> {
    const { dialect } = this.database
    const found = await this.database.background(workspaceId).all(sql`
      SELECT ${agents.columns('id', 'name')} FROM agents WHERE workspace_id = ${workspaceId} AND deleted_at IS NULL
        AND (${holdsId(dialect, 'config', usedId)} OR ${holdsId(dialect, 'learn', usedId)}) ${someUsers}`)
    return found.map(row => ({ kind: 'agent', ...row }))
  }

  /** Up to two agents with this name, the most recently updated first. */
  async named(workspaceId: string, name: string): Promise<Agent[]> {
    const { items } = await readPage(this.database, {
      ...{ workspaceId, columns: summary, source: agents, order, page: { page: 1, pageSize: 2 } },
      where: sql`workspace_id = ${workspaceId} AND deleted_at IS NULL`,
      filter: sql`name = ${name}`,
      indexedFilter: keywordFilter(this.database, inWorkspace('agents', workspaceId), name),
    })
    return this.findMany(
      workspaceId,
      items.map(({ id }) => id),
    )
  }

  /** Hides it together with its conversations; false when there is none. */
  async remove(workspaceId: string, id: string, deletedAt: number): Promise<boolean> {
    const agent = sql`${agents.where({ workspaceId, id })} AND deleted_at IS NULL`
    return (await this.runDeletion(agents.update(agent, { deletedAt }))) > 0
  }
}
