import { limits } from '../contract/limits.ts'
import type { Page, PageRequest } from '../contract/paging.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { type SecretBox, SecretUnreadable } from '../kernel/secret-box.ts'
import type { SecretStore, StoredSecret } from './secret-store.ts'

/** A secret as its readers see it; `problem` says why it cannot be used. */
type SecretSummary = Omit<StoredSecret, 'sealed'> & { problem: string | undefined }

/** The value of a secret, or why it cannot be used. */
type OpenedSecret = { readonly value: string } | { readonly problem: string }

const contextOf = (workspaceId: string, name: string): string => `secret ${workspaceId} ${name}`

const unreadable = (name: string): string =>
  `The secret "${name}" cannot be decrypted, probably because SECRET_KEY has changed: enter its value again in Secrets, or send it with POST /api/v1/secret/set`

/** The secrets of workspaces. They are encrypted, and no operation returns a value. */
export class SecretService {
  readonly #store: SecretStore
  readonly #box: SecretBox | undefined
  readonly #clock: Clock

  /** Without a secret box no secret can be stored. */
  constructor(store: SecretStore, box: SecretBox | undefined, clock: Clock) {
    this.#store = store
    this.#box = box
    this.#clock = clock
  }

  async set(
    workspaceId: string,
    { name, value, by }: { name: string; value: string; by: string },
  ): Promise<StoredSecret & { isNew: boolean }> {
    // Shorter values are part of many texts, so masking them would damage what steps output.
    if (value.trim().length < limits.secretMinLength)
      throw invalidField('/value', `must have at least ${limits.secretMinLength} characters besides spaces`)
    if (!this.#box)
      throw new AppError(
        'not_configured',
        'Secrets cannot be stored: set SECRET_KEY, with which they are encrypted, and restart the server',
      )
    const sealed = this.#box.seal(value, contextOf(workspaceId, name))
    const now = this.#clock.now()
    const secret = { name, sealed, createdAt: now, updatedAt: now, updatedBy: by }
    const maxSecrets = limits.secretsPerWorkspace
    const stored = await this.#store.set(workspaceId, secret, { maxSecrets })
    if (!stored)
      throw invalidField(
        '/name',
        `exceeds the limit of ${maxSecrets} secrets in a workspace; delete one first`,
      )
    return { ...stored.secret, isNew: stored.isNew }
  }

  async list(workspaceId: string, page: PageRequest): Promise<Page<SecretSummary>> {
    const found = await this.#store.list(workspaceId, page)
    const summaries = found.items.map(({ sealed, ...secret }) => {
      const opened = this.#open(workspaceId, { name: secret.name, sealed })
      return { ...secret, problem: 'problem' in opened ? opened.problem : undefined }
    })
    return { ...found, items: summaries }
  }

  async remove(workspaceId: string, name: string): Promise<void> {
    if (!(await this.#store.remove(workspaceId, name)))
      throw new AppError('not_found', `There is no secret ${name}`)
  }

  async names(workspaceId: string): Promise<Set<string>> {
    return new Set(await this.#store.names(workspaceId))
  }

  /** The existing secrets among these, by name. */
  async openMany(workspaceId: string, names: readonly string[]): Promise<Map<string, OpenedSecret>> {
    const found = await this.#store.findMany(workspaceId, names)
    return new Map(found.map(secret => [secret.name, this.#open(workspaceId, secret)]))
  }

  #open(workspaceId: string, { name, sealed }: Pick<StoredSecret, 'name' | 'sealed'>): OpenedSecret {
    try {
      if (this.#box) return { value: this.#box.open(sealed, contextOf(workspaceId, name)) }
    } catch (error) {
      if (!(error instanceof SecretUnreadable)) throw error
    }
    return { problem: unreadable(name) }
  }
}
