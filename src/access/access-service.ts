import type { Role } from '../contract/access-operations.ts'
import type { Access } from '../contract/operation.ts'
import { AppError, invalidField, refuseBlank } from '../kernel/app-error.ts'
import { type Clock, dayMilliseconds } from '../kernel/clock.ts'
import { CommitCache, type Generation } from '../kernel/commit-cache.ts'
import { mintId } from '../kernel/ids.ts'
import { LruMap } from '../kernel/lru-map.ts'
import { nextTurn } from '../kernel/pause.ts'
import type { AccessStore, TokenRecord, Workspace } from './access-store.ts'
import { isAllowed } from './permissions.ts'
import { hashSecret, mintSecret } from './token-secret.ts'

const noWorkspace = (id: string): AppError => new AppError('not_found', `The workspace ${id} does not exist`)

/** The operator's workspace. It exists from the first start and cannot be deleted. */
export const defaultWorkspaceId = 'default'
const maxCachedTokens = 1000
const maxRememberedTokens = 10_000
/** Every write that began before a workspace was deleted has ended after this long. */
const settleMilliseconds = 600_000

interface NewToken {
  workspaceId: string
  name: string
  role: Role
  expiresInDays?: number | undefined
  agentIds?: string[] | undefined
  userId?: string | undefined
}

export class AccessService {
  readonly store: AccessStore
  readonly #clock: Clock

  readonly #changed: () => void
  /** Tokens by the whole Authorization header, so that a returning client needs no database lookup. */
  readonly #tokens: CommitCache<TokenRecord>
  /** Authorization headers that were valid lately, with the hashes of their secrets. */
  readonly #valid = new LruMap<string, string>(maxRememberedTokens)

  /** `generation` returns the generation of tokens and workspaces; `changed` starts a new one. */
  constructor(store: AccessStore, clock: Clock, generation: Generation, changed: () => void = () => {}) {
    this.store = store
    this.#clock = clock
    this.#changed = changed
    this.#tokens = new CommitCache(generation, maxCachedTokens)
  }

  /** A number that changes when a client may have lost its access. */
  generation(): number | undefined {
    return this.#tokens.generation()
  }

  /** The token of a request at once, if it was valid lately and can be looked up so. */
  recognize(authorization: string | undefined): TokenRecord | undefined {
    if (authorization === undefined) return undefined
    const token = this.#tokens.get(authorization) ?? this.#lookUpAgain(authorization)
    return token && this.#isExpired(token) ? undefined : token
  }

  #lookUpAgain(authorization: string): TokenRecord | undefined {
    const hash = this.#valid.get(authorization)
    if (hash === undefined) return undefined
    const readIn = this.#tokens.generation()
    const token = this.store.findTokenNow(hash)
    if (token) this.#tokens.set(authorization, token, 1, readIn)
    return token
  }

  /** Whether the token was valid lately, so that sending it again is no guess. */
  wasValid(authorization: string): boolean {
    return this.#valid.get(authorization) !== undefined
  }

  /** The token of a request; it must exist and not be expired. */
  async authenticate(authorization: string | undefined): Promise<TokenRecord> {
    if (authorization === undefined)
      throw new AppError('token_missing', 'Send a token as Authorization: Bearer <token>')
    const secret = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(authorization)?.[1]
    const readIn = this.#tokens.generation()
    const hash = secret && hashSecret(secret)
    const token = hash && (await this.store.findToken(hash))
    if (!token || this.#isExpired(token))
      throw new AppError('token_invalid', 'The token is unknown, revoked or expired')
    this.#tokens.set(authorization, token, 1, readIn)
    this.#valid.set(authorization, hash)
    return token
  }

  #isExpired({ expiresAt }: TokenRecord): boolean {
    return expiresAt !== undefined && expiresAt <= this.#clock.now()
  }

  authorize(token: TokenRecord, access: Access): void {
    if (isAllowed(token, access)) return
    throw new AppError(
      'forbidden',
      `A token with the role ${token.role} may not do this; ${access} access is required`,
    )
  }

  /** Creates the default workspace if it does not exist. True for one process only, at the first start. */
  openDefaultWorkspace(): Promise<boolean> {
    const createdAt = this.#clock.now()
    return this.store.addWorkspace({ id: defaultWorkspaceId, name: defaultWorkspaceId, createdAt })
  }

  /** Creates the default workspace and the operator's token. True if the token is new. */
  async bootstrap(secret: string, replace: boolean): Promise<boolean> {
    await this.openDefaultWorkspace()
    const token = this.#record({ workspaceId: defaultWorkspaceId, name: 'operator', role: 'admin' })
    const isNew = await this.store.setOperatorToken({ ...token, operator: true }, hashSecret(secret), replace)
    if (isNew) this.#changed()
    return isNew
  }

  async createToken(token: NewToken): Promise<TokenRecord & { secret: string }> {
    refuseBlank(token.name)
    const isRunner = token.role === 'runner'
    if (isRunner !== (token.agentIds ?? []).length > 0)
      throw invalidField('/agent_ids', isRunner ? 'is required for a runner' : 'is only allowed for a runner')
    if (!isRunner && token.userId !== undefined)
      throw invalidField('/user_id', 'is only allowed for a runner')
    const record = this.#record(token)
    const secret = mintSecret()
    if (!(await this.store.addToken(record, hashSecret(secret))))
      throw new AppError('not_found', `The workspace ${token.workspaceId} does not exist`, {
        errors: [{ path: '/workspace_id', message: 'does not exist' }],
      })
    return { ...record, secret }
  }

  async workspaceOf({ workspaceId }: TokenRecord): Promise<Workspace> {
    const workspace = await this.store.findWorkspace(workspaceId)
    // The workspace was deleted after the request was authorized.
    if (!workspace) throw new AppError('token_invalid', 'The token is unknown, revoked or expired')
    return workspace
  }

  async deleteToken(workspaceId: string, id: string): Promise<void> {
    if (!(await this.store.removeToken(workspaceId, id)))
      throw new AppError(
        'not_found',
        `The token ${id} does not exist, or is the operator token, which can only be replaced with BOOTSTRAP_TOKEN`,
      )
    this.#changed()
  }

  async createWorkspace(name: string): Promise<Workspace & { secret: string }> {
    refuseBlank(name)
    const workspace = { id: mintId('ws'), name, createdAt: this.#clock.now() }
    const secret = mintSecret()
    const token = this.#record({ workspaceId: workspace.id, name: 'first', role: 'admin' })
    if (!(await this.store.addWorkspace(workspace, { token, hash: hashSecret(secret) })))
      throw new AppError('already_exists', `The workspace ${name} already exists`, {
        errors: [{ path: '/name', message: 'already exists' }],
      })
    return { ...workspace, secret }
  }

  async setLimits(id: string, change: Parameters<AccessStore['setLimits']>[1]): Promise<Workspace> {
    const workspace = await this.store.setLimits(id, change)
    if (!workspace) throw noWorkspace(id)
    this.#changed()
    return workspace
  }

  /** Returns the revoked leases of its runs; the processes that work on these notice it at their next renewal. */
  async deleteWorkspace(id: string): Promise<string[]> {
    if (id === defaultWorkspaceId) throw new AppError('in_use', 'The workspace `default` cannot be deleted')
    const leases = await this.store.removeWorkspace(id, this.#clock.now())
    if (!leases) throw noWorkspace(id)
    this.#changed()
    return leases
  }

  /** Deletes the data of deleted workspaces in batches, so that other requests are not blocked. */
  async purge(signal: AbortSignal): Promise<void> {
    const settledBefore = this.#clock.now() - settleMilliseconds
    while (!signal.aborted && (await this.store.purge(settledBefore))) await nextTurn()
  }

  #record({ workspaceId, name, role, expiresInDays, agentIds = [], userId }: NewToken): TokenRecord {
    const createdAt = this.#clock.now()
    const expiresAt = expiresInDays === undefined ? undefined : createdAt + expiresInDays * dayMilliseconds
    const id = mintId('tok')
    return { id, workspaceId, name, role, operator: false, agentIds, userId, createdAt, expiresAt }
  }
}
