import type { Role } from '../contract/access-operations.ts'
import type { Page, PageRequest } from '../contract/paging.ts'
import { Order } from '../database/order.ts'
import { readPage } from '../database/page.ts'
import { raw, sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { as, flag, integer, json, optional, type RowOf, table, text } from '../database/table.ts'
import { workspaceTables } from '../database/tables.ts'

/** 0: unlimited. The server settings apply to absent limits. */
export interface WorkspaceLimits {
  callsPerMinute?: number
  concurrentRuns?: number
  storageBytes?: number
  documents?: number
  tokensPerDay?: number
}

export const workspaces = table('workspaces', {
  id: text(),
  name: text(),
  createdAt: integer(),
  deletedAt: optional(integer()),
  limits: optional(json<WorkspaceLimits>()),
})

export const tokens = table('tokens', {
  workspaceId: text(),
  id: text(),
  name: text(),
  role: text<Role>(),
  /** The operator's token may also manage workspaces. */
  operator: flag(),
  agentIds: json<string[]>(),
  /** A runner that is bound to a user acts for no other. */
  userId: optional(text()),
  hash: text(),
  createdAt: integer(),
  expiresAt: optional(integer()),
})

export type Workspace = Omit<RowOf<typeof workspaces>, 'deletedAt' | 'limits'> & {
  limits?: WorkspaceLimits | undefined
}
export type TokenRecord = Omit<RowOf<typeof tokens>, 'hash'> & {
  /** The limits of its workspace; only set if the token was looked up by its secret. */
  limits?: WorkspaceLimits | undefined
}

const workspaceColumns = workspaces.columns('id', 'name', 'createdAt', 'limits')
const tokenKeys = tokens.keysExcept('hash')
const tokenColumns = tokens.columns(...tokenKeys)
const joinedTokenColumns = tokens.columnsOf('t', ...tokenKeys)
const joinedLimits = workspaces.columnsOf('w', 'limits')

const tokenBy = (hash: string) =>
  sql`SELECT ${joinedTokenColumns}, ${joinedLimits} FROM tokens t JOIN workspaces w ON w.id = t.workspace_id WHERE t.hash = ${hash}`

/** The workspace of a request and the limits it has of its own. */
export type QuotaScope = Pick<TokenRecord, 'workspaceId' | 'limits'>

const oldestFirst = new Order('created_at', 'id')
const purgeBatch = 500

export class AccessStore extends Store {
  /** Adds a workspace together with its first token; false if the name or id exists. */
  addWorkspace(workspace: Workspace, first?: { token: TokenRecord; hash: string }): Promise<boolean> {
    return this.database.transaction(async transaction => {
      const added = await transaction.run(sql`${workspaces.insert(workspace)} ON CONFLICT DO NOTHING`)
      if (added > 0 && first) await transaction.run(tokens.insert({ ...first.token, hash: first.hash }))
      return added > 0
    })
  }

  findWorkspace(id: string): Promise<Workspace | undefined> {
    return this.database.get(
      sql`SELECT ${workspaceColumns} FROM workspaces WHERE id = ${id} AND deleted_at IS NULL`,
    )
  }

  /** For a caller without a token. */
  async scopeOf(workspaceId: string): Promise<QuotaScope> {
    return { workspaceId, limits: (await this.findWorkspace(workspaceId))?.limits }
  }

  listWorkspaces(page: PageRequest): Promise<Page<Workspace>> {
    const list = { workspaceId: '', columns: workspaceColumns, source: workspaces, order: oldestFirst, page }
    return readPage(this.database, { ...list, where: sql`deleted_at IS NULL` })
  }

  /** Changes the limits of a workspace; undefined if it does not exist. Null restores the limit of the server settings. */
  setLimits(
    id: string,
    change: { [Name in keyof WorkspaceLimits]: WorkspaceLimits[Name] | null },
  ): Promise<Workspace | undefined> {
    return this.database.transaction(async transaction => {
      const workspace = await transaction.get(
        sql`SELECT ${workspaceColumns} FROM workspaces WHERE id = ${id} AND deleted_at IS NULL ${this.database.forUpdate}`,
      )
      if (!workspace) return undefined
      const kept = Object.entries({ ...workspace.limits, ...change }).filter(([, value]) => value !== null)
      const limits: WorkspaceLimits = Object.fromEntries(kept)
      await transaction.run(sql`UPDATE workspaces SET ${workspaces.set({ limits })} WHERE id = ${id}`)
      return { ...workspace, limits }
    })
  }

  /** Stops all its work and hides it at once; `purge` deletes the rest. Returns the leases of its runs. */
  removeWorkspace(id: string, at: number): Promise<string[] | undefined> {
    return this.database.deletion(async transaction => {
      // The new name contains the id, which is never reused, so that the old name is free again.
      const removed = await transaction.run(
        sql`UPDATE workspaces SET deleted_at = ${at}, name = 'deleted ' || id WHERE id = ${id} AND deleted_at IS NULL`,
      )
      await transaction.run(sql`DELETE FROM tokens WHERE workspace_id = ${id}`)
      // Without a lease no process can store a step of its runs, and so none starts the next one.
      const active = sql`runs WHERE workspace_id = ${id} AND due_at IS NOT NULL`
      const held = await transaction.all(sql`SELECT lease ${as('lease', optional(text()))} FROM ${active}`)
      await transaction.run(
        sql`UPDATE runs SET status = 'stopped', lease = NULL, due_at = NULL
          WHERE workspace_id = ${id} AND due_at IS NOT NULL`,
      )
      await transaction.run(
        sql`UPDATE triggers SET due_at = NULL WHERE workspace_id = ${id} AND due_at IS NOT NULL`,
      )
      for (const queue of ['readings', 'web_pages', 'golden_runs', 'test_runs'])
        await transaction.run(
          sql`UPDATE ${raw(queue)} SET lease = NULL, due_at = NULL WHERE workspace_id = ${id} AND due_at IS NOT NULL`,
        )
      return removed > 0 ? held.flatMap(({ lease }) => lease ?? []) : undefined
    })
  }

  /** False if nothing is left to do now. The row of a workspace stays a while: a write in progress may add rows. */
  async purge(settledBefore: number): Promise<boolean> {
    const deleted = await this.database.all(
      sql`SELECT ${workspaces.columns('id', 'deletedAt')} FROM workspaces WHERE deleted_at IS NOT NULL ORDER BY deleted_at`,
    )
    if (deleted.length === 0) return false
    return this.database.deletion(async transaction => {
      for (const { id, deletedAt } of deleted) {
        const rows = sql`workspace_id = ${id}`
        for (const name of workspaceTables)
          if ((await this.deleteSome(transaction, raw(name), rows, purgeBatch)) > 0) return true
        if (deletedAt! < settledBefore)
          return (await transaction.run(sql`DELETE FROM workspaces WHERE id = ${id}`)) > 0
      }
      return false
    }, true)
  }

  /** False if the workspace is deleted, so that no token outlives it. */
  addToken(token: TokenRecord, hash: string): Promise<boolean> {
    return this.database.transaction(async transaction => {
      const workspace = await transaction.get(
        sql`SELECT id FROM workspaces WHERE id = ${token.workspaceId} AND deleted_at IS NULL ${this.database.forUpdate}`,
      )
      if (workspace) await transaction.run(tokens.insert({ ...token, hash }))
      return workspace !== undefined
    })
  }

  findToken(hash: string): Promise<TokenRecord | undefined> {
    return this.database.get(tokenBy(hash))
  }

  /** See `Database.getNow`. */
  findTokenNow(hash: string): TokenRecord | undefined {
    return this.database.getNow(tokenBy(hash))
  }

  listTokens(workspaceId: string, page: PageRequest): Promise<Page<TokenRecord>> {
    const list = { workspaceId, columns: tokenColumns, source: tokens, order: oldestFirst, page }
    return readPage(this.database, { ...list, where: tokens.where({ workspaceId }) })
  }

  /** False if it does not exist or is the operator's token, which can only be replaced. */
  async removeToken(workspaceId: string, id: string): Promise<boolean> {
    return (await this.runDeletion(tokens.delete({ workspaceId, id, operator: false }))) > 0
  }

  /** Makes `hash` the operator's token. Without `replace` an existing one stays. True if it changed. */
  setOperatorToken(token: TokenRecord, hash: string, replace: boolean): Promise<boolean> {
    return this.database.transaction(async transaction => {
      // The lock on the workspace serializes processes that start at the same time.
      await transaction.get(
        sql`SELECT id FROM workspaces WHERE id = ${token.workspaceId} ${this.database.forUpdate}`,
      )
      const current = await transaction.get(
        sql`SELECT ${tokens.columns('hash')} FROM tokens WHERE operator = 1 LIMIT 1`,
      )
      if (current && (!replace || current.hash === hash)) return false
      await transaction.run(sql`DELETE FROM tokens WHERE operator = 1 OR hash = ${hash}`)
      await transaction.run(tokens.insert({ ...token, hash }))
      return true
    })
  }
}
