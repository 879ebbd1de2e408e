import type { Role } from '../contract/access-operations.ts'
import type { Access } from '../contract/operation.ts'
import type { Page, PageRequest } from '../contract/paging.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { CommitCache, type Generation } from '../kernel/commit-cache.ts'
import { mintId } from '../kernel/ids.ts'
import type { AccessStore, TokenRecord, Workspace } from './access-store.ts'
import { isAllowed } from './permissions.ts'
import { hashSecret, mintSecret } from './token-secret.ts'

/** Where the operator's own objects live. It exists from the first start and cannot be deleted. */
export const defaultWorkspaceId = 'default'
const dayMilliseconds = 86_400_000
const knownCallers = 1000
/** No write that began before a workspace was deleted takes longer to end. */
const settleMilliseconds = 600_000

export interface NewToken {
  workspaceId: string
  name: string
  role: Role
  expiresInDays?: number | undefined
  agentIds?: string[] | undefined
}

export class AccessService {
  readonly #store: AccessStore
  readonly #clock: Clock

  /** By the header as it was sent, so that a caller who comes again is known without a look into the database. */
  readonly #known: CommitCache<TokenRecord>

  constructor(store: AccessStore, clock: Clock, generation: Generation) {
    this.#store = store
    this.#clock = clock
    this.#known = new CommitCache(generation, knownCallers)
  }

  /** Who calls, where that is known without asking the database. */
  recognize(authorization: string | undefined): TokenRecord | undefined {
    const token = authorization === undefined ? undefined : this.#known.get(authorization)
    return token && this.#isExpired(token) ? undefined : token
  }

  /** Who calls: the owner of a token that exists and has not expired. */
  async authenticate(authorization: string | undefined): Promise<TokenRecord> {
    if (authorization === undefined)
      throw new AppError('token_missing', 'Send a token as Authorization: Bearer <token>')
    const secret = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(authorization)?.[1]
    const readIn = this.#known.generation()
    const token = secret && (await this.#store.findToken(hashSecret(secret)))
    if (!token || this.#isExpired(token))
      throw new AppError('token_invalid', 'The token is unknown, revoked or expired')
    this.#known.set(authorization, token, 1, readIn)
    return token
  }

  #isExpired({ expiresAt }: TokenRecord): boolean {
    return expiresAt !== undefined && expiresAt <= this.#clock.now()
  }

  authorize(token: TokenRecord, access: Access): void {
    if (isAllowed(token, access)) return
    throw new AppError(
      'forbidden',
      `A token with the role ${token.role} may not do this; it takes ${access} access`,
    )
  }

  /** Makes the default workspace where there is none. True for one process only, at the very first start. */
  openDefaultWorkspace(): Promise<boolean> {
    const createdAt = this.#clock.now()
    return this.#store.addWorkspace({ id: defaultWorkspaceId, name: defaultWorkspaceId, createdAt })
  }

  /** The default workspace and the operator's token. True when the token is new. */
  async bootstrap(secret: string, replace: boolean): Promise<boolean> {
    await this.openDefaultWorkspace()
    const token = this.#record({ workspaceId: defaultWorkspaceId, name: 'operator', role: 'admin' })
    return this.#store.setOperatorToken({ ...token, operator: true }, hashSecret(secret), replace)
  }

  async createToken(token: NewToken): Promise<TokenRecord & { secret: string }> {
    const isRunner = token.role === 'runner'
    if (isRunner !== (token.agentIds ?? []).length > 0)
      throw invalidField(
        '/agent_ids',
        isRunner ? 'a runner needs the agents it may talk to' : 'only a runner is bound to agents',
      )
    const record = this.#record(token)
    const secret = mintSecret()
    if (!(await this.#store.addToken(record, hashSecret(secret))))
      throw new AppError('not_found', `There is no workspace ${token.workspaceId}`, {
        errors: [{ path: '/workspace_id', message: 'names no workspace' }],
      })
    return { ...record, secret }
  }

  /** The workspace that a token acts in. */
  async workspaceOf({ workspaceId }: TokenRecord): Promise<Workspace> {
    const workspace = await this.#store.findWorkspace(workspaceId)
    // Deleted since the gate let the call in.
    if (!workspace) throw new AppError('token_invalid', 'The token is unknown, revoked or expired')
    return workspace
  }

  listTokens(workspaceId: string, page: PageRequest): Promise<Page<TokenRecord>> {
    return this.#store.listTokens(workspaceId, page)
  }

  async deleteToken(workspaceId: string, id: string): Promise<void> {
    if (!(await this.#store.removeToken(workspaceId, id)))
      throw new AppError(
        'not_found',
        `There is no token ${id} to delete; the operator's is only replaced, by BOOTSTRAP_TOKEN`,
      )
  }

  async createWorkspace(name: string): Promise<Workspace & { secret: string }> {
    const workspace = { id: mintId('ws'), name, createdAt: this.#clock.now() }
    const secret = mintSecret()
    const token = this.#record({ workspaceId: workspace.id, name: 'first', role: 'admin' })
    if (!(await this.#store.addWorkspace(workspace, { token, hash: hashSecret(secret) })))
      throw new AppError('already_exists', `There is a workspace named ${name} already`, {
        errors: [{ path: '/name', message: 'is taken' }],
      })
    return { ...workspace, secret }
  }

  listWorkspaces(page: PageRequest): Promise<Page<Workspace>> {
    return this.#store.listWorkspaces(page)
  }

  async deleteWorkspace(id: string): Promise<void> {
    if (id === defaultWorkspaceId)
      throw new AppError('in_use', 'The default workspace holds the operator and stays')
    if (!(await this.#store.removeWorkspace(id, this.#clock.now())))
      throw new AppError('not_found', `There is no workspace ${id}`)
  }

  /** Removes what deleted workspaces left behind, batch by batch, so that other requests get their turn. */
  async purge(signal: AbortSignal): Promise<void> {
    const settledBefore = this.#clock.now() - settleMilliseconds
    while (!signal.aborted && (await this.#store.purge(settledBefore)))
      await new Promise(resolve => setImmediate(resolve))
  }

  #record(token: NewToken): TokenRecord {
    const now = this.#clock.now()
    return {
      id: mintId('tok'),
      workspaceId: token.workspaceId,
      name: token.name,
      role: token.role,
      operator: false,
      agentIds: token.agentIds ?? [],
      createdAt: now,
      expiresAt: token.expiresInDays === undefined ? undefined : now + token.expiresInDays * dayMilliseconds,
    }
  }
}
