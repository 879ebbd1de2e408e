import type { Role } from '../contract/access-operations.ts'
import type { Page, PageRequest } from '../contract/paging.ts'

export interface Workspace {
  id: string
  name: string
  createdAt: number
}

export interface TokenRecord {
  id: string
  workspaceId: string
  name: string
  role: Role
  /** The operator's token may also manage workspaces. */
  operator: boolean
  agentIds: string[]
  createdAt: number
  expiresAt: number | undefined
}

export interface AccessStore {
  /** Adds it together with its first token; false when the name or the id is taken. */
  addWorkspace(workspace: Workspace, first?: { token: TokenRecord; hash: string }): Promise<boolean>
  findWorkspace(id: string): Promise<Workspace | undefined>
  listWorkspaces(page: PageRequest): Promise<Page<Workspace>>
  /** Takes away its tokens and hides it at once; false when there is none. The rest is left to `purge`. */
  removeWorkspace(id: string, at: number): Promise<boolean>
  /**
   * Removes a batch of what deleted workspaces left behind; false when there is nothing more to do now. One that was
   * deleted after `settledBefore` is kept in mind: a write that was under way then may still add a row.
   */
  purge(settledBefore: number): Promise<boolean>

  /** False when the workspace is gone, so that no token outlives it. */
  addToken(token: TokenRecord, hash: string): Promise<boolean>
  findToken(hash: string): Promise<TokenRecord | undefined>
  listTokens(workspaceId: string, page: PageRequest): Promise<Page<TokenRecord>>
  /** False when there is none, or when it is the operator's, which is only ever replaced. */
  removeToken(workspaceId: string, id: string): Promise<boolean>
  /** Makes `hash` the operator's token. With `replace` false an existing one stays. True when it changed. */
  setOperatorToken(token: TokenRecord, hash: string, replace: boolean): Promise<boolean>
}
