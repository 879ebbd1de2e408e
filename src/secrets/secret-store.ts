import type { Page, PageRequest } from '../contract/paging.ts'
import { countRows } from '../database/database.ts'
import { Order } from '../database/order.ts'
import { readPage } from '../database/page.ts'
import { list, sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { integer, type RowOf, table, text } from '../database/table.ts'

export const secrets = table('secrets', {
  workspaceId: text(),
  name: text(),
  sealed: text(),
  createdAt: integer(),
  updatedAt: integer(),
  /** The name of the token that set the value. */
  updatedBy: text(),
})

export type StoredSecret = Omit<RowOf<typeof secrets>, 'workspaceId'>

const columns = secrets.columns('name', 'sealed', 'createdAt', 'updatedAt', 'updatedBy')
const order = new Order('name')

export class SecretStore extends Store {
  /** Stores a secret; undefined if the workspace has the maximum number. A replaced secret keeps its creation time. */
  set(workspaceId: string, secret: StoredSecret, { maxSecrets }: { maxSecrets: number }) {
    return this.database.transaction(async transaction => {
      const before = await transaction.get(secrets.select(columns, { workspaceId, name: secret.name }))
      const all = sql`secrets WHERE ${secrets.where({ workspaceId })}`
      if (!before && (await countRows(transaction, all)) >= maxSecrets) return undefined
      const { sealed, updatedAt, updatedBy } = secret
      const change = { sealed, updatedAt, updatedBy }
      // Another process may set it for the first time at this very moment.
      await transaction.run(
        sql`${secrets.insert({ workspaceId, ...secret })} ON CONFLICT (workspace_id, name) DO UPDATE SET ${secrets.set(change)}`,
      )
      return { secret: { ...secret, createdAt: before?.createdAt ?? secret.createdAt }, isNew: !before }
    })
  }

  list(workspaceId: string, page: PageRequest): Promise<Page<StoredSecret>> {
    const where = secrets.where({ workspaceId })
    return readPage(this.database, { workspaceId, columns, source: secrets, where, order, page })
  }

  async names(workspaceId: string): Promise<string[]> {
    const rows = await this.database.all(secrets.select(secrets.columns('name'), { workspaceId }))
    return rows.map(({ name }) => name)
  }

  findMany(workspaceId: string, names: readonly string[]): Promise<StoredSecret[]> {
    return this.database.all(
      sql`SELECT ${columns} FROM secrets WHERE workspace_id = ${workspaceId} AND name IN ${list(names)}`,
    )
  }

  async remove(workspaceId: string, name: string): Promise<boolean> {
    return (await this.runDeletion(secrets.delete({ workspaceId, name }))) > 0
  }
}
