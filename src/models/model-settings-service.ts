import { limits } from '../contract/limits.ts'
import { AppError, invalidField } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { mintId } from '../kernel/ids.ts'
import { type SecretBox, SecretUnreadable } from '../kernel/secret-box.ts'
import { checkBaseUrl, isSameServer } from './base-url.ts'
import type { ModelChange, ModelSettings, ModelSettingsStore } from './model-settings-store.ts'

export interface NewModel {
  name: string
  baseUrl: string
  model: string
  apiKey?: string | undefined
  /** Left open, it becomes the default where there is none. */
  isDefault?: boolean | undefined
  maxTokens?: number | undefined
  temperature?: number | undefined
}

/** What is absent stays; null takes a value away. */
export interface ModelUpdate {
  name?: string | undefined
  baseUrl?: string | undefined
  model?: string | undefined
  apiKey?: string | null | undefined
  isDefault?: boolean | undefined
  maxTokens?: number | null | undefined
  temperature?: number | null | undefined
}

/** How the key of a model stands, without telling it. */
export interface KeyState {
  hasKey: boolean
  /** The last characters, where the key is long enough to show some. */
  end: string
  /** What keeps it from being used, or empty. */
  problem: string
}

const shownCharacters = 4
const leastToShow = 16

const contextOf = (workspaceId: string, id: string): string => `model key ${workspaceId} ${id}`

const noSuchModel = (): AppError => new AppError('not_found', 'There is no such model')
const nameTaken = (): AppError =>
  new AppError('already_exists', 'There is a model with this name already; choose another name', {
    errors: [{ path: '/name', message: 'is taken' }],
  })

/** The models that a workspace brings along. Their keys are sealed and never shown. */
export class ModelSettingsService {
  readonly #store: ModelSettingsStore
  readonly #box: SecretBox | undefined
  readonly #clock: Clock

  /** Without a box no key can be stored, and the refusal says so. */
  constructor(store: ModelSettingsStore, box: SecretBox | undefined, clock: Clock) {
    this.#store = store
    this.#box = box
    this.#clock = clock
  }

  async create(workspaceId: string, wanted: NewModel): Promise<ModelSettings> {
    checkBaseUrl(wanted.baseUrl)
    const now = this.#clock.now()
    const id = mintId('model')
    const created = await this.#store.create(
      workspaceId,
      {
        id,
        name: wanted.name,
        baseUrl: wanted.baseUrl,
        model: wanted.model,
        sealedKey: wanted.apiKey === undefined ? undefined : this.#seal(workspaceId, id, wanted.apiKey),
        isDefault: wanted.isDefault ?? 'if_none',
        maxTokens: wanted.maxTokens,
        temperature: wanted.temperature,
        version: 1,
        createdAt: now,
        updatedAt: now,
      },
      { most: limits.modelsPerWorkspace },
    )
    if (created === 'name_taken') throw nameTaken()
    if (created === 'too_many')
      throw invalidField(
        '/name',
        `is one too many: a workspace has at most ${limits.modelsPerWorkspace} models; delete one first`,
      )
    return created
  }

  async update(workspaceId: string, id: string, wanted: ModelUpdate): Promise<ModelSettings> {
    if (wanted.baseUrl !== undefined) checkBaseUrl(wanted.baseUrl)
    const updated = await this.#store.update(
      workspaceId,
      id,
      current => this.#change(workspaceId, current, wanted),
      this.#clock.now(),
    )
    if (updated === 'name_taken') throw nameTaken()
    if (!updated) throw noSuchModel()
    return updated
  }

  #change(workspaceId: string, current: ModelSettings, wanted: ModelUpdate): ModelChange {
    const { name = current.name, baseUrl = current.baseUrl, model = current.model, apiKey } = wanted
    // Whoever may change the address must not get to read the key by having it sent to a server of their own.
    if (apiKey === undefined && current.sealedKey !== undefined && !isSameServer(baseUrl, current.baseUrl))
      throw invalidField(
        '/api_key',
        'is required when base_url names another server: send the key again, or null for none',
      )
    return {
      name,
      baseUrl,
      model,
      isDefault: wanted.isDefault ?? current.isDefault,
      ...(apiKey !== undefined && {
        sealedKey: apiKey === null ? undefined : this.#seal(workspaceId, current.id, apiKey),
      }),
      ...(wanted.maxTokens !== undefined && { maxTokens: wanted.maxTokens ?? undefined }),
      ...(wanted.temperature !== undefined && { temperature: wanted.temperature ?? undefined }),
    }
  }

  #seal(workspaceId: string, id: string, apiKey: string): string {
    // It is sent as a header, where a line break would begin another one.
    if (!/^[\x21-\x7e]+$/.test(apiKey))
      throw invalidField('/api_key', 'must be visible ASCII characters without spaces')
    if (!this.#box)
      throw new AppError(
        'not_configured',
        'No key can be stored yet: set SECRET_KEY, with which keys are encrypted, and start the server again',
      )
    return this.#box.seal(apiKey, contextOf(workspaceId, id))
  }

  /** Fails with a `SecretUnreadable`. */
  openKey(workspaceId: string, { id, sealedKey }: ModelSettings): string | undefined {
    if (sealedKey === undefined) return undefined
    if (!this.#box) throw new SecretUnreadable()
    return this.#box.open(sealedKey, contextOf(workspaceId, id))
  }

  keyState(workspaceId: string, settings: ModelSettings): KeyState {
    const hasKey = settings.sealedKey !== undefined
    try {
      const key = this.openKey(workspaceId, settings) ?? ''
      return { hasKey, end: key.length < leastToShow ? '' : key.slice(-shownCharacters), problem: '' }
    } catch (error) {
      if (!(error instanceof SecretUnreadable)) throw error
      return { hasKey, end: '', problem: unreadableKey(settings.name) }
    }
  }

  async get(workspaceId: string, id: string): Promise<ModelSettings> {
    const settings = await this.#store.find(workspaceId, id)
    if (!settings) throw noSuchModel()
    return settings
  }

  findByName(workspaceId: string, name: string): Promise<ModelSettings | undefined> {
    return this.#store.findByName(workspaceId, name)
  }

  findDefault(workspaceId: string): Promise<ModelSettings | undefined> {
    return this.#store.findDefault(workspaceId)
  }

  list(workspaceId: string): Promise<ModelSettings[]> {
    return this.#store.list(workspaceId)
  }

  async remove(workspaceId: string, id: string): Promise<void> {
    if (!(await this.#store.remove(workspaceId, id))) throw noSuchModel()
  }
}

export const unreadableKey = (name: string): string =>
  `The key of the model ${name} cannot be read, most likely because SECRET_KEY has changed: send the key again with POST /api/v1/model/update`
