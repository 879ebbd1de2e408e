import type { Page, PageRequest } from '../contract/paging.ts'
import { countRows, type Reader } from '../database/database.ts'
import { hasKeyword, searchText } from '../database/keyword.ts'
import { Order } from '../database/order.ts'
import { readPage } from '../database/page.ts'
import { list, sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { integer, json, type RowOf, table, text } from '../database/table.ts'
import type { JsonRecord } from '../workflow/json-record.ts'

export const sharedTools = table('shared_tools', {
  workspaceId: text(),
  id: text(),
  name: text(),
  /** The name and the description, for keywords. */
  search: text(),
  type: text<'http' | 'mcp'>(),
  /** The settings as in a tool of an llm node, without the type and the name. */
  settings: json<JsonRecord>(),
  createdAt: integer(),
  updatedAt: integer(),
  /** The name of the token that changed it last. */
  updatedBy: text(),
})

export type SharedTool = Omit<RowOf<typeof sharedTools>, 'workspaceId' | 'search'>

const columns = sharedTools.columns(...sharedTools.keysExcept('workspaceId', 'search'))
const byName = new Order('name', 'id')

const searchOf = ({ name, settings }: SharedTool): string =>
  searchText(name, String(settings['description'] ?? ''), String(settings['url'] ?? ''))

export class SharedToolStore extends Store {
  /** Adds a tool; returns the reason if it cannot be added. */
  add(workspaceId: string, tool: SharedTool, max: number): Promise<'too_many' | 'taken' | undefined> {
    return this.database.transaction(async transaction => {
      if (!(await this.#lock(transaction, workspaceId))) return 'too_many'
      const all = sql`shared_tools WHERE ${sharedTools.where({ workspaceId })}`
      if ((await countRows(transaction, all)) >= max) return 'too_many'
      if (await isTaken(transaction, workspaceId, tool)) return 'taken'
      await transaction.run(sharedTools.insert({ workspaceId, ...tool, search: searchOf(tool) }))
      return undefined
    })
  }

  /** Lets concurrent requests see each other's names and count. False if the workspace was deleted. */
  async #lock(transaction: Reader, workspaceId: string): Promise<boolean> {
    const row = await transaction.get(
      sql`SELECT id FROM workspaces WHERE id = ${workspaceId} AND deleted_at IS NULL ${this.database.forUpdate}`,
    )
    return row !== undefined
  }

  /** Undefined where there is none, 'taken' when another tool has the name. `change` may run again after a conflict. */
  update(
    workspaceId: string,
    id: string,
    change: (tool: SharedTool) => SharedTool,
  ): Promise<SharedTool | 'taken' | undefined> {
    return this.database.transaction(async transaction => {
      await this.#lock(transaction, workspaceId)
      const key = sharedTools.where({ workspaceId, id })
      const before = await transaction.get(
        sql`SELECT ${columns} FROM shared_tools WHERE ${key} ${this.database.forUpdate}`,
      )
      if (!before) return undefined
      const after = change(before)
      if (await isTaken(transaction, workspaceId, after)) return 'taken'
      const { id: _, createdAt: __, ...values } = after
      await transaction.run(sharedTools.update(key, { ...values, search: searchOf(after) }))
      return after
    })
  }

  async find(workspaceId: string, id: string): Promise<SharedTool | undefined> {
    return (await this.findMany(workspaceId, [id]))[0]
  }

  async findMany(workspaceId: string, ids: readonly string[]): Promise<SharedTool[]> {
    if (ids.length === 0) return []
    return this.database.all(
      sql`SELECT ${columns} FROM shared_tools WHERE workspace_id = ${workspaceId} AND id IN ${list(ids)}`,
    )
  }

  async types(workspaceId: string): Promise<[id: string, type: SharedTool['type']][]> {
    const rows = await this.database.all(
      sql`SELECT ${sharedTools.columns('id', 'type')} FROM shared_tools WHERE workspace_id = ${workspaceId}`,
    )
    return rows.map(({ id, type }) => [id, type])
  }

  /** By name. The few tools of a workspace need no index for a keyword. */
  list(workspaceId: string, keyword: string, page: PageRequest): Promise<Page<SharedTool>> {
    return readPage(this.database, {
      ...{ workspaceId, columns, source: sharedTools, order: byName, page },
      where: sharedTools.where({ workspaceId }),
      filter: keyword === '' ? undefined : hasKeyword(keyword),
    })
  }

  async remove(workspaceId: string, id: string): Promise<boolean> {
    return (await this.runDeletion(sharedTools.delete({ workspaceId, id }))) > 0
  }
}

async function isTaken(transaction: Reader, workspaceId: string, { id, name }: SharedTool): Promise<boolean> {
  const others = sql`shared_tools WHERE ${sharedTools.where({ workspaceId, name })} AND id <> ${id}`
  return (await countRows(transaction, others)) > 0
}
